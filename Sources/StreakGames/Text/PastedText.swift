/// Pasted text in a form that is easy to read: folded to a small alphabet, with the origin of each scalar.
///
/// Browsers, phones and chat programs change a share on its way: they group digits by locale, add invisible marks,
/// replace emoji by colon codes and quote lines. Folding undoes that once for all readers. It works on Unicode scalars,
/// because "\r\n", keycaps, flags and "⬛️" are single characters in Swift.
struct PastedText: Sendable {
    /// Lower case, without invisible marks and accents. Line ends are `\n`, other blanks a space.
    private(set) var scalars: [Unicode.Scalar] = []
    /// For each scalar, the UTF-8 offset in the source where it began.
    private(set) var origins: [Int] = []
    private let source: String

    /// Linear in the length of `source`, which the caller has bounded.
    ///
    /// - Parameter isLiteral: whether it was typed, so that `&amp;` stands for itself (Protocol/patterns.md §2).
    init(_ source: String, isLiteral: Bool = false) {
        self.source = source
        let length = source.utf8.count
        scalars.reserveCapacity(length)
        origins.reserveCapacity(length)
        var input: [Unicode.Scalar] = []
        var offsets: [Int] = []
        input.reserveCapacity(length)
        offsets.reserveCapacity(length)
        var offset = 0
        for scalar in source.unicodeScalars {
            input.append(scalar)
            offsets.append(offset)
            offset += Self.utf8Width(scalar)
        }
        if !isLiteral, input.contains("&") { Self.resolveEntities(&input, &offsets) }
        fold(input, offsets)
    }

    /// The size of the source in UTF-8 bytes.
    var length: Int { source.utf8.count }

    /// The folded form of a game's name or of the words of a pattern: typed, not pasted.
    static func folded(_ literal: String) -> [Unicode.Scalar] {
        PastedText(literal, isLiteral: true).scalars
    }

    /// The source text of a range of folded scalars, without blanks around it.
    func sourceText(_ range: Range<Int>) -> String {
        guard !range.isEmpty else { return "" }
        let utf8 = source.utf8
        let start = utf8.index(utf8.startIndex, offsetBy: origins[range.lowerBound])
        let end =
            range.upperBound < origins.count
            ? utf8.index(utf8.startIndex, offsetBy: origins[range.upperBound]) : utf8.endIndex
        let part = source.unicodeScalars[start..<end]
        guard let first = part.firstIndex(where: { !$0.properties.isWhitespace }),
            let last = part.lastIndex(where: { !$0.properties.isWhitespace })
        else { return "" }
        return String(part[first...last])
    }

    /// Replaces `&amp;` and other references by their characters, in one pass.
    private static func resolveEntities(_ input: inout [Unicode.Scalar], _ offsets: inout [Int]) {
        var (read, written) = (0, 0)
        while read < input.count {
            let reference = input[read] == "&" ? HTMLEntities.scalar(in: input, at: read) : nil
            (input[written], offsets[written]) = (reference?.scalar ?? input[read], offsets[read])
            read += reference?.length ?? 1
            written += 1
        }
        input.removeSubrange(written...)
        offsets.removeSubrange(written...)
    }

    private mutating func fold(_ input: [Unicode.Scalar], _ offsets: [Int]) {
        var index = 0
        var isLineStart = true
        while index < input.count {
            let scalar = input[index]
            let origin = offsets[index]
            index += 1
            if isLineStart, scalar == ">" || scalar == " " && index < input.count && input[index] == ">" {
                continue  // a quoted line of mail or Markdown
            }
            switch scalar {
            case "\r":
                if index < input.count, input[index] == "\n" { index += 1 }
                append("\n", origin)
            case "\u{20E3}":
                makeKeycap()
            case "|" where index < input.count && input[index] == "|":
                while index < input.count, input[index] == "|" { index += 1 }  // spoiler bars
                continue
            case ":":
                if let (emoji, length) = ColonCodes.emoji(in: input, at: index - 1) {
                    append(emoji, origin)
                    index += length - 1
                } else {
                    append(scalar, origin)
                }
            default:
                guard let plain = Self.plain(scalar) else { continue }
                append(plain, origin)
            }
            isLineStart = scalars.last == "\n"
        }
    }

    private mutating func append(_ scalar: Unicode.Scalar, _ origin: Int) {
        scalars.append(scalar)
        origins.append(origin)
    }

    private mutating func makeKeycap() {
        guard let last = scalars.last, let digit = last.digit else { return }
        scalars[scalars.count - 1] = .keycap(digit)
    }

    /// `nil` for marks without meaning.
    private static func plain(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        let value = scalar.value
        if value < 0x80 { return plainASCII(scalar) }
        if isInvisible(value) { return nil }
        switch value {
        case 0x85, 0x2028, 0x2029: return "\n"
        case 0xA0, 0x1680, 0x2000...0x200A, 0x202F, 0x205F, 0x3000: return " "
        case 0x2018, 0x2019, 0x201B, 0x2032, 0x2BC, 0xB4: return "'"
        case 0x2010...0x2015, 0x2212, 0xFE58: return "-"
        case 0x2044, 0x2215: return "/"
        case 0x660...0x669: return Unicode.Scalar(value - 0x660 + 0x30)
        case 0x6F0...0x6F9: return Unicode.Scalar(value - 0x6F0 + 0x30)
        case 0x966...0x96F: return Unicode.Scalar(value - 0x966 + 0x30)
        case 0x66C, 0x60C: return ","
        case 0x66B: return "."
        case 0x66A: return "%"
        case 0xFE5F: return "#"
        case 0x25FC, 0x25FE, 0x25AA, 0x1F533, 0x25A0: return "⬛"
        case 0x25FB, 0x25FD, 0x25AB, 0x1F532, 0x25A1: return "⬜"
        case 0xFF01...0xFF5E: return Unicode.Scalar(value - 0xFEE0).flatMap(plainASCII)
        case 0xC0...0x17F: return withoutAccent(value) ?? scalar
        default: return scalar
        }
    }

    private static func plainASCII(_ scalar: Unicode.Scalar) -> Unicode.Scalar? {
        switch scalar {
        case "A"..."Z": Unicode.Scalar(scalar.value + 0x20)
        case "\t", "\u{1F}": " "
        case "\n", "\u{B}", "\u{C}": "\n"
        case "\u{0}"..."\u{1E}", "\u{7F}", "`", "\\": nil
        default: scalar
        }
    }

    /// Variation selectors, joiners, direction marks, combining marks, tags.
    private static func isInvisible(_ value: UInt32) -> Bool {
        switch value {
        case 0xAD, 0x34F, 0x61C, 0x180E, 0x200B...0x200F, 0x202A...0x202E, 0x2060...0x206F, 0xFE00...0xFE0F, 0xFEFF,
            0x300...0x36F, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF, 0xFE20...0xFE2F, 0xE0000...0xE01EF,
            0x80...0x84, 0x86...0x9F, 0xFFF9...0xFFFB:
            true
        default: false
        }
    }

    /// The base letters of accented Latin letters that occur in names and sentences of games.
    private static func withoutAccent(_ value: UInt32) -> Unicode.Scalar? {
        switch value {
        case 0xC0...0xC5, 0xE0...0xE5, 0x100...0x105: "a"
        case 0xC7, 0xE7, 0x106...0x10D: "c"
        case 0xC8...0xCB, 0xE8...0xEB, 0x112...0x11B: "e"
        case 0xCC...0xCF, 0xEC...0xEF, 0x128...0x131: "i"
        case 0xD1, 0xF1, 0x143...0x148: "n"
        case 0xD2...0xD6, 0xD8, 0xF2...0xF6, 0xF8, 0x14C...0x151: "o"
        case 0xD9...0xDC, 0xF9...0xFC, 0x168...0x173: "u"
        default: nil
        }
    }

    private static func utf8Width(_ scalar: Unicode.Scalar) -> Int {
        switch scalar.value {
        case 0..<0x80: 1
        case 0x80..<0x800: 2
        case 0x800..<0x10000: 3
        default: 4
        }
    }
}

extension Unicode.Scalar {
    /// The value of an ASCII digit.
    var digit: Int? {
        "0"..."9" ~= self ? Int(value - 0x30) : nil
    }

    /// A letter or digit of any script. Emoji and marks are neither.
    var isWordPart: Bool {
        switch value {
        case 0x30...0x39, 0x61...0x7A: true
        case 0..<0x80: false
        case 0xAA, 0xB0, 0xBA: false  // ª ° º: number signs
        default: properties.isAlphabetic && !(0x2460...0x24FF ~= value) && !(0x1F100...0x1F1FF ~= value)
        }
    }

    var isBlank: Bool { self == " " || self == "\n" }

    /// A keycap 0️⃣…9️⃣ as one private-use scalar.
    static func keycap(_ digit: Int) -> Unicode.Scalar {
        Unicode.Scalar(0xF0000 + UInt32(truncatingIfNeeded: digit)) ?? "0"
    }

    /// The digit of a keycap 0️⃣…9️⃣.
    var keycap: Int? {
        0xF0000...0xF0009 ~= value ? Int(value - 0xF0000) : nil
    }

    /// A pictograph, arrow or geometric mark, including keycaps.
    var isPictograph: Bool {
        switch value {
        case 0x2190...0x21FF, 0x2300...0x23FF, 0x25A0...0x27BF, 0x2B00...0x2BFF, 0x1F000...0x1FAFF, 0xF0000...0xF0009:
            true
        default: false
        }
    }

    /// A square of any colour.
    var isSquare: Bool {
        switch self {
        case "🟥", "🟧", "🟨", "🟩", "🟦", "🟪", "🟫", "⬛", "⬜": true
        default: false
        }
    }
}
