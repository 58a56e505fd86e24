/// The beginning of a share: a game's words with the puzzle number or date.
struct ShareHead {
    let format: ShareFormat
    let start: Int
    let end: Int
    let captures: SharePattern.Captures
}

/// Finds heads. Patterns are filed under the scalars they can begin with, so that one look-up a position is enough.
struct ShareHeadIndex: Sendable {
    static let standard = ShareHeadIndex(ShareFormatTable.formats)

    private let formats: [ShareFormat]
    /// For each first scalar the patterns, as positions in `formats` and in its heads.
    private let candidates: [Unicode.Scalar: [(format: Int, head: Int)]]

    init(_ formats: [ShareFormat]) {
        self.formats = formats
        var candidates: [Unicode.Scalar: [(format: Int, head: Int)]] = [:]
        for (formatIndex, format) in formats.enumerated() {
            for (headIndex, head) in format.heads.enumerated() {
                for scalar in Set(head.firstScalars ?? []) {
                    candidates[scalar, default: []].append((formatIndex, headIndex))
                }
            }
        }
        self.candidates = candidates
    }

    /// Heads that do not overlap, in text order. Where several patterns match at one place, the longest wins.
    func heads(in text: [Unicode.Scalar]) -> [ShareHead] {
        var heads: [ShareHead] = []
        var position = 0
        while position < text.count {
            guard let head = head(at: position, in: text) else {
                position += 1
                continue
            }
            heads.append(head)
            position = max(head.end, position + 1)
        }
        return heads
    }

    private func head(at position: Int, in text: [Unicode.Scalar]) -> ShareHead? {
        let before = position > 0 ? text[position - 1] : " "
        if before.isWordPart, text[position].isWordPart { return nil }
        guard let candidates = candidates[text[position]] else { return nil }
        var best: ShareHead?
        for candidate in candidates {
            let format = formats[candidate.format]
            let pattern = format.heads[candidate.head]
            // A name inside an address is not a head: ".../games/wordle".
            if before == "/", !pattern.beginsWithAddress { continue }
            guard let match = pattern.match(text, at: position, end: text.count), match.end > best?.end ?? position
            else { continue }
            best = ShareHead(format: format, start: position, end: match.end, captures: match.captures)
        }
        return best
    }
}

/// Finds the game a text mentions, for a helpful refusal.
struct GameNameIndex: Sendable {
    private let names: [Unicode.Scalar: [(name: [Unicode.Scalar], game: GameID)]]

    /// How far into a text a mention is looked for.
    private static let reach = 4_096

    init(_ catalogue: Catalogue) {
        var names: [Unicode.Scalar: [(name: [Unicode.Scalar], game: GameID)]] = [:]
        for game in catalogue.games {
            let name = Self.spokenName(PastedText.folded(game.name))
            if let first = name.first { names[first, default: []].append((name, game.id)) }
        }
        self.names = names
    }

    /// The game with the earliest mention; the longest name where several begin there.
    func firstMention(in text: [Unicode.Scalar]) -> GameID? {
        for position in text.indices.prefix(Self.reach) {
            guard position == 0 || !text[position - 1].isWordPart, let candidates = names[text[position]] else {
                continue
            }
            var best: (length: Int, game: GameID)?
            for (name, game) in candidates where name.count > best?.length ?? 0 {
                let end = position + name.count
                guard end <= text.count, text[position..<end].elementsEqual(name) else { continue }
                if end < text.count, text[end].isWordPart { continue }
                best = (name.count, game)
            }
            if let best { return best.game }
        }
        return nil
    }

    /// "linkedin queens" → "queens", "pips - easy" → "pips", "wordle (es)" → "wordle".
    private static func spokenName(_ name: [Unicode.Scalar]) -> [Unicode.Scalar] {
        var name = name[...]
        for maker in ["linkedin ", "nyt "] {
            let maker = Array(maker.unicodeScalars)
            if name.starts(with: maker) { name = name.dropFirst(maker.count) }
        }
        name = name.prefix { $0 != "(" && $0 != "-" && $0 != "." }
        while name.last == " " { name = name.dropLast() }
        return Array(name)
    }
}
