import StreakNode

/// Which groups a result goes to, as chosen in a form.
///
/// A form lists the groups it offers in `offered`, and has a box `share-ID` for each. If all are ticked, the result
/// goes to every group that shares its game. Naming all groups would instead override a game that is held back.
struct ShareChoice: Sendable, Equatable {
    private static let prefix = "share-"

    var offered: [String]
    var ticked: [String]

    init(_ fields: FormFields) {
        let offered = (fields["offered"] ?? "").split(separator: ",").prefix(64).map(String.init)
        self.offered = offered
        ticked = offered.filter { fields.isSet(Self.prefix + $0) }
    }

    /// The groups as requests take them: nil for every group that shares the game, empty to keep the result private.
    var groups: [String]? { ticked.count == offered.count ? nil : ticked }

    /// Where a previewed result goes: of the chosen groups, those that share its game. Boxes are ticked by default, so
    /// a ticked box does not override a game that is held back.
    func groups(of result: ResultReport) -> [String] {
        guard !result.unchanged else { return [] }
        return groups.map { $0.filter(result.groups.contains) } ?? result.groups
    }
}

/// The boxes of a `ShareChoice`, for the `sharing` template.
struct ShareView: Sendable, Equatable {
    struct Box: Sendable, Equatable {
        var id: String
        var title: String
        var ticked: Bool
    }

    /// The IDs offered, separated by commas.
    var offered: String
    var boxes: [Box]
    /// Groups that get nothing because sharing is stopped there.
    var stopped: String?

    /// Nil without groups to choose from. Without an earlier choice all are ticked.
    init?(_ groups: [GroupReport], choice: ShareChoice?) {
        let sharing = groups.filter { $0.isCurrent && $0.sharing }
        let idle = groups.filter { $0.isCurrent && !$0.sharing }.map { "“\($0.title)”" }
        guard !sharing.isEmpty || !idle.isEmpty else { return nil }
        let isFirst = choice?.offered.isEmpty ?? true
        boxes = sharing.map {
            Box(id: $0.id, title: $0.title, ticked: isFirst || choice?.ticked.contains($0.id) ?? true)
        }
        offered = sharing.map(\.id).joined(separator: ",")
        stopped = idle.isEmpty ? nil : idle.joined(separator: ", ")
    }
}
