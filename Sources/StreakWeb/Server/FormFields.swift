/// The fields of a form or query string, by name. Of equal names the last one counts.
struct FormFields: Sendable, Equatable {
    private var values: [String: String] = [:]

    init() {}

    /// Reads `application/x-www-form-urlencoded`. Nil for too many fields, broken escapes, or bytes that are not UTF-8.
    init?(parsing text: some StringProtocol) {
        let pairs = text.utf8.split(separator: UInt8(ascii: "&"))
        guard pairs.count <= WebLimit.formFields else { return nil }
        for pair in pairs {
            let halves = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = Self.decode(halves[0]), let value = halves.count > 1 ? Self.decode(halves[1]) : "" else {
                return nil
            }
            values[name] = value
        }
    }

    /// The fields of a form that carries files.
    init(_ parts: [(name: String, value: String)]) {
        for part in parts { values[part.name] = part.value }
    }

    /// The names of all fields, in alphabetical order.
    var names: [String] { values.keys.sorted() }

    /// A field's text, or nil where it is absent or empty.
    subscript(name: String) -> String? {
        guard let value = values[name], !value.isEmpty else { return nil }
        return value
    }

    /// Whether a checkbox is ticked or a button of this name was pressed.
    func isSet(_ name: String) -> Bool { self[name] != nil }

    /// A field that holds a whole number.
    func number(_ name: String) -> Int? { self[name].flatMap { Int($0.trimmingSpaces) } }

    private static func decode(_ bytes: some Collection<UInt8>) -> String? {
        var decoded: [UInt8] = []
        decoded.reserveCapacity(bytes.count)
        var iterator = bytes.makeIterator()
        while let byte = iterator.next() {
            switch byte {
            case UInt8(ascii: "+"): decoded.append(UInt8(ascii: " "))
            case UInt8(ascii: "%"):
                guard let high = iterator.next().flatMap(nibble), let low = iterator.next().flatMap(nibble) else {
                    return nil
                }
                decoded.append(high << 4 | low)
            default: decoded.append(byte)
            }
        }
        return String(validating: decoded, as: UTF8.self)
    }

    private static func nibble(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte - UInt8(ascii: "a") + 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte - UInt8(ascii: "A") + 10
        default: nil
        }
    }
}

/// A path of this site with its query.
struct PageLink {
    var path: String
    private var query = ""

    init(_ path: String) { self.path = path }

    /// The link with one more query field; nil adds nothing.
    func adding(_ name: String, _ value: String?) -> PageLink {
        guard let value else { return self }
        var link = self
        link.query += (query.isEmpty ? "?" : "&") + name + "=" + Self.encode(value)
        return link
    }

    var text: String { path + query }

    /// What `streakmesh open` takes has at most 4,096 bytes; each may be escaped.
    private static let maximumLocalSize = 3 * 4_096 + 256

    /// Whether a text is a path of this site and nothing else: no host, no scheme, no line break.
    static func isLocal(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.first == UInt8(ascii: "/"), bytes.count <= maximumLocalSize else { return false }
        if bytes.count > 1, bytes[1] == UInt8(ascii: "/") || bytes[1] == UInt8(ascii: "\\") { return false }
        return bytes.allSatisfy { (0x21...0x7E).contains($0) && $0 != UInt8(ascii: "\\") }
    }

    static func encode(_ text: String) -> String {
        let digits = Array("0123456789ABCDEF")
        var encoded = ""
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                encoded += "%"
                encoded.append(digits[Int(byte >> 4)])
                encoded.append(digits[Int(byte & 15)])
            }
        }
        return encoded
    }
}

extension StringProtocol {
    /// The text without white space at its ends.
    var trimmingSpaces: String {
        var text = Substring(self)
        while let first = text.first, first.isWhitespace { text.removeFirst() }
        while let last = text.last, last.isWhitespace { text.removeLast() }
        return String(text)
    }
}
