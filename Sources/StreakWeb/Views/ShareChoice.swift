import StreakNode

/// Which groups a result is to go to, as a form says it.
///
/// A form names the groups that it offers in `offered`, and has a box `share-ID` for each. All ticked means every group
/// that shares the game, which is not the same as all by name: a group may be kept from a game.
struct ShareChoice: Sendable, Equatable {
    private static let prefix = "share-"

    var offered: [String]
    var ticked: [String]

    init(_ fields: FormFields) {
        let offered = (fields["offered"] ?? "").split(separator: ",").prefix(64).map(String.init)
        self.offered = offered
        ticked = offered.filter { fields.isSet(Self.prefix + $0) }
    }

    /// The groups as requests take them: nil for every group that shares the game, none to keep the result to oneself.
    var groups: [String]? { ticked.count == offered.count ? nil : ticked }

    /// Where a result of a preview goes: of groups chosen by name to those that share its game. A box is ticked from the
    /// first, so that one for a group that does not get a game says nothing about it.
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

    /// Nil where no group is to be chosen from. Without a choice made before, all are ticked.
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
