/// The colon codes that Slack, Discord and similar programs paste instead of emoji.
enum ColonCodes {
    private static let longest = 28

    /// The emoji of a code such as `:large_green_square:` at `start`, and the number of scalars of the code.
    static func emoji(in text: [Unicode.Scalar], at start: Int) -> (emoji: Unicode.Scalar, length: Int)? {
        var end = start + 1
        while end < text.count, end - start <= longest, isCodeLetter(text[end]) { end += 1 }
        guard end < text.count, text[end] == ":", end > start + 1 else { return nil }
        let name = String(String.UnicodeScalarView(text[(start + 1)..<end]))
        return table[name].map { ($0, end + 1 - start) }
    }

    private static func isCodeLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "_", "-", "+": true
        default: false
        }
    }

    private static let table: [String: Unicode.Scalar] = {
        var table: [String: Unicode.Scalar] = [
            "black_large_square": "⬛", "white_large_square": "⬜", "black_square": "⬛", "white_square": "⬜",
            "black_medium_square": "⬛", "white_medium_square": "⬜", "keycap_ten": "🔟", "ten": "🔟",
            "clock11": "🕚", "clock12": "🕛", "clock1": "🕐", "clock2": "🕑", "clock3": "🕒", "bulb": "💡",
            "pushpin": "📌", "thinking_face": "🤔", "thinking": "🤔", "white_check_mark": "✅", "x": "❌",
            "white_circle": "⚪", "black_circle": "⚫", "red_circle": "🔴", "mute": "🔇", "skull": "💀", "trophy": "🏆",
            "dart": "🎯", "crown": "👑", "checkered_flag": "🏁", "earth_americas": "🌎", "hourglass": "⌛", "frog": "🐸",
            "movie_camera": "🎥", "pensive": "😔", "house_with_garden": "🏡", "scales": "⚖",
        ]
        let colours: [(String, Unicode.Scalar, Unicode.Scalar)] = [
            ("green", "🟩", "🟢"), ("yellow", "🟨", "🟡"), ("orange", "🟧", "🟠"), ("blue", "🟦", "🔵"),
            ("purple", "🟪", "🟣"), ("red", "🟥", "🔴"), ("brown", "🟫", "🟤"),
        ]
        for (name, square, circle) in colours {
            table["large_\(name)_square"] = square
            table["\(name)_square"] = square
            table["large_\(name)_circle"] = circle
            table["\(name)_circle"] = circle
        }
        let digits = ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"]
        for (value, name) in digits.enumerated() { table[name] = .keycap(value) }
        return table
    }()
}
