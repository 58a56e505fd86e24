/// Reads JSON from the front, value by value, strictly by RFC 8259. Skips unrequested values, nested at most
/// `maximumDepth` deep.
struct JSONScanner {
    private static let maximumDepth = 16
    /// Of a longer string only the beginning is kept, in UTF-8 bytes.
    private static let maximumStringSize = ResultImport.maximumCellSize

    private let bytes: [UInt8]
    private var position = 0
    /// The current line, from 1.
    private(set) var line = 1
    /// The number of the result that is being read, from 1; nil beside results.
    var element: Int?

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// What is wrong where the scanner stands.
    var malformed: ImportFault {
        position < bytes.count ? .malformed(line: line, element: element) : .cutOff(line: line, element: element)
    }

    /// The next byte that is not blank. Does not consume it.
    mutating func peek() -> UInt8? {
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

    mutating func skip(_ mark: Unicode.Scalar) -> Bool {
        guard peek() == UInt8(ascii: mark) else { return false }
        position += 1
        return true
    }

    mutating func expect(_ mark: Unicode.Scalar) throws(ImportFault) {
        guard skip(mark) else { throw malformed }
    }

    /// The next key of an object and its colon; `nil` at the closing brace, which it consumes.
    mutating func nextKey(isFirst: inout Bool) throws(ImportFault) -> String? {
        if skip("}") { return nil }
        if !isFirst { try expect(",") }
        isFirst = false
        let (key, isCut) = try string()
        guard !isCut else { throw malformed }
        try expect(":")
        return key
    }

    mutating func skipValue(depth: Int) throws(ImportFault) {
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

    /// `true`, `false` or a number as written; empty for `null`.
    mutating func scalar() throws(ImportFault) -> String {
        _ = peek()
        for word in ["true", "false", "null"] where bytes[position...].starts(with: word.utf8) {
            position += word.utf8.count
            return word == "null" ? "" : word
        }
        return try number()
    }

    mutating func number() throws(ImportFault) -> String {
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

    /// A string, and whether it was cut.
    mutating func string() throws(ImportFault) -> (text: String, isCut: Bool) {
        try expect("\"")
        var text: [UInt8] = []
        var isCut = false
        while let byte = current {
            position += 1
            switch byte {
            case UInt8(ascii: "\""):
                // Only a cut can have produced invalid text.
                guard let valid = String(validating: text, as: UTF8.self) else { return ("", true) }
                return (valid, isCut)
            case 0..<0x20:
                throw malformed
            case UInt8(ascii: "\\"):
                let scalar = try escaped()
                isCut = isCut || text.count >= Self.maximumStringSize
                if !isCut { text.append(contentsOf: String(scalar).utf8) }
            default:
                isCut = isCut || text.count >= Self.maximumStringSize
                if !isCut { text.append(byte) }
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
        // A surrogate must be followed by the second of the pair.
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
        // The initialiser alone would accept a sign.
        guard digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
            let unit = UInt32(String(decoding: digits, as: UTF8.self), radix: 16)
        else { throw malformed }
        position += 4
        return unit
    }
}
