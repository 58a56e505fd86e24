extension TextScanner {
    enum PrintedDate: Equatable {
        case day(PuzzleDay)
        /// A date whose order is unknown, or that has no year.
        case ambiguous
    }

    /// `1/17/2026`, `05.09.2024`, `2024-09-03`, `Aug 20, 2024`, `22 July, 2026`, `June 12th`.
    ///
    /// Throws for a date that does not exist or is after 2100.
    ///
    /// - Parameter order: the order of a date that is all digits; nil if the game prints it by the viewer's locale, in
    ///   which case it is certain only if one part is above 12.
    mutating func date(_ order: DateOrder?) throws(ShareFault) -> PrintedDate? {
        let start = position
        guard !(previous?.isWordPart ?? false) else { return nil }
        if let date = try numericDate(order) { return date }
        if let date = try textDate() { return date }
        position = start
        return nil
    }

    private mutating func numericDate(_ order: DateOrder?) throws(ShareFault) -> PrintedDate? {
        let start = position
        guard let first = plainDigits(atMost: 4), let mark = current, mark == "/" || mark == "." || mark == "-" else {
            position = start
            return nil
        }
        position += 1
        guard let second = plainDigits(atMost: 2), skip(mark), let third = plainDigits(atMost: 4),
            current?.digit == nil
        else {
            position = start
            return nil
        }
        if first > 99 { return .day(try day(first, second, third)) }
        let year = third < 100 ? 2000 + third : third
        switch order {
        case .monthFirst: return .day(try day(year, first, second))
        case .dayFirst: return .day(try day(year, second, first))
        case nil:
            if first > 12 { return .day(try day(year, second, first)) }
            if second > 12 { return .day(try day(year, first, second)) }
            _ = try day(year, first, second)
            return .ambiguous
        }
    }

    private mutating func textDate() throws(ShareFault) -> PrintedDate? {
        let start = position
        var dayNumber = plainDigits(atMost: 2)
        if dayNumber != nil { skipOrdinal() }
        guard let month = month() else {
            position = start
            return nil
        }
        if dayNumber == nil {
            skipDateMarks()
            dayNumber = plainDigits(atMost: 2)
            skipOrdinal()
        }
        guard let dayNumber else {
            position = start
            return nil
        }
        let beforeYear = position
        skipDateMarks()
        guard let year = plainDigits(atMost: 4), year > 999 else {
            position = beforeYear
            guard 1...31 ~= dayNumber else { throw .impossibleDate }
            return .ambiguous
        }
        return .day(try day(year, month, dayNumber))
    }

    private func day(_ year: Int, _ month: Int, _ day: Int) throws(ShareFault) -> PuzzleDay {
        guard let result = PuzzleDay(year: year, month: month, day: day), result <= Game.lastPuzzleDay, year >= 2000
        else { throw .impossibleDate }
        return result
    }

    private mutating func skipDateMarks() {
        while let scalar = current, scalar == " " || scalar == "," || scalar == "." { position += 1 }
    }

    private mutating func skipOrdinal() {
        let start = position
        var letters: [Unicode.Scalar] = []
        while let scalar = current, scalar.isWordPart, letters.count < 3 {
            letters.append(scalar)
            position += 1
        }
        let isOrdinal = Self.ordinals.contains(letters)
        if !isOrdinal || (current?.isWordPart ?? false) { position = start }
        if current == "º" || current == "°" { position += 1 }
    }

    private static let ordinals: [[Unicode.Scalar]] = [["s", "t"], ["n", "d"], ["r", "d"], ["t", "h"], ["e", "r"]]

    private mutating func month() -> Int? {
        let start = position
        skipDateMarks()
        if skip(["d", "e", " "]) { skipDateMarks() }
        var letters: [Unicode.Scalar] = []
        while let scalar = current, "a"..."z" ~= scalar, letters.count < 12 {
            letters.append(scalar)
            position += 1
        }
        guard letters.count >= 3, let month = Self.months.first(where: { letters.starts(with: $0.prefix) })?.month
        else {
            position = start
            return nil
        }
        return month
    }

    /// The beginnings of month names in English, French, Spanish, Portuguese, Italian and German, without accents.
    private static let months: [(prefix: [Unicode.Scalar], month: Int)] = [
        ("jan", 1), ("ene", 1), ("gen", 1), ("feb", 2), ("fev", 2), ("mar", 3), ("apr", 4), ("avr", 4), ("abr", 4),
        ("may", 5), ("mai", 5), ("mag", 5), ("jun", 6), ("juin", 6), ("giu", 6), ("jul", 7), ("juil", 7), ("lug", 7),
        ("aug", 8), ("aou", 8), ("ago", 8), ("sep", 9), ("set", 9), ("oct", 10), ("okt", 10), ("ott", 10),
        ("out", 10), ("nov", 11), ("dec", 12), ("dez", 12), ("dic", 12),
    ].map { (Array($0.0.unicodeScalars), $0.1) }
}

extension PuzzleDay {
    /// Reads a date with a named month: `Oct 3, 2026`, `3 octobre 2026`, `Sat, 3-Oct-2026`; `nil` for anything else.
    ///
    /// Knows months in English, French, Spanish, Portuguese, Italian and German. At most 60 UTF-8 bytes.
    public init?(namingMonth text: String) {
        guard text.utf8.count <= 60 else { return nil }
        let scalars = PastedText(text).scalars.map { $0 == "-" ? " " : $0 }
        var scanner = TextScanner(scalars, from: 0, to: scalars.count)
        for _ in 0..<2 {
            // A date that does not exist is treated like no date.
            if case .day(let day)? = try? scanner.date(nil) {
                scanner.skipBlanks()
                guard scanner.current == nil, scalars.contains(where: { "a"..."z" ~= $0 }) else { return nil }
                self = day
                return
            }
            // The name of the weekday may come first.
            while scanner.current?.isWordPart ?? false { scanner.position += 1 }
            while let scalar = scanner.current, !scalar.isWordPart { scanner.position += 1 }
        }
        return nil
    }
}
