/// Reads the result that follows a recognised head.
struct ResultReader {
    let text: [Unicode.Scalar]
    let head: ShareHead
    /// From the end of the head to the next head.
    let body: Range<Int>

    var captures: SharePattern.Captures { head.captures }

    /// One result, or several if the format covers several games.
    func read(_ format: ResultFormat) throws(ShareFault) -> [ResultReading] {
        if let fault = captures.fault { throw fault }
        switch format {
        case .printed: return [try finish(captures, end: body.lowerBound)]
        case .phrase(let patterns, _): return [try phrase(patterns)]
        case .fraction(let format): return [try fraction(format)]
        case .row(let format): return [try row(format)]
        case .time: return [try time()]
        case .boards(let count, let highest): return [try boards(count, highest)]
        case .pairedBoards(let count, let highest): return [try pairedBoards(count, highest)]
        case .connections: return [try connections()]
        case .strands: return [try strands()]
        case .spellingBee: return [try spellingBee()]
        case .pips: return try pips()
        case .pinpoint: return [try pinpoint()]
        case .dordle: return [try dordle()]
        case .travle: return [try travle()]
        case .globle: return [try globle()]
        case .murdle: return [try murdle()]
        case .posterdle: return [try posterdle()]
        case .dailyTens: return [try dailyTens()]
        case .weaver: return [try weaver()]
        case .tusmo: return [try tusmo()]
        case .minuteCryptic: return [try minuteCryptic()]
        case .notTheDailyPuzzle: throw .notTheDailyPuzzle
        }
    }

    func scanner() -> TextScanner { TextScanner(text, from: body.lowerBound, to: body.upperBound) }

    /// The end of the line at `position`.
    func lineEnd(_ position: Int) -> Int {
        var index = position
        while index < body.upperBound, text[index] != "\n" { index += 1 }
        return index
    }

    // MARK: Phrases

    func phrase(_ patterns: [SharePattern]) throws(ShareFault) -> ResultReading {
        if captures.isLost { return finishLost(captures, end: body.lowerBound) }
        let near = body.lowerBound..<min(body.upperBound, body.lowerBound + 700)
        var found: SharePattern.Match?
        for pattern in patterns {
            if let match = pattern.firstMatch(text, in: near) {
                found = match
                break
            }
        }
        guard let found else { throw .missingScore }
        var merged = found.captures
        merged.day = found.captures.day ?? captures.day
        merged.hints = found.captures.hints ?? captures.hints
        merged.score = found.captures.score ?? captures.score
        return try finish(merged, end: found.end)
    }

    private func finish(_ captures: SharePattern.Captures, end: Int) throws(ShareFault) -> ResultReading {
        if let fault = captures.fault { throw fault }
        if captures.isLost { return finishLost(captures, end: end) }
        guard let score = captures.score ?? captures.seconds else { throw .missingScore }
        return ResultReading(
            score: score, seconds: captures.seconds, hints: captures.hints, maxAttempts: captures.maximum,
            day: captures.day, end: end)
    }

    private func finishLost(_ captures: SharePattern.Captures, end: Int) -> ResultReading {
        ResultReading(
            score: nil, isCompleted: false, hints: captures.hints, maxAttempts: captures.maximum, day: captures.day,
            end: end)
    }

    // MARK: Fractions

    private func fraction(_ format: FractionFormat) throws(ShareFault) -> ResultReading {
        var scanner = scanner()
        if let label = format.label {
            let near = body.lowerBound..<min(body.upperBound, body.lowerBound + 200)
            guard let match = label.firstMatch(text, in: near) else { throw .missingScore }
            scanner.position = match.end
        }
        guard let found = try nearFraction(&scanner) else { throw .missingScore }
        if !format.maxima.isEmpty {
            guard let maximum = found.maximum, format.maxima.contains(maximum) else { throw .impossibleScore }
        }
        if let winning = format.winningRow, isLostByGrid(winning, from: scanner.position) {
            return ResultReading(score: nil, isCompleted: false, maxAttempts: found.maximum, end: scanner.position)
        }
        var reading = ResultReading(end: scanner.position)
        reading.maxAttempts = found.maximum
        reading.day = captures.day
        reading.isHardMode = captures.isHardMode || isHardMode(found, scanner.position)
        switch found.tries {
        case .lost: reading.isCompleted = false
        case .count(0) where format.zero == .loss: reading.isCompleted = false
        case .count(let count):
            if count == 0, format.zero == .impossible { throw .impossibleScore }
            reading.score = count
        }
        return reading
    }

    /// A fraction at the scanner, or after a few marks that are neither words nor squares.
    private func nearFraction(_ scanner: inout TextScanner) throws(ShareFault) -> TextScanner.Fraction? {
        for _ in 0..<32 {
            if let fraction = try scanner.fraction() { return fraction }
            guard let scalar = scanner.current, !scalar.isWordPart, !scalar.isSquare else { return nil }
            scanner.position += 1
        }
        return nil
    }

    /// `*` is hard mode, unless it closes bold text that opened before the head.
    private func isHardMode(_ fraction: TextScanner.Fraction, _ end: Int) -> Bool {
        guard fraction.isStarred else { return false }
        var closing = 0
        while end + closing < body.upperBound, text[end + closing] == "*" { closing += 1 }
        var opening = 0
        while head.start - opening > 0, text[head.start - opening - 1] == "*" { opening += 1 }
        return closing > opening
    }

    /// Some games print a loss like a solve in the last try. A grid without the winning row reveals it.
    private func isLostByGrid(_ winning: (mark: Unicode.Scalar, count: Int), from start: Int) -> Bool {
        var hasGrid = false
        var index = start
        while index < body.upperBound {
            let end = lineEnd(index)
            for row in Self.gridRows(text[index..<end]) {
                if row.filter({ $0 == winning.mark }).count >= winning.count { return false }
                hasGrid = hasGrid || row.count >= 5
            }
            index = end + 1
        }
        return hasGrid
    }

    /// The rows in a line: its marks between blanks, or all of them if every mark is alone.
    private static func gridRows(_ line: ArraySlice<Unicode.Scalar>) -> [[Unicode.Scalar]] {
        let rows = line.split(separator: " ").map { $0.filter { $0.isSquare || gridMarks.contains($0) } }
        return rows.contains { $0.count > 1 } ? rows : [rows.flatMap { $0 }]
    }

    private static let gridMarks: [Unicode.Scalar] = ["🔴", "🟡", "🟢", "⚪", "⚫", "🐱", "🐸"]

    // MARK: Rows of squares

    private static let rowMarks: [Unicode.Scalar] = ["🟥", "🟩", "🟨", "🟧", "🟦", "🟪", "⬛", "⬜", "❌"]

    private func row(_ format: RowFormat) throws(ShareFault) -> ResultReading {
        var start = body.lowerBound
        var limit = min(body.upperBound, start + 200)
        if format.isBefore {
            let before = max(0, head.start - 60)
            if let found = text[before..<head.start].lastIndex(where: { Self.rowMarks.contains($0) }) {
                limit = found + 1
                start = max(before, text[..<found].lastIndex(of: "\n").map { $0 + 1 } ?? 0)
            }
        }
        let isMuted = text[start..<limit].contains("🔇")
        guard let first = text[start..<limit].firstIndex(where: { Self.rowMarks.contains($0) }) else {
            throw .missingScore
        }
        var index = first
        var marks: [Unicode.Scalar] = []
        while index < max(limit, min(body.upperBound, index + 60)),
            Self.rowMarks.contains(text[index]) || text[index] == " "
        {
            if text[index] != " " { marks.append(text[index]) }
            index += 1
        }
        // A shortened row directly after the head counts; after words it is a picture in a chat.
        let isNear = format.isBefore || !text[start..<first].contains(where: \.isWordPart)
        guard isNear || marks.count >= format.width else { throw .missingScore }
        let isCrossed = marks.contains("❌")
        marks.removeAll { $0 == "❌" }
        let end = format.isBefore ? body.lowerBound : index
        if isCrossed, marks.count == format.width - 1 { marks.append("🟥") }
        guard marks.count <= format.width else { throw .impossibleScore }
        // Some games end the row at the answer.
        if let position = marks.firstIndex(of: "🟩") { return dated(.won(position + 1, end: end)) }
        guard marks.count == format.width else { throw .unfinished }
        let isOpen = marks.last.map { format.unused.contains($0) } ?? true
        guard isCrossed || isMuted || !isOpen else { throw .unfinished }
        return dated(.lost(end: end))
    }

    func dated(_ reading: ResultReading) -> ResultReading {
        var reading = reading
        reading.day = captures.day
        return reading
    }

    // MARK: Times

    /// Skips marks, emoji and a label such as "Time:" between the head and a time.
    private func time() throws(ShareFault) -> ResultReading {
        if let seconds = captures.seconds { return timed(seconds, end: body.lowerBound) }
        var scanner = scanner()
        var labels = 0
        for _ in 0..<40 {
            if let seconds = try scanner.time() { return timed(seconds, end: scanner.position) }
            guard let scalar = scanner.current else { break }
            if scalar.isWordPart {
                guard labels == 0, skipLabel(&scanner) else { break }
                labels += 1
            } else {
                scanner.position += 1
            }
        }
        throw .missingScore
    }

    /// A word with a colon, or "in".
    private func skipLabel(_ scanner: inout TextScanner) -> Bool {
        if scanner.skip(["i", "n", " "]) { return true }
        let start = scanner.position
        while let scalar = scanner.current, scalar.isWordPart, scalar.digit == nil, scanner.position - start < 12 {
            scanner.position += 1
        }
        scanner.skipBlanks()
        return scanner.position > start && scanner.skip(":")
    }

    func timed(_ seconds: Int, end: Int) -> ResultReading {
        ResultReading(score: seconds, seconds: seconds, day: captures.day, end: end)
    }
}
