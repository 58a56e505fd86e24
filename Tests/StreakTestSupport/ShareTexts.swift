/// Share texts as the games' Share buttons copy them.
public enum ShareTexts {
    /// A Wordle. `guesses` 1 to 6; nil for one that was not solved.
    public static func wordle(_ number: Int, guesses: Int?) -> String {
        let thousands = number < 1_000 ? "" : "\(number / 1_000),"
        let rest = number % 1_000
        let digits = thousands.isEmpty ? "\(rest)" : String(repeating: "0", count: 3 - "\(rest)".count) + "\(rest)"
        let missed = Array(repeating: "⬛🟨⬛⬛🟩", count: (guesses ?? 7) - 1)
        let rows = missed + (guesses == nil ? [] : ["🟩🟩🟩🟩🟩"])
        return "Wordle \(thousands)\(digits) \(guesses.map(String.init) ?? "X")/6\n\n" + rows.joined(separator: "\n")
    }

    /// A Connections that was solved without a mistake.
    public static func connections(_ number: Int) -> String {
        "Connections\nPuzzle #\(number)\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪"
    }

    /// A Mini of a day (`3/1/2025`), solved in `time` (`0:42`).
    public static func mini(_ day: String, time: String) -> String {
        "I solved the \(day) New York Times Mini Crossword in \(time)!"
    }
}
