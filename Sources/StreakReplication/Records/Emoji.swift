/// One emoji: what a reaction says.
///
/// The rule names fixed ranges of code points (Protocol/records.md §3.6), so nodes of different Unicode versions read the
/// same reactions.
public struct Emoji: Hashable, Sendable {
    public let text: String

    /// In bytes of UTF-8. The longest that keyboards offer, two people of two colours who kiss, has 35.
    public static let maximumSize = 48

    /// Nil for anything but an emoji.
    public init?(_ text: String) {
        guard text.utf8.count <= Self.maximumSize else { return nil }
        var rest = text.unicodeScalars[...]
        guard Self.takeFlag(&rest) || Self.takeKey(&rest) || Self.takePictures(&rest), rest.isEmpty else { return nil }
        self.text = text
    }

    /// An emoji as somebody typed it: one character that is shown as a picture, and blanks around it.
    public init?(typed: String) {
        guard typed.utf8.count <= 4 * Self.maximumSize else { return nil }
        let scalars = typed.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        self.init(String(scalars[start...end]))
        guard text.count == 1, text.unicodeScalars.first?.properties.isEmoji ?? false else { return nil }
    }

    private typealias Scalars = Substring.UnicodeScalarView

    /// Two letters that stand for a country.
    private static func takeFlag(_ rest: inout Scalars) -> Bool {
        guard rest.count == 2, rest.allSatisfy({ 0x1F1E6...0x1F1FF ~= $0.value }) else { return false }
        rest = rest[rest.endIndex...]
        return true
    }

    /// A digit, `#` or `*` on a key.
    private static func takeKey(_ rest: inout Scalars) -> Bool {
        guard let first = rest.first, "0"..."9" ~= first || first == "#" || first == "*" else { return false }
        rest.removeFirst()
        _ = take(&rest) { $0 == 0xFE0F }
        return take(&rest) { $0 == 0x20E3 }
    }

    /// Pictures with a joiner between each two.
    private static func takePictures(_ rest: inout Scalars) -> Bool {
        guard takePicture(&rest) else { return false }
        while take(&rest, where: { $0 == 0x200D }) {
            guard takePicture(&rest) else { return false }
        }
        return true
    }

    /// A picture, its variant or colour, and the tags of a region's flag.
    private static func takePicture(_ rest: inout Scalars) -> Bool {
        guard take(&rest, where: isPicture) else { return false }
        _ = take(&rest) { $0 == 0xFE0F || 0x1F3FB...0x1F3FF ~= $0 }
        guard take(&rest, where: { 0xE0020...0xE007E ~= $0 }) else { return true }
        while take(&rest, where: { 0xE0020...0xE007E ~= $0 }) {}
        return take(&rest) { $0 == 0xE007F }
    }

    private static func take(_ rest: inout Scalars, where isWanted: (UInt32) -> Bool) -> Bool {
        guard let first = rest.first, isWanted(first.value) else { return false }
        rest.removeFirst()
        return true
    }

    private static func isPicture(_ value: UInt32) -> Bool {
        switch value {
        case 0x1F1E6...0x1F1FF, 0x1F3FB...0x1F3FF: false
        case 0x1F000...0x1FAFF: true
        default: pictures.contains { $0 ~= value }
        }
    }

    /// Those outside of U+1F000–1FAFF.
    private static let pictures: [ClosedRange<UInt32>] = [
        0xA9...0xA9, 0xAE...0xAE, 0x203C...0x203C, 0x2049...0x2049, 0x2122...0x2122, 0x2139...0x2139, 0x2194...0x2199,
        0x21A9...0x21AA, 0x231A...0x231B, 0x2328...0x2328, 0x23CF...0x23CF, 0x23E9...0x23F3, 0x23F8...0x23FA,
        0x24C2...0x24C2, 0x25AA...0x25AB, 0x25B6...0x25B6, 0x25C0...0x25C0, 0x25FB...0x25FE, 0x2600...0x27BF,
        0x2934...0x2935, 0x2B05...0x2B07, 0x2B1B...0x2B1C, 0x2B50...0x2B50, 0x2B55...0x2B55, 0x3030...0x3030,
        0x303D...0x303D, 0x3297...0x3297, 0x3299...0x3299,
    ]
}
