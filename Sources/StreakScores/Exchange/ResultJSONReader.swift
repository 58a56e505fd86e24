/// Reads the JSON form of `ResultExport`, and nothing more general. RFC 8259, strictly; values of unknown keys are
/// skipped, nested at most `maximumDepth` deep.
struct ResultJSONReader {
    private static let maximumDepth = 16

    private let bytes: [UInt8]
    private var position: Int
    private var line = 1

    init(_ bytes: [UInt8], from position: Int) {
        self.bytes = bytes
        self.position = position
    }

    /// Calls `body` with each object of `results`.
    mutating func forEachRow(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        var isVersionKnown = false
        var hasResults = false
        try expect("{")
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            switch key {
            case "version":
                guard !isVersionKnown, try number() == "\(ResultExport.version)" else { throw .unknownVersion }
                isVersionKnown = true
            case "results":
                guard !hasResults else { throw malformed }
                hasResults = true
                try readResults(body)
            default:
                try skipValue(depth: 1)
            }
        }
        guard isVersionKnown, hasResults, peek() == nil else { throw malformed }
    }

    private mutating func readResults(_ body: (ResultRow) throws(ImportFault) -> Void) throws(ImportFault) {
        try expect("[")
        if skip("]") { return }
        var row = ResultRow()
        repeat {
            _ = peek()
            row.clear(line: line)
            try readResult(into: &row)
            try body(row)
        } while skip(",")
        try expect("]")
    }

    private mutating func readResult(into row: inout ResultRow) throws(ImportFault) {
        try expect("{")
        var isFirst = true
        var seen: Set<ResultColumn> = []
        while let key = try nextKey(isFirst: &isFirst) {
            guard let column = Self.columns[key] else {
                try skipValue(depth: 2)
                continue
            }
            if !seen.insert(column).inserted { row.fault = .contradictory(column) }
            switch peek() {
            case UInt8(ascii: "\""):
                let (text, fault) = try string()
                row[column] = text
                if let fault { row.fault = fault }
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                row.fault = .unreadable(column, "")
                try skipValue(depth: 2)
            default:
                row[column] = try scalar()
            }
        }
    }

    private static let columns: [String: ResultColumn] = {
        var columns: [String: ResultColumn] = [:]
        for column in ResultColumn.allCases { columns[column.title] = column }
        return columns
    }()

    // MARK: Grammar

    private var malformed: ImportFault { .malformed(line: line) }

    /// The next byte that is no blank, which is not consumed.
    private mutating func peek() -> UInt8? {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: " "), 9, 13: break
            case 10: line += 1
            case let byte: return byte
            }
            position += 1
        }
        return nil
    }

    private mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    private mutating func expect(_ mark: Unicode.Scalar) throws(ImportFault) {
        guard skip(mark) else { throw malformed }
    }

    /// The next key of an object and its colon; `nil` at the closing brace, which is consumed.
    private mutating func nextKey(isFirst: inout Bool) throws(ImportFault) -> String? {
        if skip("}") { return nil }
        if !isFirst { try expect(",") }
        isFirst = false
        let (key, fault) = try string()
        guard fault == nil else { throw malformed }
        try expect(":")
        return key
    }

    private mutating func skipValue(depth: Int) throws(ImportFault) {
        guard depth < Self.maximumDepth else { throw malformed }
        switch peek() {
        case UInt8(ascii: "\""):
            _ = try string()
        case UInt8(ascii: "{"):
            position += 1
            var isFirst = true
            while try nextKey(isFirst: &isFirst) != nil { try skipValue(depth: depth + 1) }
        case UInt8(ascii: "["):
            position += 1
            if skip("]") { return }
            repeat { try skipValue(depth: depth + 1) } while skip(",")
            try expect("]")
        default:
            _ = try scalar()
        }
    }

    /// `true`, `false`, a number as written, or nothing for `null`.
    private mutating func scalar() throws(ImportFault) -> String {
        _ = peek()
        for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return word == "null" ? "" : word
        }
        return try number()
    }

    private mutating func number() throws(ImportFault) -> String {
        _ = peek()
        let start = position
        if current == UInt8(ascii: "-") { position += 1 }
        let whole = position
        try digits()
        if bytes[whole] == UInt8(ascii: "0"), position > whole + 1 { throw malformed }
        if current == UInt8(ascii: ".") {
            position += 1
            try digits()
        }
        if current == UInt8(ascii: "e") || current == UInt8(ascii: "E") {
            position += 1
            if current == UInt8(ascii: "+") || current == UInt8(ascii: "-") { position += 1 }
            try digits()
        }
        return String(decoding: bytes[start..<position].prefix(40), as: UTF8.self)
    }

    private var current: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func digits() throws(ImportFault) {
        let start = position
        while let byte = current, 0x30...0x39 ~= byte { position += 1 }
        guard position > start else { throw malformed }
    }

    // MARK: Strings

    /// A string, or why the result that states it must be refused.
    private mutating func string() throws(ImportFault) -> (text: String, fault: ImportRefusal?) {
        try expect("\"")
        var text: [UInt8] = []
        var fault: ImportRefusal?
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                guard let valid = String(validating: text, as: UTF8.self) else { return ("", fault ?? .tooLong) }
                return (valid, fault)
            case 0..<0x20:
                throw malformed
            case UInt8(ascii: "\\"):
                let scalar = try escaped()
                if text.count < ResultImport.maximumCellSize { text.append(contentsOf: String(scalar).utf8) }
            default:
                if text.count < ResultImport.maximumCellSize { text.append(byte) } else { fault = .tooLong }
            }
        }
        throw malformed
    }

    private mutating func escaped() throws(ImportFault) -> Unicode.Scalar {
        guard let byte = current else { throw malformed }
        position += 1
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return Unicode.Scalar(byte)
        case UInt8(ascii: "b"): return "\u{8}"
        case UInt8(ascii: "f"): return "\u{C}"
        case UInt8(ascii: "n"): return "\n"
        case UInt8(ascii: "r"): return "\r"
        case UInt8(ascii: "t"): return "\t"
        case UInt8(ascii: "u"): break
        default: throw malformed
        }
        let unit = try fourDigits()
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // A surrogate: the second of the pair has to follow.
        guard unit < 0xDC00, bytes[position...].starts(with: "\\u".utf8) else { throw malformed }
        position += 2
        let second = try fourDigits()
        guard 0xDC00..<0xE000 ~= second,
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + (second - 0xDC00))
        else { throw malformed }
        return scalar
    }

    private mutating func fourDigits() throws(ImportFault) -> UInt32 {
        guard bytes.count - position >= 4 else { throw malformed }
        let digits = bytes[position..<position + 4]
        // The initialiser alone would take a sign.
        guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed }
        position += 4
        return unit
    }
}
