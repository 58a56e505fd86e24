import StreakEngine
import StreakMembership

extension InternetSetting {
    /// The names that people use.
    static let words = allCases.map(\.rawValue)
}

extension Whereabouts.Source {
    /// As in `InternetReport`.
    var word: String {
        switch self {
        case .mapped: "mapped"
        case .ipv6: "ipv6"
        case .seen: "seen"
        case .named: "named"
        }
    }
}
