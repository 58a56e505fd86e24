import Hummingbird
import StreakNode

/// What a group sees of this user, and whether new results go to it.
extension Site {
    struct PrivacyView: Sendable {
        struct Unshared: Sendable {
            var id: String
            var icon: String
            var name: String
        }

        var group: String
        var title: String
        var avatar: AvatarView
        /// This user's name in the group.
        var name: String
        var shownID: String
        var anonymous: Bool
        var alias: String
        var hidden: Bool
        var region: String
        var lastSeen: Bool
        var sharing: Bool
        var countText: String
        var heldBackText: String?
        /// Whether results held back can be sent from here, although sharing was never stopped.
        var maySend: Bool
        var unshared: [Unshared]
        var hasUnshared: Bool
        var games: [OptionView]
        var leaveHref: String
    }

    func showPrivacy(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = try frame.report(visit.fields)
        let report = try await node.call(PrivacyRequest.show(group: group.id))
        let games = try await catalogue().games
        let unshared = Set(report.unshared)
        let held = report.heldBack == 1 ? "1 result is held back" : "\(report.heldBack) results are held back"
        let view = PrivacyView(
            group: report.group, title: report.title, avatar: AvatarView(user: report.user, name: report.name),
            name: report.name, shownID: String(report.user.prefix(8)), anonymous: report.anonymous,
            alias: report.alias ?? "", hidden: report.hidden, region: report.region ?? "", lastSeen: report.lastSeen,
            sharing: report.sharing,
            countText: report.published == 1
                ? "1 result of yours is here" : "\(ResultView.grouped(report.published)) results of yours are here",
            heldBackText: report.heldBack == 0 ? nil : held, maySend: report.sharing && report.heldBack > 0,
            unshared: report.unshared.map { id in
                let game = games.first { $0.id == id }
                return PrivacyView.Unshared(id: id, icon: game?.icon ?? "🧩", name: game?.name ?? id)
            }, hasUnshared: !unshared.isEmpty,
            games: games.filter { !unshared.contains($0.id) }.map {
                OptionView(value: $0.id, label: $0.name, selected: false)
            }, leaveHref: PageLink("/leave").adding("group", group.id).text)
        return page(.profile, "privacy", title: "What “\(report.title)” sees of you", view, frame, visit)
    }

    static let privacyForms: [Form] = [
        Form("/privacy", { PrivacyRequest.change(group: $0["group"], change(of: $0)) }) { (report: PrivacyReport, _) in
            "“\(report.title)” knows you as “\(report.name)”."
        },
        // Holds a game's new results back from the group, or shares them again.
        Form(
            "/privacy/games",
            { fields in
                let change = PrivacyChange(
                    share: fields["share"].map { [$0] } ?? [], unshare: fields["unshare"].map { [$0] } ?? [])
                return PrivacyRequest.change(group: fields["group"], change)
            }
        ) { (report: PrivacyReport, fields) in
            guard fields.isSet("share") else { return "“\(report.title)” gets no new results of this game." }
            let rest =
                report.heldBack > 0 ? " Those held back meanwhile go there when you send them, under Sharing." : ""
            return "“\(report.title)” gets this game's new results again.\(rest)"
        },
        Form("/sharing/stop", { PrivacyRequest.stopSharing(group: $0["group"]) }) { (report: PrivacyReport, _) in
            "“\(report.title)” gets nothing new of yours from now on."
        },
        Form("/sharing/resume", { PrivacyRequest.resumeSharing(group: $0["group"], history: history($0)) }) {
            (report: PrivacyReport, _) in "You share with “\(report.title)” again."
        },
    ]

    private static func change(of fields: FormFields) -> PrivacyChange {
        PrivacyChange(
            anonymous: fields.isSet("anonymous"), alias: fields.isSet("anonymous") ? fields.required("alias") : nil,
            hidden: fields.isSet("hidden"), region: fields.required("region"), lastSeen: fields.isSet("lastSeen"))
    }
}
