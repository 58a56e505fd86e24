/// Reads results from JSON: the format of `ResultExport`, the output of `streakmesh results --json`, or an array of
/// objects.
///
/// The results are an array, or the `results` of an object whose `version` may be missing. Unknown keys are skipped.
struct ResultJSONReader {
    private var scanner: JSONScanner

    init(_ bytes: [UInt8]) { scanner = JSONScanner(bytes) }

    /// Calls `body` with each result.
    mutating func forEachRow(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        if scanner.peek() == UInt8(ascii: "[") {
            try readResults(body)
        } else {
            try readDocument(body)
        }
        guard scanner.peek() == nil else { throw scanner.malformed }
    }

    private mutating func readDocument(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        var isVersionKnown = false
        var hasResults = false
        try scanner.expect("{")
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            switch key {
            case "version":
                guard !isVersionKnown, try scanner.scalar() == "\(ResultExport.version)" else { throw .unknownVersion }
                isVersionKnown = true
            case "results" where scanner.peek() == UInt8(ascii: "["):
                guard !hasResults else { throw scanner.malformed }
                hasResults = true
                try readResults(body)
            default:
                try scanner.skipValue(depth: 1)
            }
        }
        guard hasResults else { throw .noResults }
    }

    private mutating func readResults(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        try scanner.expect("[")
        if scanner.skip("]") { return }
        var row = ResultRow()
        var count = 0
        repeat {
            guard let mark = scanner.peek() else { throw scanner.malformed }
            guard mark == UInt8(ascii: "{") else { throw .noResults }
            count += 1
            scanner.element = count
            row.clear(line: scanner.line, element: count)
            try readResult(into: &row)
            scanner.element = nil
            try body(row)
        } while scanner.skip(",")
        try scanner.expect("]")
    }

    private mutating func readResult(into row: inout ResultRow) throws(ImportFault) {
        try scanner.expect("{")
        var isFirst = true
        var seen: Set<ResultColumn> = []
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            guard let column = Self.columns[key] else {
                try scanner.skipValue(depth: 2)
                continue
            }
            if !seen.insert(column).inserted { row.fault = .contradictory(column) }
            switch scanner.peek() {
            case UInt8(ascii: "\""):
                let (text, isCut) = try scanner.string()
                row[column] = text
                if isCut { row.fault = .tooLong }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                row.fault = .unreadable(column, "")
                try scanner.skipValue(depth: 2)
            default:
                row[column] = try scanner.scalar()
            }
        }
    }

    /// The keys of an export and of our other JSON. A table's many synonyms would not do, because our JSON has both
    /// `points` and `score`.
    private static let columns: [String: ResultColumn] = {
        var columns: [String: ResultColumn] = ["day": .date, "gameName": .name]
        for column in ResultColumn.allCases { columns[column.title] = column }
        return columns
    }()
}
