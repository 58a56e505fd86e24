extension DisplayText {
    /// As `validated`, for names of people and groups. Also nil if the text looks like a friend code or an ID: those
    /// identify people, so a name that looks like one could impersonate somebody.
    public static func validatedName(_ text: String, maximumLength: Int) -> String? {
        validated(text, maximumLength: maximumLength).flatMap { looksLikeCode($0) || looksLikeID($0) ? nil : $0 }
    }

    /// `7K3M-9QXT-42WJ`: three groups of four letters and digits, or twelve in a row with a letter after a digit.
    private static func looksLikeCode(_ text: String) -> Bool {
        let groups = text.unicodeScalars.map(folded).split { isSeparator($0) }
        guard groups.allSatisfy({ $0.allSatisfy(isLetterOrDigit) }) else { return false }
        let symbols = groups.flatMap { $0 }
        guard symbols.count == 12, let digit = symbols.firstIndex(where: isDigit) else { return false }
        return groups.map(\.count) == [4, 4, 4] || groups.count == 1 && symbols[digit...].contains { !isDigit($0) }
    }

    /// The beginning of an ID: eight hexadecimal digits or more, or four that are not all letters.
    private static func looksLikeID(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.map(folded)
        guard scalars.count >= 4, scalars.allSatisfy({ isDigit($0) || "a"..."f" ~= $0 || "A"..."F" ~= $0 }) else {
            return false
        }
        return scalars.count >= 8 || scalars.contains(where: isDigit)
    }

    /// A full-width letter or digit as the plain one it looks like.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        "\u{FF01}"..."\u{FF5E}" ~= scalar ? Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar : scalar
    }

    /// Whether a character may separate or surround the groups of a code.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isAlphabetic && scalar.properties.numericType == nil
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }
}
