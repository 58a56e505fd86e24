/// The text of files that people save: UTF-8 with or without a byte order mark, or UTF-16 with one, as spreadsheets
/// write.
public enum FileText {
    /// The same text as UTF-8 without a byte order mark. Throws `notUTF8` for any other encoding, such as UTF-16
    /// without its mark, or UTF-32. O(n).
    public static func utf8(_ bytes: [UInt8]) throws(ImportFault) -> [UInt8] {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { return try checked(Array(bytes.dropFirst(3))) }
        if bytes.starts(with: [0xFF, 0xFE]) { return try fromUTF16(bytes, isBigEndian: false) }
        if bytes.starts(with: [0xFE, 0xFF]) { return try fromUTF16(bytes, isBigEndian: true) }
        return try checked(bytes)
    }

    private static func fromUTF16(_ bytes: [UInt8], isBigEndian: Bool) throws(ImportFault) -> [UInt8] {
        guard bytes.count.isMultiple(of: 2) else { throw .notUTF8 }
        let (high, low) = isBigEndian ? (0, 1) : (1, 0)
        let units = stride(from: 2, to: bytes.count, by: 2).map {
            UInt16(bytes[$0 + high]) << 8 | UInt16(bytes[$0 + low])
        }
        guard let text = String(validating: units, as: UTF16.self) else { throw .notUTF8 }
        return try checked(Array(text.utf8))
    }

    private static func checked(_ bytes: [UInt8]) throws(ImportFault) -> [UInt8] {
        // UTF-16 without a mark, and UTF-32, have a NUL among the first four bytes of any heading.
        guard !bytes.prefix(4).contains(0), String(validating: bytes, as: UTF8.self) != nil else { throw .notUTF8 }
        return bytes
    }
}
