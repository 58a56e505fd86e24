extension DisplayText {
    /// The same for what a person or a group is called: nil also where the text looks like a friend code or an ID. Those
    /// say who somebody is; whoever bore one as a name could be taken for somebody else.
    public static func validatedName(_ text: String, maximumLength: Int) -> String? {
        validated(text, maximumLength: maximumLength).flatMap { looksLikeCode($0) || looksLikeID($0) ? nil : $0 }
    }

    /// `7K3M-9QXT-42WJ`: three groups of four letters and digits, or twelve in a row of which a letter stands behind a digit.
    private static func looksLikeCode(_ text: String) -> Bool {
        let groups = text.unicodeScalars.split { isSeparator($0) }
        guard groups.allSatisfy({ $0.allSatisfy(isLetterOrDigit) }) else { return false }
        let symbols = groups.flatMap { $0 }
        guard symbols.count == 12, let digit = symbols.firstIndex(where: isDigit) else { return false }
        return groups.map(\.count) == [4, 4, 4] || groups.count == 1 && symbols[digit...].contains { !isDigit($0) }
    }

    /// The beginning of an ID: eight hexadecimal digits or more, or four that are not all letters.
    private static func looksLikeID(_ text: String) -> Bool {
        let scalars = text.unicodeScalars
        guard scalars.count >= 4, scalars.allSatisfy({ isDigit($0) || "a"..."f" ~= $0 || "A"..."F" ~= $0 }) else {
            return false
        }
        return scalars.count >= 8 || scalars.contains(where: isDigit)
    }

    /// Whatever stands between the groups of a code, also what only looks like a hyphen.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.isWhitespace || scalar.properties.generalCategory == .dashPunctuation || scalar == "\u{2212}"
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }
}
