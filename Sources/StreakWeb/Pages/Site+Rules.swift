import Hummingbird
import StreakNode

/// The rules for this user's own numbers over all groups. A group's boards follow the group's rules.
extension Site {
    struct RulesView: Sendable {
        var missed: [OptionView]
        var freezes: [OptionView]
        var archive: [OptionView]
    }

    func showRules(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let rules = try await node.call(GroupSettingsRequest.ownRules(GroupSettingsChange()))
        let view = RulesView(
            missed: Self.options(Self.missed, rules.missedDay),
            freezes: Self.options(Self.freezes, rules.freezes ? "on" : "off"),
            archive: Self.options(Self.archive(rules.archiveDays), String(rules.archiveDays)))
        return page(.profile, "rules", title: "Your own rules", view, frame, visit)
    }

    static let rulesForm = Form(
        "/rules",
        {
            GroupSettingsRequest.ownRules(
                GroupSettingsChange(
                    missedDay: $0["missed"], freezes: $0["freezes"].map { $0 == "on" },
                    archiveDays: $0.number("archive")))
        }, says: { (_: GroupSettingsReport, _) in "Your own numbers follow these rules now." })
}
