/// The beginning of a share: a game's words with the puzzle number or date.
struct ShareHead {
    let format: ShareFormat
    let start: Int
    let end: Int
    let captures: SharePattern.Captures
}

/// Finds heads. Patterns are indexed by their first scalars, so that each position needs only one look-up.
struct ShareHeadIndex: Sendable {
    static let standard = ShareHeadIndex(ShareFormatTable.formats)

    private let formats: [ShareFormat]
    /// For each first scalar, its patterns as positions in `formats` and their heads.
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

    /// Heads that do not overlap, in text order. If several patterns match at one place, the longest wins.
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
            guard pattern.canBegin(text, at: position) else { continue }
            guard let match = pattern.match(text, at: position, end: text.count), match.end > best?.end ?? position
            else { continue }
            best = ShareHead(format: format, start: position, end: match.end, captures: match.captures)
        }
        return best
    }
}
