/// Crockford's base32, for text that people read aloud and type. It has no I, L, O or U; case, hyphens and blanks do
/// not matter.
enum CrockfordBase32 {
    private static let digits = Array("0123456789ABCDEFGHJKMNPQRSTVWXYZ".utf8)

    /// Symbols of five bits, as text in groups of four with hyphens between.
    static func text(_ symbols: [UInt8]) -> String {
        var text: [UInt8] = []
        for (index, symbol) in symbols.enumerated() {
            if index > 0, index.isMultiple(of: 4) { text.append(UInt8(ascii: "-")) }
            text.append(digits[Int(symbol & 31)])
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Reads symbols as typed: O is 0, I and L are 1, hyphens and white space are skipped. O(length).
    ///
    /// - Throws: the first character that is not a symbol.
    static func symbols(_ text: String) throws(UnknownSymbol) -> [UInt8] {
        var symbols: [UInt8] = []
        for scalar in text.unicodeScalars where scalar != "-" && !scalar.properties.isWhitespace {
            guard let symbol = symbol(scalar) else { throw UnknownSymbol(scalar: scalar) }
            symbols.append(symbol)
        }
        return symbols
    }

    struct UnknownSymbol: Error {
        let scalar: Unicode.Scalar
    }

    private static func symbol(_ scalar: Unicode.Scalar) -> UInt8? {
        guard scalar.isASCII else { return nil }
        var byte = UInt8(scalar.value)
        if (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) { byte -= 0x20 }
        switch byte {
        case UInt8(ascii: "O"): byte = UInt8(ascii: "0")
        case UInt8(ascii: "I"), UInt8(ascii: "L"): byte = UInt8(ascii: "1")
        default: break
        }
        return digits.firstIndex(of: byte).map { UInt8($0) }
    }
}
