import StreakGames

extension Character {
    /// How many columns of a terminal this character fills: 0, 1 or 2.
    ///
    /// Emoji, and the East Asian Wide and Fullwidth blocks of UAX #11, fill two. Combining marks and other characters
    /// that only change their neighbour fill none.
    var displayWidth: Int {
        guard let first = unicodeScalars.first else { return 0 }
        if unicodeScalars.count > 1, unicodeScalars.contains(where: { $0.value == 0xFE0F || $0.value == 0x20E3 }) {
            return 2
        }
        if first.properties.isEmojiPresentation || first.isWide { return 2 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control, .lineSeparator, .paragraphSeparator: return 0
        default: return 1
        }
    }
}

extension StringProtocol {
    /// How many columns of a terminal this text fills, when it stands on one line.
    var displayWidth: Int {
        reduce(0) { $0 + $1.displayWidth }
    }
}

extension String {
    /// The text without what could move the cursor, change colours or turn the reading direction: what friends wrote
    /// is shown, never obeyed.
    var printable: String {
        inert
    }

    /// Lines as a terminal gets them: the last step. Of steering characters only line ends and tabs are left. If
    /// `isStyled`, the marks of styles become the sequences that show them.
    func shown(styled isStyled: Bool) -> String {
        guard unicodeScalars.contains(where: { $0.isSteering && $0 != "\n" }) else { return self }
        var shown = String.UnicodeScalarView()
        for scalar in unicodeScalars {
            if let sequence = TextStyle.sequence(of: scalar) {
                if isStyled { shown.append(contentsOf: sequence.unicodeScalars) }
            } else if !scalar.isSteering || scalar == "\n" || scalar == "\t" {
                shown.append(scalar)
            }
        }
        return String(shown)
    }

    /// The text cut to `width` columns, ending in “…” where something was cut.
    func truncated(toWidth width: Int) -> String {
        guard displayWidth > width else { return self }
        var kept = ""
        var used = 0
        for character in self {
            guard used + character.displayWidth <= width - 1 else { break }
            kept.append(character)
            used += character.displayWidth
        }
        return kept + "…"
    }
}

extension Unicode.Scalar {
    /// The East Asian Wide and Fullwidth blocks (Unicode 16, EastAsianWidth.txt), without the emoji.
    fileprivate var isWide: Bool {
        switch value {
        case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x33FF, 0x3400...0x4DBF, 0x4E00...0x9FFF, 0xA000...0xA4CF,
            0xA960...0xA97F, 0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
            0x20000...0x3FFFD:
            true
        default: false
        }
    }
}
