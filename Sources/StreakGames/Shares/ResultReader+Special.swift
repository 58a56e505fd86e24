extension ResultReader {
    // MARK: New York Times

    /// Strands: a theme in quotes, then one emoji for each word; 💡 is a hint. Holiday puzzles use other emoji for the
    /// words.
    func strands() throws(ShareFault) -> ResultReading {
        var scanner = scanner()
        scanner.skipBlanks(lines: 3)
        if let quote = scanner.current, Self.quotes.contains(quote) {
            scanner.position = endOfTheme(from: scanner.position)
        } else if let first = text[scanner.position..<body.upperBound].firstIndex(where: { $0.isPictograph }),
            first - scanner.position <= 120
        {
            scanner.position = first
        }
        var beads = 0
        var hints = 0
        var spangrams = 0
        while let scalar = scanner.current, scalar.isBlank || scalar.isPictograph {
            scanner.position += 1
            guard !scalar.isBlank else { continue }
            beads += 1
            if scalar == "💡" {
                hints += 1
            } else if scalar != "🔵" {
                spangrams += 1
            }
        }
        guard beads > 0 else { throw .missingScore }
        guard beads >= 4, spangrams > 0 else { throw .unfinished }
        var reading = ResultReading.won(hints, end: scanner.position)
        reading.hints = hints
        return reading
    }

    private static let quotes: [Unicode.Scalar] = ["\"", "“", "”", "„", "«", "»", "'"]

    /// The end of a theme: the first closing quote followed by nothing or by an emoji.
    private func endOfTheme(from start: Int) -> Int {
        let end = lineEnd(start)
        for index in start..<end where index > start && Self.quotes.contains(text[index]) {
            let next = text[(index + 1)..<end].first { $0 != " " }
            if next.map({ $0.isPictograph }) ?? true { return index + 1 }
        }
        return text[start..<end].lastIndex { Self.quotes.contains($0) }.map { $0 + 1 } ?? start
    }

    private static let beeScore: [SharePattern] = [
        SharePattern("score[:] {s}"), SharePattern("{s} (points|pts)"),
        SharePattern("(points|punkte|puntos|pontos)[:] {s}"),
    ]

    /// Spelling Bee: a block with "Score: 150", or a sentence with only the rank.
    func spellingBee() throws(ShareFault) -> ResultReading {
        if let score = captures.score { return .won(score, end: body.lowerBound) }
        let near = body.lowerBound..<min(body.upperBound, body.lowerBound + 200)
        for pattern in Self.beeScore {
            guard let match = pattern.firstMatch(text, in: near) else { continue }
            if let fault = match.captures.fault { throw fault }
            guard let score = match.captures.score else { throw .missingScore }
            return dated(.won(score, end: match.end))
        }
        // Only the sentence with a rank counts as played.
        guard captures.isPlayed else { throw .missingScore }
        return dated(.won(nil, end: body.lowerBound))
    }

    static let difficulties: [(name: [Unicode.Scalar], game: GameID)] = [
        (PastedText.folded("easy"), GameID(literal: "pips-easy")),
        (PastedText.folded("medium"), GameID(literal: "pips-medium")),
        (PastedText.folded("hard"), GameID(literal: "pips-hard")),
    ]

    private static let difficultyMarks: [(mark: Unicode.Scalar, game: GameID)] = zip(["🟢", "🟡", "🔴"], difficulties)
        .map { ($0, $1.game) }

    /// Pips: a difficulty and a time in either order. One head may have up to three of them.
    func pips() throws(ShareFault) -> [ResultReading] {
        var readings: [ResultReading] = []
        var scanner = scanner()
        var difficulty: GameID?
        var seconds: Int?
        var words = 0
        while let scalar = scanner.current, words < 3 {
            if let time = try scanner.time() {
                seconds = time
            } else if scalar.isWordPart {
                guard let found = Self.difficulties.first(where: { scanner.skip($0.name) }) else {
                    words += 1
                    while scanner.current?.isWordPart ?? false { scanner.position += 1 }
                    continue
                }
                difficulty = found.game
            } else {
                scanner.position += 1
                // A colour replaces or repeats the difficulty's name.
                if let mark = Self.difficultyMarks.first(where: { $0.mark == scalar })?.game, difficulty == nil,
                    !readings.contains(where: { $0.game == mark })
                {
                    difficulty = mark
                }
                continue
            }
            if let game = difficulty, let time = seconds {
                var reading = timed(time, end: scanner.position)
                reading.game = game
                if !readings.contains(where: { $0.game == game }) { readings.append(reading) }
                difficulty = nil
                seconds = nil
                words = 0
            }
        }
        guard !readings.isEmpty else { throw .missingScore }
        return readings
    }

    // MARK: LinkedIn

    /// Pinpoint: `(3/5)` after a row of 🤔 and 📌, or a list of percentages with 📌 at the winning one.
    func pinpoint() throws(ShareFault) -> ResultReading {
        let limit = min(body.upperBound, body.lowerBound + 400)
        var tries = (keys: 0, percentages: 0, doubts: 0)
        var isPinned = false
        var index = body.lowerBound
        while index < limit, !isPinned {
            switch text[index] {
            case "(":
                var inner = TextScanner(text, from: index + 1, to: limit)
                if let fraction = try inner.fraction() { return try pinpoint(fraction, end: inner.position) }
            case "🤔": tries.doubts += 1
            case "%":
                tries.percentages += 1
                if text[..<index].suffix(4).filter({ $0 != " " }).suffix(3).elementsEqual(["1", "0", "0"]) {
                    isPinned = true
                }
            case "📌":
                isPinned = true
                if tries.percentages == 0 { tries.doubts += 1 }
            case let scalar where scalar.keycap != nil: tries.keys += 1
            default: break
            }
            index += 1
        }
        if isPinned, tries.percentages == 0 {
            // "🤔 🤔 📌 ⬜ ⬜ (3/5)": the fraction after the row decides.
            var rest = TextScanner(text, from: index, to: limit)
            while let scalar = rest.current, !scalar.isWordPart, scalar != "\n" {
                rest.position += 1
                if scalar == "(", let fraction = try rest.fraction() {
                    return try pinpoint(fraction, end: rest.position)
                }
            }
        }
        return try pinpoint(used: max(tries.keys, tries.percentages, tries.doubts), isPinned: isPinned, end: index)
    }

    private func pinpoint(used: Int, isPinned: Bool, end: Int) throws(ShareFault) -> ResultReading {
        var scanner = scanner()
        scanner.skipBlanks()
        var printed: Int?
        if scanner.skip("|") || scanner.skip("-") || scanner.skip(":") {
            scanner.skipBlanks()
            printed = scanner.plainDigits(atMost: 3)
        }
        if let printed, !(1...5 ~= printed) { throw .impossibleScore }
        if isPinned || used == 0 {
            guard let score = printed ?? (isPinned ? used : nil) else { throw .missingScore }
            guard 1...5 ~= score else { throw .impossibleScore }
            return .won(score, end: max(end, scanner.position))
        }
        guard used >= 5 else { throw .unfinished }
        return .lost(end: end)
    }

    private func pinpoint(_ fraction: TextScanner.Fraction, end: Int) throws(ShareFault) -> ResultReading {
        guard fraction.maximum == 5 else { throw .impossibleScore }
        switch fraction.tries {
        case .lost: return .lost(end: end)
        case .count(let count):
            guard 1...5 ~= count else { throw .impossibleScore }
            return .won(count, end: end)
        }
    }

    // MARK: Travle, Globle

    /// Travle: `+3 (🎌) (1 hint)`; a loss prints `(2 away)` instead of `+3`, in the player's language.
    func travle() throws(ShareFault) -> ResultReading {
        var scanner = scanner()
        scanner.skipBlanks(lines: 1)
        var extra: Int?
        if scanner.skip("+") {
            guard let value = scanner.plainDigits(atMost: 3) else { throw .missingScore }
            extra = value
        }
        var hints: Int?
        var isAway = false
        var isPerfect = false
        var end = scanner.position
        scanner.skipBlanks(lines: 1)
        while scanner.skip("("), let close = text[scanner.position..<body.upperBound].prefix(60).firstIndex(of: ")") {
            scanner.skipBlanks()
            if let count = scanner.plainDigits(atMost: 3), scanner.current == " " {
                if extra == nil, !isAway { isAway = true } else { hints = count }
            } else if scanner.skip("?") {
                isAway = false  // "(?/10)" of the old format; the next group says how far away
            } else if scanner.current == "p" {
                isPerfect = true
            }
            scanner.position = close + 1
            end = scanner.position
            scanner.skipBlanks()
            if scanner.skip("+"), let value = scanner.plainDigits(atMost: 3) {
                extra = value
                scanner.skipBlanks()
            }
        }
        var reading = ResultReading(hints: hints, end: end)
        if isAway {
            reading.isCompleted = false
        } else if let score = extra ?? (isPerfect ? 0 : nil) {
            reading.score = score
        } else {
            throw .missingScore
        }
        return reading
    }

    private static let globleCount = SharePattern("today's guesses: {s}")

    /// Globle: coloured squares, the last one green, and "= 4" in most versions.
    func globle() throws(ShareFault) -> ResultReading {
        let limit = min(body.upperBound, body.lowerBound + 600)
        guard let first = text[body.lowerBound..<limit].firstIndex(where: { $0.isSquare }) else {
            // The shares of early 2022 had no squares.
            return dated(try phrase([Self.globleCount]))
        }
        var scanner = TextScanner(text, from: first, to: limit)
        var squares: [Unicode.Scalar] = []
        while let scalar = scanner.current, scalar.isSquare || scalar.isBlank {
            if scalar.isSquare { squares.append(scalar) }
            scanner.position += 1
        }
        if scanner.skip("=") {
            scanner.skipBlanks()
            guard case .value(let count) = scanner.number() else { throw .missingScore }
            return dated(.won(count, end: scanner.position))
        }
        guard squares.last == "🟩" else { throw .unfinished }
        return dated(.won(squares.count, end: scanner.position))
    }

    // MARK: Times in keys

    /// Murdle: marks, then the time in keycaps. Any ❌ means that the accusation failed.
    func murdle() throws(ShareFault) -> ResultReading {
        let limit = min(body.upperBound, body.lowerBound + 300)
        var digits: [Unicode.Scalar] = []
        var end = body.lowerBound
        for index in body.lowerBound..<limit {
            let scalar = text[index]
            if let key = scalar.keycap ?? scalar.digit, let digit = Unicode.Scalar(0x30 + UInt32(key)) {
                digits.append(digit)
            } else if scalar == ":", !digits.isEmpty {
                digits.append(":")
            } else if !digits.isEmpty {
                if digits.contains(":") { break }
                digits = []
            }
            end = index + 1
        }
        var clock = TextScanner(digits, from: 0, to: digits.count)
        guard let seconds = try clock.time() else { throw .missingScore }
        var reading = timed(seconds, end: end)
        if text[body.lowerBound..<limit].contains("❌") {
            reading.score = nil
            reading.isCompleted = false
        }
        return reading
    }

    /// Posterdle: seconds in keycaps after ⌛, then a row of six squares.
    func posterdle() throws(ShareFault) -> ResultReading {
        let limit = min(body.upperBound, body.lowerBound + 200)
        guard let glass = text[body.lowerBound..<limit].firstIndex(where: { $0 == "⌛" || $0 == "⏳" || $0 == "⏱" })
        else { throw .missingScore }
        var seconds = 0
        var digits = 0
        var index = glass + 1
        while index < limit {
            if let key = text[index].keycap ?? text[index].digit {
                digits += 1
                guard digits <= 6 else { throw .numberTooLarge }
                seconds = seconds * 10 + key
            } else if text[index] != " " || digits > 0 {
                break
            }
            index += 1
        }
        guard digits > 0 else { throw .missingScore }
        guard seconds > 0 else { throw .impossibleScore }
        let marks = text[index..<limit].filter { $0.isSquare }.prefix(6)
        guard marks.count == 6 else { throw .unfinished }
        var reading = timed(seconds, end: index)
        if !marks.contains("🟩") {
            reading.score = nil
            reading.isCompleted = false
        }
        return reading
    }

    // MARK: Counting marks

    /// DailyTens: ten answers, 🏆 or ❌.
    func dailyTens() throws(ShareFault) -> ResultReading {
        let limit = min(body.upperBound, body.lowerBound + 400)
        let marks = text[body.lowerBound..<limit].filter { $0 == "🏆" || $0 == "❌" }
        guard !marks.isEmpty else { throw .missingScore }
        guard marks.count == 10 else { throw marks.count < 10 ? .unfinished : .impossibleScore }
        return .won(marks.filter { $0 == "🏆" }.count, end: limit)
    }

    /// Weaver: one row of squares for each step; the last one is all green.
    func weaver() throws(ShareFault) -> ResultReading {
        let rows = squareRows(upTo: 200)
        // Words have four letters or more, so a lone square is not a row.
        guard let last = rows.last, last.count >= 3 else { throw .missingScore }
        guard last.allSatisfy({ $0 == "🟩" }) else { throw .unfinished }
        return .won(rows.count, end: text[body].lastIndex(where: \.isSquare).map { $0 + 1 } ?? body.upperBound)
    }

    /// TUSMO: `3/6`. A loss prints six rows and no fraction.
    func tusmo() throws(ShareFault) -> ResultReading {
        do throws(ShareFault) {
            guard let won = try read(.fraction(FractionFormat(maxima: [6]))).first else {
                throw ShareFault.missingScore
            }
            return won
        } catch {
            guard error == .missingScore else { throw error }
            let rows = squareRows(upTo: 12)
            guard let last = rows.last else { throw .missingScore }
            guard rows.count == 6, !last.allSatisfy({ $0 == "🟥" }) else { throw .unfinished }
            return ResultReading(score: nil, isCompleted: false, maxAttempts: 6, end: body.lowerBound)
        }
    }

    /// Rows of squares: runs of equal length between blanks, otherwise the squares of each line.
    private func squareRows(upTo maximum: Int) -> [[Unicode.Scalar]] {
        let runs = squares(separatedBy: { $0.isBlank }, upTo: maximum)
        if let width = runs.first?.count, width > 1, runs.allSatisfy({ $0.count == width }) { return runs }
        return squares(separatedBy: { $0 == "\n" }, upTo: maximum)
    }

    private func squares(separatedBy isSeparator: (Unicode.Scalar) -> Bool, upTo maximum: Int) -> [[Unicode.Scalar]] {
        var rows: [[Unicode.Scalar]] = []
        var row: [Unicode.Scalar] = []
        for scalar in text[body] where rows.count < maximum {
            if scalar.isSquare || scalar == "🟡" {
                row.append(scalar)
            } else if isSeparator(scalar), !row.isEmpty {
                rows.append(row)
                row = []
            }
        }
        return row.isEmpty ? rows : rows + [row]
    }

    private static let crypticHints: [SharePattern] = [
        // The dash distinguishes the result from a clue that mentions hints.
        SharePattern("{h} (hint|indice|hinweis|pista)[s|e] -"), SharePattern("no hint[s] -"),
        SharePattern("{h} (hint|indice|hinweis|pista)"), SharePattern("no hint"),
    ]

    /// Minute Cryptic: "2 hints – matched the community par".
    func minuteCryptic() throws(ShareFault) -> ResultReading {
        let near = body.lowerBound..<min(body.upperBound, body.lowerBound + 600)
        for pattern in Self.crypticHints {
            guard let match = pattern.firstMatch(text, in: near) else { continue }
            let hints = match.captures.hints ?? 0
            var reading = dated(.won(hints, end: match.end))
            reading.hints = hints
            return reading
        }
        throw .missingScore
    }
}
