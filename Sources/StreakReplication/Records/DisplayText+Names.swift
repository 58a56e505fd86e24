extension DisplayText {
    /// As `validated`, for titles of groups and names of machines. Also nil if the text looks like a friend code or an ID: those identify people,
    /// so a text that looks like one could impersonate somebody.
    public static func validatedTitle(_ text: String, maximumLength: Int) -> String? {
        validated(text, maximumLength: maximumLength).flatMap { looksLikeCode($0) || looksLikeID($0) ? nil : $0 }
    }

    /// As `validatedTitle`, for names of people. Also nil for “you”, as which the reader is shown, and for an end such as
    /// “ (M9PJ)”, by which people of one name are told apart.
    public static func validatedName(_ text: String, maximumLength: Int) -> String? {
        validatedTitle(text, maximumLength: maximumLength).flatMap { name in
            likeness(name) == "you" || endsLikeMarked(name) ? nil : name
        }
    }

    /// Equal for names that readers confuse. It ignores capitals, characters that show nothing (such as a soft hyphen), the
    /// script of letters that look alike, and the number of blanks.
    public static func likeness(_ name: String) -> String {
        let seen = String(String.UnicodeScalarView(seen(name))).lowercased()
        return seen.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// Four or six capital letters and digits in brackets.
    private static func endsLikeMarked(_ text: String) -> Bool {
        let scalars = seen(text)
        guard scalars.last == ")", let start = scalars.lastIndex(of: "(") else { return false }
        let inside = scalars[(start + 1)...].dropLast()
        return [4, 6].contains(inside.count) && inside.allSatisfy { isDigit($0) || "A"..."Z" ~= $0 }
    }

    /// `7K3M-9QXT-42WJ`: three groups of four letters and digits, or twelve in a row with a letter after a digit. One code of
    /// a hundred has no digit: then three groups of four capital letters, as it is shown. `Anna Mary Lisa` is a name.
    private static func looksLikeCode(_ text: String) -> Bool {
        let groups = seen(text).split { isSeparator($0) }
        guard groups.allSatisfy({ $0.allSatisfy(isLetterOrDigit) }) else { return false }
        let symbols = groups.flatMap { $0 }
        guard symbols.count == 12 else { return false }
        let isGrouped = groups.map(\.count) == [4, 4, 4]
        guard let digit = symbols.firstIndex(where: isDigit) else {
            return isGrouped && symbols.allSatisfy { "A"..."Z" ~= $0 }
        }
        return isGrouped || groups.count == 1 && symbols[digit...].contains { !isDigit($0) }
    }

    /// The beginning of an ID: eight hexadecimal digits or more, or four that are not all letters.
    private static func looksLikeID(_ text: String) -> Bool {
        let scalars = seen(text)
        guard scalars.count >= 4, scalars.allSatisfy({ isDigit($0) || "a"..."f" ~= $0 || "A"..."F" ~= $0 }) else {
            return false
        }
        return scalars.count >= 8 || scalars.contains(where: isDigit)
    }

    /// A text as people see it: without what draws nothing or stands on a letter, and with the Latin letters and digits that
    /// others look like.
    private static func seen(_ text: String) -> [Unicode.Scalar] {
        text.unicodeScalars.filter { scalar in
            // ASCII is as it looks, and most names have nothing else.
            if scalar.isASCII { return true }
            let properties = scalar.properties
            return !properties.isDefaultIgnorableCodePoint
                && ![.nonspacingMark, .enclosingMark].contains(properties.generalCategory)
        }.map(folded)
    }

    /// A letter or digit as the plain one it looks like.
    private static func folded(_ scalar: Unicode.Scalar) -> Unicode.Scalar {
        if scalar.isASCII { return scalar }
        if "\u{FF01}"..."\u{FF5E}" ~= scalar { return Unicode.Scalar(scalar.value - 0xFEE0) ?? scalar }
        // Of any script, and those of mathematics.
        if scalar.properties.numericType == .decimal, let digit = scalar.properties.numericValue {
            return Unicode.Scalar(UInt8(ascii: "0") + UInt8(digit))
        }
        // Circled letters, and the thirteen alphabets of mathematics: capital letters, then small ones.
        for first in [0x24B6, 0x1D400] as [UInt32] {
            let count: UInt32 = first == 0x1D400 ? 13 * 52 : 52
            guard (first..<first + count).contains(scalar.value) else { continue }
            let letter = (scalar.value - first) % 52
            return Unicode.Scalar(UInt8(letter < 26 ? 0x41 + letter : 0x61 + letter - 26))
        }
        return lookAlikes[scalar] ?? scalar
    }

    /// Cyrillic and Greek letters by the Latin ones that they look like.
    private static let lookAlikes: [Unicode.Scalar: Unicode.Scalar] = {
        let cyrillic = zip(
            "АВЕКМНОРСТУХЅІЈԌԚԜаеорсухѕіјһԁԛԝ".unicodeScalars, "ABEKMHOPCTYXSIJGQWaeopcyxsijhdqw".unicodeScalars)
        let greek = zip("ΑΒΕΖΗΙΚΜΝΟΡΤΥΧο".unicodeScalars, "ABEZHIKMNOPTYXo".unicodeScalars)
        return Dictionary(Array(cyrillic) + Array(greek)) { first, _ in first }
    }()

    /// Whether a character may separate or surround the groups of a code.
    private static func isSeparator(_ scalar: Unicode.Scalar) -> Bool {
        !scalar.properties.isAlphabetic && scalar.properties.numericType == nil
    }

    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        isDigit(scalar) || "a"..."z" ~= scalar || "A"..."Z" ~= scalar
    }

    private static func isDigit(_ scalar: Unicode.Scalar) -> Bool { "0"..."9" ~= scalar }
}
