import StreakMembership

/// A text by which a user means a person or a group, and the one rule of what it names.
///
/// In this order: an exact friend code, an exact ID, the beginning of an ID, an exact name. A name is chosen by whoever
/// bears it, so it never stands in for a code or an ID; and since the beginning of an ID can be made to fit somebody's name,
/// a text that is both of two candidates names both.
struct Selector {
    /// What a candidate goes by.
    struct Key {
        var code: String?
        var id: String
        /// The names that people see, and may type.
        var names: [String]

        init(code: String? = nil, id: String, names: [String]) {
            (self.code, self.id, self.names) = (code, id, names)
        }
    }

    /// Fewer digits are no beginning of an ID: too many names would be one.
    static let minimumBeginning = 4

    /// The code that the text is.
    let code: FriendCode?
    private let wanted: String

    init(_ text: String) {
        wanted = text.lowercased()
        code = FriendCode(text)
    }

    /// Those of the candidates that the text names; several where it is ambiguous.
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

    /// The same for groups, whose titles and IDs may also be given by any beginning where nothing names one better.
    func matches<Candidate>(amongGroups candidates: [Candidate], by key: (Candidate) -> Key) -> [Candidate] {
        let found = matches(among: candidates, by: key)
        guard found.isEmpty, !wanted.isEmpty else { return found }
        return candidates.filter { candidate in
            let key = key(candidate)
            return key.id.hasPrefix(wanted) || key.names.contains { $0.lowercased().hasPrefix(wanted) }
        }
    }
}
