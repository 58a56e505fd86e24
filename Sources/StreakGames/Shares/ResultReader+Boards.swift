extension ResultReader {
    /// Quordle, Octordle: 4️⃣, 🔟, 🕚 … 🕒, 🟥 for a lost board, or plain digits on lines of their own. Without any of
    /// these, the sum that Octordle prints.
    func boards(_ count: Int, _ highest: Int) throws(ShareFault) -> ResultReading {
        var scanner = scanner()
        var cells: [Int?] = []
        var hasKeys = false
        var words = 0
        while cells.count < count, let scalar = scanner.current {
            if let value = Self.boardKey(scalar) {
                hasKeys = true
                cells.append(value)
                scanner.position += 1
            } else if scalar == "🟥" {
                hasKeys = true
                cells.append(nil)
                scanner.position += 1
            } else if scalar.isBlank || cells.isEmpty && Self.marks.contains(scalar) {
                scanner.position += 1
            } else if !hasKeys, let value = scanner.plainDigits(atMost: 2), !(scanner.current?.isWordPart ?? false) {
                cells.append(value)
            } else if hasKeys, words < 60 {
                words += 1  // chat between the boards
                scanner.position += 1
            } else {
                break
            }
        }
        if cells.isEmpty { return try printedSum(of: count, highest) }
        guard cells.count == count else { throw .unfinished }
        guard cells.allSatisfy({ $0.map { 1...highest ~= $0 } ?? true }) else { throw .impossibleScore }
        if cells.contains(nil) { return .lost(end: scanner.position) }
        return .won(cells.reduce(0) { $0 + ($1 ?? 0) }, end: scanner.position)
    }

    private static let sum = SharePattern("score: {s}")

    /// Each board is solved by a different guess, so a sum above that of the last guesses means a lost board.
    private func printedSum(of count: Int, _ highest: Int) throws(ShareFault) -> ResultReading {
        let near = body.lowerBound..<min(body.upperBound, body.lowerBound + 200)
        guard let match = Self.sum.firstMatch(text, in: near), let sum = match.captures.score else {
            throw .missingScore
        }
        if let fault = match.captures.fault { throw fault }
        let most = (0..<count).reduce(0) { $0 + highest - $1 }
        return sum > most ? .lost(end: match.end) : .won(sum, end: match.end)
    }

    /// Marks that close a head in bold or italics.
    private static let marks: [Unicode.Scalar] = ["*", "_", "~", "|", "`"]

    private static func boardKey(_ scalar: Unicode.Scalar) -> Int? {
        switch scalar {
        case "🔟": 10
        case "🕚": 11
        case "🕛": 12
        case "🕐": 13
        case "🕑": 14
        case "🕒": 15
        default: scalar.keycap
        }
    }

    /// Sedecordle: 1️⃣3️⃣ is one board, 🟥🟥 a lost one. The head "Daily #359" needs the game's tag or its ⬛ column.
    func pairedBoards(_ count: Int, _ highest: Int) throws(ShareFault) -> ResultReading {
        let tag = PastedText.folded("sedecordle")
        let isTagged = contains(tag, in: max(0, head.start - 20)..<min(body.upperBound, body.lowerBound + 400))
        var scanner = scanner()
        var cells: [Int?] = []
        var hasColumn = false
        while cells.count < count, let scalar = scanner.current {
            if let tens = scalar.keycap, let ones = scanner.peek(1)?.keycap {
                cells.append(tens * 10 + ones)
                scanner.position += 2
            } else if scalar == "🟥", scanner.peek(1) == "🟥" {
                cells.append(nil)
                scanner.position += 2
            } else if scalar.isBlank || cells.isEmpty && Self.marks.contains(scalar) {
                scanner.position += 1
            } else if scalar == "⬛" || scalar == "⬜" {
                hasColumn = true
                scanner.position += 1
            } else {
                break
            }
        }
        guard isTagged || hasColumn, !cells.isEmpty else { throw .missingScore }
        guard cells.count == count else { throw .unfinished }
        guard cells.allSatisfy({ $0.map { 1...highest ~= $0 } ?? true }) else { throw .impossibleScore }
        if cells.contains(nil) { return .lost(end: scanner.position) }
        return .won(cells.compactMap { $0 }.max(), end: scanner.position)
    }

    func contains(_ word: [Unicode.Scalar], in range: Range<Int>) -> Bool {
        guard range.count >= word.count else { return false }
        for start in range.lowerBound...(range.upperBound - word.count) where text[start] == word[0] {
            if text[start..<(start + word.count)].elementsEqual(word) { return true }
        }
        return false
    }

    /// Dordle: `4&6/7`, `X&5/7`.
    func dordle() throws(ShareFault) -> ResultReading {
        var scanner = scanner()
        scanner.skipBlanks(lines: 2)
        var boards: [Int?] = []
        for mark: Unicode.Scalar in ["&", "/"] {
            if scanner.skip("x") {
                boards.append(nil)
            } else if let value = scanner.keys() ?? scanner.plainDigits(atMost: 2) {
                boards.append(value)
            } else {
                throw .missingScore
            }
            scanner.skipBlanks()
            guard scanner.skip(mark) else { throw .missingScore }
            scanner.skipBlanks()
        }
        guard (scanner.keys() ?? scanner.plainDigits(atMost: 2)) == 7 else { throw .impossibleScore }
        guard boards.allSatisfy({ $0.map { 1...7 ~= $0 } ?? true }) else { throw .impossibleScore }
        if boards.contains(nil) { return .lost(end: scanner.position) }
        return .won(boards.reduce(0) { $0 + ($1 ?? 0) }, end: scanner.position)
    }

    // MARK: Connections

    private static let connectionColours: [Unicode.Scalar] = ["🟨", "🟩", "🟦", "🟪"]

    /// Rows of four guesses; four of a colour solve it, four mixed rows lose the puzzle.
    func connections() throws(ShareFault) -> ResultReading {
        var solved: Set<Unicode.Scalar> = []
        var rows = 0
        var mistakes = 0
        var lineStart = body.lowerBound
        while lineStart < body.upperBound {
            let lineEnd = lineEnd(lineStart)
            let squares = text[lineStart..<lineEnd].filter { Self.connectionColours.contains($0) }
            let isOver = solved.count == 4 || mistakes == 4
            if isOver {
                if text[lineStart..<lineEnd].allSatisfy(\.isBlank), lineEnd < body.upperBound {
                    lineStart = lineEnd + 1
                    continue
                }
                // A fifth mistake or a fifth group directly below is impossible.
                if squares.count >= 4 { throw .impossibleScore }
                break
            }
            guard squares.count.isMultiple(of: 4) else {
                if squares.count < 4, text[lineStart..<lineEnd].contains(where: \.isWordPart) {
                    lineStart = lineEnd + 1  // chat that mentions a colour
                    continue
                }
                throw .impossibleScore
            }
            var index = squares.startIndex
            while index < squares.endIndex {
                guard solved.count < 4, mistakes < 4 else { throw .impossibleScore }
                let row = squares[index..<(index + 4)]
                index += 4
                rows += 1
                if let colour = row.first, row.allSatisfy({ $0 == colour }) {
                    guard solved.insert(colour).inserted else { throw .impossibleScore }
                } else {
                    mistakes += 1
                }
            }
            lineStart = lineEnd + 1
        }
        guard rows > 0 else { throw .missingScore }
        let end = min(lineStart, body.upperBound)
        if mistakes == 4 { return .lost(end: end) }
        guard solved.count == 4 else { throw .unfinished }
        return .won(rows, end: end)
    }
}
