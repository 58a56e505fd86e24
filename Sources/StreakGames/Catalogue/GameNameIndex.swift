/// Finds the game that a text mentions or misspells, so that a refusal can suggest it.
struct GameNameIndex: Sendable {
    private struct Name: Sendable {
        /// Letters only.
        let letters: [Unicode.Scalar]
        let mask: UInt32
        let game: GameID
    }

    private let spoken: [Unicode.Scalar: [(name: [Unicode.Scalar], game: GameID)]]
    private let names: [Name]

    /// How much of a text is searched for a name, in scalars.
    private static let reach = 4_096
    /// How many words of a text are compared with the names.
    private static let maximumWords = 512
    /// How far after a name the number or result must begin. This distinguishes a share from chat.
    private static let resultReach = 24

    /// Of the built-in games.
    static let standard = GameNameIndex(.standard)

    init(_ catalogue: Catalogue) {
        var spoken: [Unicode.Scalar: [(name: [Unicode.Scalar], game: GameID)]] = [:]
        var names: [Name] = []
        var seen: Set<String> = []
        for game in catalogue.games {
            let name = Self.spokenName(PastedText.folded(game.name))
            if let first = name.first { spoken[first, default: []].append((name, game.id)) }
            let letters = name.filter(Self.isLetter)
            guard 3...Self.longestName ~= letters.count,
                seen.insert(String(String.UnicodeScalarView(letters))).inserted
            else { continue }
            names.append(Name(letters: letters, mask: Self.mask(letters), game: game.id))
        }
        self.spoken = spoken
        self.names = names
    }

    /// The game whose name, possibly misspelt, precedes a number or result; otherwise the first game mentioned. The
    /// work is bounded by `reach`, `maximumWords` and the number of games.
    func nearest(in text: [Unicode.Scalar]) -> GameID? {
        let mention = firstMention(in: text)
        if let mention, Self.isFollowedByResult(text, mention.end) { return mention.game }
        return misspelling(in: text) ?? mention?.game
    }

    // MARK: Mentions

    /// The earliest mention; of several at one place, the longest name.
    private func firstMention(in text: [Unicode.Scalar]) -> (game: GameID, end: Int)? {
        for position in text.indices.prefix(Self.reach) {
            guard position == 0 || !text[position - 1].isWordPart, let candidates = spoken[text[position]] else {
                continue
            }
            var best: (length: Int, game: GameID)?
            for (name, game) in candidates where name.count > best?.length ?? 0 {
                let end = position + name.count
                guard end <= text.count, text[position..<end].elementsEqual(name) else { continue }
                if end < text.count, text[end].isWordPart { continue }
                best = (name.count, game)
            }
            if let best { return (best.game, position + best.length) }
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

    // MARK: Misspellings

    private static let longestName = 24

    /// Of the names that precede a result, the one with the fewest changes; of equals, the earliest.
    private func misspelling(in text: [Unicode.Scalar]) -> GameID? {
        var best: (distance: Int, game: GameID)?
        var position = 0
        var words = 0
        let limit = min(text.count, Self.reach)
        while position < limit, words < Self.maximumWords {
            guard Self.isLetter(text[position]), position == 0 || !text[position - 1].isWordPart else {
                position += 1
                continue
            }
            words += 1
            for (letters, end) in Self.readings(of: text, from: position) where Self.isFollowedByResult(text, end) {
                // Two changes can match ordinary words, so then the number must follow the name directly.
                let sure = Self.isFollowedByResult(text, end, words: 0) ? 2 : 1
                let bound = min(sure, best.map { $0.distance - 1 } ?? 2)
                guard bound >= 0, let found = closest(to: letters, within: bound) else { continue }
                best = found
            }
            while position < limit, text[position].isWordPart { position += 1 }
        }
        return best?.game
    }

    /// The letters of one, two and three words from `start`, and where each reading ends.
    private static func readings(of text: [Unicode.Scalar], from start: Int) -> [([Unicode.Scalar], end: Int)] {
        var readings: [([Unicode.Scalar], end: Int)] = []
        var letters: [Unicode.Scalar] = []
        var position = start
        for _ in 0..<3 {
            while position < text.count, isLetter(text[position]), letters.count <= longestName + 2 {
                letters.append(text[position])
                position += 1
            }
            guard letters.count <= longestName + 2 else { break }
            readings.append((letters, position))
            guard position + 1 < text.count, text[position] == " " || text[position] == "-",
                isLetter(text[position + 1])
            else { break }
            position += 1
        }
        return readings
    }

    private func closest(to letters: [Unicode.Scalar], within bound: Int) -> (distance: Int, game: GameID)? {
        let mask = Self.mask(letters)
        var best: (distance: Int, game: GameID)?
        for name in names {
            // One changed letter changes at most two bits. Short names allow fewer changes.
            let allowed = min(best.map { $0.distance - 1 } ?? bound, Self.changes(allowedIn: name.letters.count))
            guard allowed >= 0, abs(name.letters.count - letters.count) <= allowed,
                (name.mask ^ mask).nonzeroBitCount <= 2 * allowed
            else { continue }
            if let distance = EditDistance.between(letters, name.letters, atMost: allowed) {
                best = (distance, name.game)
            }
        }
        return best
    }

    private static func changes(allowedIn length: Int) -> Int {
        length < 5 ? 0 : length < 6 ? 1 : 2
    }

    /// Whether `#5`, `3/6`, `0:42`, a number of three digits or squares follow, with at most `limit` words between.
    private static func isFollowedByResult(_ text: [Unicode.Scalar], _ start: Int, words limit: Int = 2) -> Bool {
        let end = min(text.count, start + resultReach)
        var words = 0
        var index = start
        while index < end {
            let scalar = text[index]
            if scalar.isSquare || scalar.keycap != nil { return true }
            if scalar == "#" || scalar == "/", index + 1 < text.count, text[index + 1].digit != nil { return true }
            if scalar.digit != nil {
                var length = 1
                while length < 4, index + length < text.count, text[index + length].digit != nil { length += 1 }
                let next = index + length < text.count ? text[index + length] : " "
                let isGrouped =
                    index + length + 1 < text.count && text[index + length + 1].digit != nil
                    && (next == ":" || next == "/" || next == "," || next == ".")
                if length >= 3 || isGrouped { return true }
                index += length
                continue
            }
            if scalar.isWordPart {
                words += 1
                guard words <= limit else { return false }
                while index < end, text[index].isWordPart, text[index].digit == nil { index += 1 }
                continue
            }
            index += 1
        }
        return false
    }

    private static func isLetter(_ scalar: Unicode.Scalar) -> Bool { "a"..."z" ~= scalar }

    private static func mask(_ letters: [Unicode.Scalar]) -> UInt32 {
        letters.reduce(0) { $0 | 1 << ($1.value &- 0x61) }
    }
}

/// The number of changes between two words.
enum EditDistance {
    /// Insertions, deletions, changes and swaps of neighbours (optimal string alignment) that turn one word into the
    /// other; `nil` if more than `maximum`. O(length · maximum).
    static func between(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar], atMost maximum: Int) -> Int? {
        guard maximum >= 0, abs(left.count - right.count) <= maximum else { return nil }
        let far = maximum + 1
        var beforeLast = [Int](repeating: far, count: right.count + 1)
        var last = (0...right.count).map { min($0, far) }
        for i in left.indices {
            var row = [Int](repeating: far, count: right.count + 1)
            row[0] = min(i + 1, far)
            let low = max(0, i - maximum)
            let high = min(right.count - 1, i + maximum)
            if low <= high {
                for j in low...high {
                    var cost = last[j] + (left[i] == right[j] ? 0 : 1)
                    cost = min(cost, last[j + 1] + 1, row[j] + 1)
                    if i > 0, j > 0, left[i] == right[j - 1], left[i - 1] == right[j] {
                        cost = min(cost, beforeLast[j - 1] + 1)
                    }
                    row[j + 1] = min(cost, far)
                }
            }
            guard row.contains(where: { $0 <= maximum }) else { return nil }
            (beforeLast, last) = (last, row)
        }
        return last[right.count] <= maximum ? last[right.count] : nil
    }
}
