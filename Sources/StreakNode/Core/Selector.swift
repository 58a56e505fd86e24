import StreakMembership

/// A text by which a user means a person or a group, and the rule for what it means.
///
/// The order: an exact friend code, an exact ID, the beginning of an ID, an exact name. People choose their own names,
/// so a name never replaces a code or an ID. The beginning of an ID can be made to fit somebody's name, so a text that
/// fits two candidates in these two ways means both.
struct Selector {
    /// The texts by which a candidate can be meant.
    struct Key {
        var code: String?
        var id: String
        /// The names that people see, and may type.
        var names: [String]

        init(code: String? = nil, id: String, names: [String]) {
            (self.code, self.id, self.names) = (code, id, names)
        }
    }

    /// Fewer digits do not count as the beginning of an ID: too many names would fit.
    static let minimumBeginning = 4

    /// The text as a friend code, if it is one.
    let code: FriendCode?
    private let wanted: String

    init(_ text: String) {
        wanted = text.lowercased()
        code = FriendCode(text)
    }

    /// The candidates that the text means; several if it is ambiguous.
    func matches<Candidate>(among candidates: [Candidate], by key: (Candidate) -> Key) -> [Candidate] {
        guard !wanted.isEmpty else { return [] }
        let code = code?.description
        let keyed = candidates.map { (candidate: $0, key: key($0)) }
        let coded = keyed.filter { code != nil && $0.key.code == code }
        if !coded.isEmpty { return coded.map(\.candidate) }
        let exact = keyed.filter { $0.key.id == wanted }
        if !exact.isEmpty { return exact.map(\.candidate) }
        let isBeginning = wanted.utf8.count >= Self.minimumBeginning
        return keyed.filter { entry in
            isBeginning && entry.key.id.hasPrefix(wanted) || entry.key.names.contains { $0.lowercased() == wanted }
        }.map(\.candidate)
    }

    /// The same for groups. If nothing fits better, any beginning of a title or an ID fits.
    func matches<Candidate>(amongGroups candidates: [Candidate], by key: (Candidate) -> Key) -> [Candidate] {
        let found = matches(among: candidates, by: key)
        guard found.isEmpty, !wanted.isEmpty else { return found }
        return candidates.filter { candidate in
            let key = key(candidate)
            return key.id.hasPrefix(wanted) || key.names.contains { $0.lowercased().hasPrefix(wanted) }
        }
    }
}
