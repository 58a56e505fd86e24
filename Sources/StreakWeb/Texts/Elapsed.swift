/// A number with one decimal, for people.
enum Tenths {
    /// “6.5”; “–” for nil.
    static func text(_ value: Double?) -> String {
        guard let value, value.isFinite, abs(value) < 1e15 else { return "–" }
        let tenths = Int((abs(value) * 10).rounded())
        return "\(value < 0 && tenths > 0 ? "−" : "")\(tenths / 10).\(tenths % 10)"
    }
}

/// A time span, for people.
public enum Elapsed {
    /// “7 s”, “12 min”, “3 h 5 min”.
    public static func text(seconds: Int) -> String {
        switch seconds {
        case ..<60: "\(seconds) s"
        case ..<3_600: "\(seconds / 60) min"
        default: "\(seconds / 3_600) h \(seconds / 60 % 60) min"
        }
    }
}
