/// Time spent, for people.
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
