import StreakGames

/// The rows of a file of results in either format.
struct ResultFile {
    private let bytes: [UInt8]
    private let isJSON: Bool
    private let needsGame: Bool

    /// Refuses files that are too large, empty or not text. A game column is required unless the caller names the game.
    init(_ bytes: [UInt8], needsGame: Bool) throws(ImportFault) {
        guard bytes.count <= ResultImport.maximumFileSize else { throw .tooLarge }
        self.bytes = try FileText.utf8(bytes)
        self.needsGame = needsGame
        let blanks: [UInt8] = [UInt8(ascii: " "), 9, 10, 13]
        guard let first = self.bytes.first(where: { !blanks.contains($0) }) else { throw .empty }
        isJSON = first == UInt8(ascii: "{") || first == UInt8(ascii: "[")
    }

    /// Calls `body` with each row in turn.
    func forEachRow(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        if isJSON {
            var reader = ResultJSONReader(bytes)
            try reader.forEachRow(body)
        } else {
            try forEachRecord(body)
        }
    }

    /// The order of day and month in the whole file's dates; `nil` if no date decides it.
    func dateOrder() throws(ImportFault) -> DateOrder? {
        var dayFirst: Int?
        var monthFirst: Int?
        try forEachRow { (row: ResultRow) throws(ImportFault) -> Void in
            switch PrintedDate(row[.date])?.order {
            case .dayFirst: dayFirst = dayFirst ?? row.element ?? row.line
            case .monthFirst: monthFirst = monthFirst ?? row.element ?? row.line
            case nil: break
            }
        }
        if let dayFirst, let monthFirst {
            throw .contradictoryDates(dayFirst: dayFirst, monthFirst: monthFirst, areElements: isJSON)
        }
        if dayFirst != nil { return .dayFirst }
        return monthFirst == nil ? nil : .monthFirst
    }

    // MARK: CSV

    private func forEachRecord(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        var reader = try csvReader()
        var columns: [ResultColumn?]?
        var row = ResultRow()
        while try reader.advance() {
            guard !reader.isBlank else { continue }
            guard let columns else {
                columns = try headings(of: reader)
                continue
            }
            row.clear(line: reader.recordLine)
            if reader.isTooLong { row.fault = .tooLong }
            for index in 0..<min(columns.count, reader.fieldCount) {
                guard let column = columns[index] else { continue }
                row[column] = FormulaGuard.unguarded(String(decoding: reader.field(index), as: UTF8.self))
            }
            try body(row)
        }
        if columns == nil { throw .empty }
    }

    private func headings(of reader: CSVReader) throws(ImportFault) -> [ResultColumn?] {
        let texts = (0..<reader.fieldCount).map { String(decoding: reader.field($0).prefix(100), as: UTF8.self) }
        let columns = ResultColumn.columns(forHeadings: texts)
        if needsGame, !columns.contains(.game) { throw .missingColumn(.game) }
        if !columns.contains(.date), !columns.contains(.puzzle) { throw .missingColumn(.date) }
        if !columns.contains(where: { $0 == .score || $0 == .completed || $0 == .seconds || $0 == .hints }) {
            throw .missingColumn(.score)
        }
        return columns
    }

    /// The separator is the one most frequent in the first line, or the one in Excel's line "sep=;".
    private func csvReader() throws(ImportFault) -> CSVReader {
        let separators = [UInt8(ascii: ","), UInt8(ascii: ";"), 9]
        let begin = bytes.firstIndex { $0 != 10 && $0 != 13 } ?? 0
        let line = bytes[begin...].prefix(ResultImport.maximumCellSize).prefix { $0 != 10 && $0 != 13 }
        if line.count == 5, line.starts(with: "sep=".utf8), let last = line.last, separators.contains(last) {
            return CSVReader(bytes, from: line.endIndex, separator: last)
        }
        var counts = [0, 0, 0]
        var isQuoted = false
        for byte in line {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if !isQuoted, let index = separators.firstIndex(of: byte) { counts[index] += 1 }
        }
        let most = counts.firstIndex(of: counts.max() ?? 0) ?? 0
        return CSVReader(bytes, from: 0, separator: separators[most])
    }
}
