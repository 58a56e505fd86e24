/// What the share text of a custom game looks like, in a notation that needs no programming.
///
/// `Block Blast {any} Score: {score}` reads 12,345 from "Block Blast 🧱 new record! Score: 12,345".
///
/// | written | matches |
/// |---|---|
/// | letters, marks, emoji | themselves; letter case, accents and invisible marks do not matter |
/// | blanks, a new line | any blanks and up to two line ends; also nothing, unless two words would touch |
/// | `{score}` | a whole number with or without grouping marks; `X` for a loss if lower is better |
/// | `{max}` `{number}` `{hints}` | a whole number: the best possible, the puzzle's, the hints used |
/// | `{time}` | `0:42`, `1:02:03`, `6m 13s` |
/// | `{date}` | a date; certain only if day and month cannot be mixed up |
/// | `{any}` | anything, over several lines too, as little as possible and at most 200 characters |
///
/// A match never returns to an `{any}` before the last one, so matching is linear in the text.
public struct CustomPattern: Sendable, Hashable {
    /// The longest pattern, in Unicode scalars.
    public static let maximumLength = 200
    /// The most `{…}` in one pattern.
    public static let maximumFields = 12
    /// The longest text that one `{any}` matches, in Unicode scalars of folded text.
    static let maximumGap = 200

    /// As written, without blanks around it.
    public let text: String
    let pieces: [Piece]

    /// One part of a pattern. The pattern tester reports where a match stopped.
    struct Piece: Sendable, Hashable {
        enum Kind: Sendable, Hashable {
            case literal([Unicode.Scalar])
            case space, any
            case field(Field)
        }

        let kind: Kind
        /// As written.
        let source: String
    }

    /// The names in braces.
    enum Field: String, Sendable, CaseIterable {
        case score, max, number, hints, time, date
    }

    public init(_ text: String) throws(CustomPatternFault) {
        let scalars = Array(text.unicodeScalars.prefix(Self.maximumLength + 1))
        guard scalars.count <= Self.maximumLength else { throw .tooLong }
        pieces = try Self.parse(scalars)
        guard let first = pieces.first else { throw .empty }
        guard case .literal(let letters) = first.kind, letters.count >= 2 else { throw .beginsWithoutWord }
        var fields: Set<Field> = []
        for case .field(let field) in pieces.map(\.kind) {
            guard fields.insert(field).inserted else { throw .fieldTwice("{\(field.rawValue)}") }
        }
        guard pieces.filter({ $0.isField }).count <= Self.maximumFields else { throw .tooManyFields }
        for (left, right) in zip(pieces, pieces.dropFirst()) where left.isField && right.isField {
            throw .fieldsTouch(left.source, right.source)
        }
        self.text = pieces.map(\.source).joined()
    }

    func has(_ field: Field) -> Bool { pieces.contains { $0.kind == .field(field) } }

    /// The first scalar of any match.
    var firstScalar: Unicode.Scalar? {
        if case .literal(let letters)? = pieces.first?.kind { letters.first } else { nil }
    }

    private static func parse(_ scalars: [Unicode.Scalar]) throws(CustomPatternFault) -> [Piece] {
        var pieces: [Piece] = []
        var literal = String.UnicodeScalarView()
        func flush() {
            let source = String(literal)
            literal = String.UnicodeScalarView()
            let folded = PastedText.folded(source)
            guard !folded.isEmpty else { return }
            pieces.append(Piece(kind: .literal(folded), source: source))
        }
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "{" {
                guard let close = scalars[index...].firstIndex(of: "}") else { throw .openBrace }
                let source = String(String.UnicodeScalarView(scalars[index...close]))
                let name = source.dropFirst().dropLast().lowercased()
                flush()
                if name == "any" {
                    pieces.append(Piece(kind: .any, source: "{any}"))
                } else if let field = Field(rawValue: name) {
                    pieces.append(Piece(kind: .field(field), source: "{\(name)}"))
                } else {
                    throw .unknownField(source)
                }
                index = close + 1
            } else if scalar.properties.isWhitespace {
                flush()
                if let last = pieces.last, last.kind != .space { pieces.append(Piece(kind: .space, source: " ")) }
                index += 1
            } else {
                literal.append(scalar)
                index += 1
            }
        }
        flush()
        if pieces.last?.kind == .space { pieces.removeLast() }
        if pieces.last?.kind == .any { throw .endsInGap }
        return pieces
    }
}

extension CustomPattern.Piece {
    var isField: Bool {
        switch kind {
        case .field, .any: true
        case .literal, .space: false
        }
    }
}

/// Why a pattern was refused. The description is a sentence for its author.
public enum CustomPatternFault: Error, Sendable, Hashable, CustomStringConvertible {
    case empty
    case tooLong
    /// A pattern must begin with at least two letters or marks: the word by which the share is found.
    case beginsWithoutWord
    case openBrace
    case unknownField(String)
    case fieldTwice(String)
    case fieldsTouch(String, String)
    case tooManyFields
    case endsInGap

    public var description: String {
        switch self {
        case .empty: "The pattern is empty."
        case .tooLong: "The pattern is longer than \(CustomPattern.maximumLength) characters."
        case .beginsWithoutWord: "The pattern must begin with a word of the share, such as the game's name."
        case .openBrace: "A { has no closing }."
        case .unknownField(let field):
            "\(Self.shortened(field)) is not known. Use {score}, {max}, {number}, {hints}, {time}, {date} or {any}."
        case .fieldTwice(let field): "\(Self.shortened(field)) is in the pattern twice."
        case .fieldsTouch(let left, let right): "Put some text or a blank between \(left) and \(right)."
        case .tooManyFields: "The pattern has more than \(CustomPattern.maximumFields) fields."
        case .endsInGap: "The pattern must not end with {any}. Leave it out."
        }
    }

    /// A field as its author wrote it, shortened: it may be as long as a pattern.
    private static func shortened(_ field: String) -> String {
        field.count <= 24 ? field : "\(field.prefix(22))…}"
    }
}

// MARK: - Matching

extension CustomPattern {
    /// The steps that all patterns together may take for one paste, so that no pattern and no text can make reading
    /// slow.
    struct Budget {
        private(set) var steps: Int

        init(textLength: Int) { steps = 64 * textLength + 100_000 }

        var isSpent: Bool { steps <= 0 }

        mutating func spend(_ count: Int) { steps -= count }
    }

    struct Match {
        var captures: SharePattern.Captures
        var end: Int
    }

    /// How far a match came: the part that did not fit, and where.
    struct Progress {
        var piece = 0
        var position = 0
    }

    /// Matches at `start`, reading no further than `end`. With `losses` an `X` is a score.
    func match(
        _ text: [Unicode.Scalar], at start: Int, end: Int, losses: Bool, _ budget: inout Budget,
        _ furthest: inout Progress
    ) -> Match? {
        var captures = SharePattern.Captures()
        var scanner = TextScanner(text, from: start, to: end)
        var index = 0
        /// Where to retry: after the last `{any}`, one scalar further on.
        var retry: (piece: Int, position: Int, last: Int)?
        while index < pieces.count {
            budget.spend(1)
            guard !budget.isSpent else { return nil }
            let piece = pieces[index]
            if piece.kind == .any {
                retry = (index + 1, scanner.position, min(end, scanner.position + Self.maximumGap))
                index += 1
                continue
            }
            if index > furthest.piece || index == furthest.piece && scanner.position > furthest.position {
                furthest = Progress(piece: index, position: scanner.position)
            }
            let isRead =
                Self.consume(piece.kind, &scanner, &captures, &budget)
                || losses && piece.kind == .field(.score) && Self.consumeLoss(&scanner, &captures)
            if isRead {
                index += 1
                continue
            }
            guard let again = retry, again.position < again.last else { return nil }
            retry?.position += 1
            scanner.position = again.position + 1
            index = again.piece
        }
        // "score 12" must not be read from "score 12a" or from "score 12:30".
        guard !(scanner.previous?.isWordPart ?? false) || !(scanner.current?.isWordPart ?? false) else { return nil }
        return Match(captures: captures, end: scanner.position)
    }

    private static func consume(
        _ kind: Piece.Kind, _ scanner: inout TextScanner, _ captures: inout SharePattern.Captures,
        _ budget: inout Budget
    ) -> Bool {
        switch kind {
        case .literal(let letters):
            budget.spend(scanner.current == letters.first ? letters.count : 1)
            return scanner.skip(letters)
        case .space: return SharePattern.consume(.space, &scanner, &captures)
        case .field(.score): return SharePattern.consume(.number(.score), &scanner, &captures)
        case .field(.number): return SharePattern.consume(.number(.puzzle), &scanner, &captures)
        case .field(.max): return SharePattern.consume(.number(.maximum), &scanner, &captures)
        case .field(.hints): return SharePattern.consume(.number(.hints), &scanner, &captures)
        case .field(.time): return SharePattern.consume(.time, &scanner, &captures)
        case .field(.date): return SharePattern.consume(.date(nil), &scanner, &captures)
        case .any: return false
        }
    }

    private static func consumeLoss(_ scanner: inout TextScanner, _ captures: inout SharePattern.Captures) -> Bool {
        guard scanner.current == "x", !(scanner.previous?.isWordPart ?? false),
            !(scanner.peek(1)?.isWordPart ?? false)
        else { return false }
        scanner.position += 1
        captures.isLost = true
        return true
    }
}
