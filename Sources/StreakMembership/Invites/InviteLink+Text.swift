import StreakCrypto

/// Finds the link in pasted text: a link alone, one broken into lines, or one inside a message.
extension InviteLink {
    /// The longest link has under 900 characters. Anything longer than this is not a link.
    private static let maximumLinkSize = 2_048
    /// Enough for a chat message with a link. Longer text is refused unread.
    static let maximumTextSize = 4_096

    /// The digits after a prefix.
    struct Candidate: Equatable {
        let purpose: Purpose
        /// The digits, in upper case.
        fileprivate(set) var digits: [UInt8]
        /// The decoded bytes, with checksum; nil if no checksum matches.
        fileprivate(set) var bytes: [UInt8]?

        /// Whether this is the other candidate cut short, as chat programs display links.
        fileprivate func isBeginning(of other: Candidate) -> Bool {
            bytes == nil && purpose == other.purpose && digits.count < other.digits.count
                && other.digits.starts(with: digits)
        }
    }

    /// The link in a text, which may contain it once or several times.
    ///
    /// White space is skipped anywhere, and letters may have either case. After a prefix follow letters, digits and
    /// white space up to any other character. The link is the shortest beginning of these that has a correct checksum
    /// and ends at white space or at the end. O(n²) in the size of the text, which is bounded.
    ///
    /// - Throws: `notALink` if there is none or the text is too long; `severalLinks` if two differ.
    static func candidate(in text: String) throws(InviteLinkError) -> Candidate {
        guard text.utf8.count <= maximumTextSize else { throw .notALink }
        let plain = PlainText(text)
        let prefixes = Purpose.allCases.map { (purpose: $0, bytes: Array($0.prefix.utf8)) }
        var found: [Candidate] = []
        for place in plain.characters.indices {
            for (purpose, prefix) in prefixes where plain.has(prefix, at: place) {
                let next = plain.candidate(of: purpose, from: place + prefix.count, limit: maximumLinkSize)
                guard let next, !found.contains(where: { $0 == next || next.isBeginning(of: $0) }) else { continue }
                found.removeAll { $0.isBeginning(of: next) }
                found.append(next)
                guard found.count <= 2 else { throw .severalLinks }
            }
        }
        guard let first = found.first else { throw .notALink }
        guard found.count == 1 else { throw .severalLinks }
        return first
    }

    /// The purpose of the link in a text; nil if there is none, or several.
    public static func purpose(of text: String) -> Purpose? {
        // `init(parsing:purpose:)` reports why there is none.
        try? candidate(in: text).purpose
    }

    static func checksum(_ bytes: [UInt8]) -> [UInt8] {
        Array(Blake2b.hash(bytes).prefix(checksumSize))
    }
}

/// A text without white space, but with its places.
private struct PlainText {
    /// All bytes above 0x20.
    private(set) var characters: [UInt8] = []
    /// Indices of characters that follow white space, ascending.
    private var breaks: [Int] = []

    init(_ text: String) {
        for byte in text.utf8 {
            if byte > 0x20 {
                characters.append(byte)
            } else if breaks.last != characters.count {
                breaks.append(characters.count)
            }
        }
    }

    /// Whether `prefix`, in lower case, is at a place in either case.
    func has(_ prefix: [UInt8], at place: Int) -> Bool {
        guard place + prefix.count <= characters.count else { return false }
        return prefix.indices.allSatisfy { index in
            let character = characters[place + index]
            return character == prefix[index] || (0x41...0x5A ~= character && (character | 0x20) == prefix[index])
        }
    }

    /// Nil if no digit follows.
    func candidate(of purpose: InviteLink.Purpose, from start: Int, limit: Int) -> InviteLink.Candidate? {
        let run = characters[start...].prefix { Self.isLetterOrDigit($0) }
        guard !run.isEmpty else { return nil }
        let longest = limit - purpose.prefix.utf8.count
        let ends = breaks.filter { $0 > start && $0 < run.endIndex } + [run.endIndex]
        func digits(_ end: Int) -> [UInt8] {
            characters[start..<end].map { 0x61...0x7A ~= $0 ? $0 & 0xDF : $0 }
        }
        for end in ends where end - start <= longest {
            guard let bytes = Base32.bytes(characters[start..<end]), bytes.count > InviteLink.checksumSize else {
                continue
            }
            let payload = Array(bytes.dropLast(InviteLink.checksumSize))
            guard InviteLink.checksum(payload) == Array(bytes.suffix(InviteLink.checksumSize)) else { continue }
            return InviteLink.Candidate(purpose: purpose, digits: digits(end), bytes: bytes)
        }
        return InviteLink.Candidate(purpose: purpose, digits: digits(ends[0]))
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        0x30...0x39 ~= byte || 0x41...0x5A ~= byte || 0x61...0x7A ~= byte
    }
}
