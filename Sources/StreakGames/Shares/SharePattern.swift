/// A short pattern for the fixed words of a share.
///
/// | written | matches |
/// |---|---|
/// | letters and marks | themselves |
/// | a space | blanks, bold marks and at most two line ends; also nothing, unless two words would touch |
/// | `#` | a number sign (`#`, `n.`, `nº`, `no.`, `nr.`, `第`, `제`), with or without a dash or colon before it; or nothing |
/// | `{n}` `{s}` `{h}` `{m}` | the puzzle number, the score, the hints, the printed maximum |
/// | `{t}` | a time |
/// | `{mdy}` `{dmy}` `{date}` `{iso}` | a date; `{date}` if the order depends on the viewer, `{iso}` only `yyyy-MM-dd` |
/// | `{word}` | one word |
/// | `{~}` | marks, emoji and spaces on the same line, possibly none |
/// | `{…}` `{lines}` | as little as possible, at most 80 scalars of the line or 200 over several lines |
/// | `{lost}` `{hard}` `{played}` `{none}` | nothing; notes: lost, in hard mode, played without a score, no hints |
/// | `[…]`, `(a\|b)` | optional; either |
/// | `\` | the next scalar as it is |
struct SharePattern: Sendable {
    struct Captures {
        var puzzle: Int?
        var score: Int?
        var hints: Int?
        var maximum: Int?
        var seconds: Int?
        var day: PuzzleDay?
        var isLost = false
        var isHardMode = false
        var isPlayed = false
        /// A captured value is impossible, although the words around it matched.
        var fault: ShareFault?
    }

    struct Match {
        var captures: Captures
        var end: Int
    }

    /// One step of a compiled pattern and the step that follows it.
    struct Step: Sendable {
        let operation: Operation
        let next: Int
    }

    enum Operation: Sendable {
        case accept
        case literal([Unicode.Scalar])
        case space, sign, word, marks
        case gap(limit: Int, crossesLines: Bool)
        case number(Slot)
        case time
        case date(DateOrder?)
        case isoDate
        case flag(Flag)
        /// The first steps of the branches, in the order they are tried.
        case either([Int])
    }

    enum Slot { case puzzle, score, hints, maximum }
    enum Flag { case lost, hard, played, noHints }

    private let steps: [Step]
    private let first: Int
    /// The scalars a match can begin with; `nil` if it can begin with any.
    let firstScalars: [Unicode.Scalar]?
    /// The literals a match can begin with; `nil` if it can begin otherwise.
    let leadingLiterals: [[Unicode.Scalar]]?
    /// Whether the first word contains a dot, as addresses do.
    let beginsWithAddress: Bool

    /// Compiles a pattern of this program. An unknown token is a programming error.
    init(_ text: StaticString) {
        let source = SharePatternSource(text)
        (steps, first) = source.compiled()
        firstScalars = source.firstScalars
        leadingLiterals = source.leadingLiterals
        beginsWithAddress = source.beginsWithAddress
    }

    /// A cheap test that avoids most match attempts.
    func canBegin(_ text: [Unicode.Scalar], at start: Int) -> Bool {
        guard let leadingLiterals else { return true }
        return leadingLiterals.contains { literal in
            guard literal.count <= text.count - start else { return false }
            for offset in literal.indices where text[start + offset] != literal[offset] { return false }
            return true
        }
    }

    /// Matches at `start`, reading no further than `end`.
    func match(_ text: [Unicode.Scalar], at start: Int, end: Int) -> Match? {
        var captures = Captures()
        guard let end = run(first, TextScanner(text, from: start, to: end), &captures) else { return nil }
        return Match(captures: captures, end: end)
    }

    /// The first match that begins in `range`.
    func firstMatch(_ text: [Unicode.Scalar], in range: Range<Int>) -> Match? {
        for start in range {
            if let firstScalars, !firstScalars.contains(text[start]) { continue }
            if start > range.lowerBound, text[start - 1].isWordPart, text[start].isWordPart { continue }
            guard canBegin(text, at: start) else { continue }
            if let match = match(text, at: start, end: range.upperBound) { return match }
        }
        return nil
    }
}

// MARK: - Matching

extension SharePattern {
    /// Runs from a step to the end of the pattern, trying branches in order. Returns the end of the match.
    private func run(_ start: Int, _ scanner: TextScanner, _ captures: inout Captures) -> Int? {
        var scanner = scanner
        var index = start
        while true {
            let step = steps[index]
            switch step.operation {
            case .accept: return scanner.position
            case .either(let branches):
                for branch in branches where canBegin(branch, with: scanner.current) {
                    var attempt = captures
                    guard let end = run(branch, scanner, &attempt) else { continue }
                    captures = attempt
                    return end
                }
                return nil
            case .gap(let limit, let crossesLines):
                let last = min(scanner.end, scanner.position + limit)
                while true {
                    var attempt = captures
                    if canBegin(step.next, with: scanner.current), let end = run(step.next, scanner, &attempt) {
                        captures = attempt
                        return end
                    }
                    guard scanner.position < last, crossesLines || scanner.current != "\n" else { return nil }
                    scanner.position += 1
                }
            case let operation:
                guard Self.consume(operation, &scanner, &captures) else { return nil }
                index = step.next
            }
        }
    }

    /// A cheap test before a branch is tried.
    private func canBegin(_ step: Int, with scalar: Unicode.Scalar?) -> Bool {
        guard case .literal(let letters) = steps[step].operation else { return true }
        return letters.first == scalar
    }

    static func consume(_ operation: Operation, _ scanner: inout TextScanner, _ captures: inout Captures)
        -> Bool
    {
        switch operation {
        case .literal(let letters): return scanner.skip(letters)
        case .space: return skipSpace(&scanner)
        case .sign:
            skipSign(&scanner)
            return true
        case .word:
            guard scanner.current?.isWordPart ?? false else { return false }
            while scanner.current?.isWordPart ?? false { scanner.position += 1 }
            return true
        case .marks:
            while let scalar = scanner.current, scalar != "\n", !scalar.isWordPart { scanner.position += 1 }
            return true
        case .number(let slot):
            if slot == .score, scanner.isSigned { return false }
            guard let number = scanner.number(isPuzzle: slot == .puzzle) else { return false }
            // "Heardle 80s #12" is not puzzle 80.
            if slot == .puzzle, let next = scanner.current, "a"..."z" ~= next { return false }
            if slot == .puzzle { skipCounter(&scanner) }
            store(number, in: slot, &captures)
            return true
        case .time:
            do {
                guard let seconds = try scanner.time() else { return false }
                captures.seconds = seconds
            } catch {
                captures.fault = error
            }
            return true
        case .date(let order):
            do {
                guard let date = try scanner.date(order) else { return false }
                if case .day(let day) = date { captures.day = day }
            } catch {
                captures.fault = error
            }
            return true
        case .isoDate:
            guard scanner.peek(4) == "-" else { return false }
            return consume(.date(nil), &scanner, &captures)
        case .flag(.lost): captures.isLost = true
        case .flag(.hard): captures.isHardMode = true
        case .flag(.played): captures.isPlayed = true
        case .flag(.noHints): captures.hints = 0
        case .accept, .either, .gap: return false
        }
        return true
    }

    private static func store(_ number: TextScanner.Number, in slot: Slot, _ captures: inout Captures) {
        guard case .value(let value) = number else {
            captures.fault = .numberTooLarge
            return
        }
        switch slot {
        case .puzzle: captures.puzzle = value
        case .score: captures.score = value
        case .hints: captures.hints = value
        case .maximum: captures.maximum = value
        }
    }

    private static func skipSpace(_ scanner: inout TextScanner) -> Bool {
        let start = scanner.position
        var lines = 2
        // Bold and italic marks may open or close between two words.
        while let scalar = scanner.current, scalar == " " || scalar == "*" || scalar == "_" || scalar == "\n" {
            if scalar == "\n" {
                guard lines > 0 else { break }
                lines -= 1
            }
            scanner.position += 1
        }
        guard scanner.position == start else { return true }
        return !(scanner.previous?.isWordPart ?? false) || !(scanner.current?.isWordPart ?? false)
    }

    private static let signs: [[Unicode.Scalar]] = [
        "#", "n.º", "n.°", "nº", "n°", "no.", "nr.", "nro.", "num.", "numero", "№", "第", "제", "č.", "n.", "no", "nr",
        "nro",
    ].map { Array($0.unicodeScalars) }

    /// Words after a puzzle number in Chinese, Japanese and Korean: 第 935 期, 第935回, 제 935회.
    private static let counters: [Unicode.Scalar] = ["期", "回", "号", "號", "题", "題", "회", "호"]

    private static func skipCounter(_ scanner: inout TextScanner) {
        let start = scanner.position
        scanner.skipBlanks()
        if let scalar = scanner.current, counters.contains(scalar), !(scanner.peek(1)?.isWordPart ?? false) {
            scanner.position += 1
        } else {
            scanner.position = start
        }
    }

    /// Skips " - " or ": ", which some write between a game's name and its number, but not the minus of "-3".
    private static func skipSeparator(_ scanner: inout TextScanner) -> Bool {
        let start = scanner.position
        guard scanner.skip(":") || scanner.skip("-") && scanner.peek(-2) == " " else {
            scanner.position = start
            return false
        }
        guard scanner.current == " " || scanner.current == "#" else {
            scanner.position = start
            return false
        }
        scanner.skipBlanks()
        return true
    }

    private static func skipSign(_ scanner: inout TextScanner) {
        let start = scanner.position
        scanner.skipBlanks(lines: 1)
        let isApart = skipSeparator(&scanner)
        for sign in signs where scanner.skip(sign) {
            scanner.skipBlanks()
            if scanner.current?.digit != nil { return }
        }
        if isApart, scanner.current?.digit != nil { return }
        scanner.position = start
    }
}
