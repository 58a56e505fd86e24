import Hummingbird
import StreakNode

/// What a group sees of this user, and whether it gets anything new (product.md, A6 and B6).
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
        /// What the group calls this user.
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
        var unshared: [Unshared]
        var hasUnshared: Bool
        var games: [OptionView]
        var leaveHref: String
    }

    func showPrivacy(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = try frame.report(visit.fields)
        let report = try await node.call(.privacy(.show(group: group.id)), returning: PrivacyReport.self)
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
            heldBackText: report.heldBack == 0 ? nil : held,
            unshared: report.unshared.map { id in
                let game = games.first { $0.id == id }
                return PrivacyView.Unshared(id: id, icon: game?.icon ?? "🧩", name: game?.name ?? id)
            }, hasUnshared: !unshared.isEmpty,
            games: games.filter { !unshared.contains($0.id) }.map {
                OptionView(value: $0.id, label: $0.name, selected: false)
            }, leaveHref: PageLink("/leave").adding("group", group.id).text)
        return page(.profile, "privacy", title: "What “\(report.title)” sees of you", view, frame, visit)
    }

    func changePrivacy(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        let change = PrivacyChange(
            anonymous: fields.isSet("anonymous"), alias: fields.isSet("anonymous") ? fields["alias"] ?? "" : nil,
            hidden: fields.isSet("hidden"), region: fields["region"] ?? "", lastSeen: fields.isSet("lastSeen"))
        let report = try await node.call(
            .privacy(.change(group: fields["group"], change)), returning: PrivacyReport.self)
        return say("“\(report.title)” knows you as “\(report.name)”.", then: visit.back, visit)
    }

    /// Keeps a game's new results from the group, or shares them again.
    func changeSharedGames(_ visit: Visit) async throws -> Response {
        let change = PrivacyChange(
            share: visit.fields["share"].map { [$0] } ?? [], unshare: visit.fields["unshare"].map { [$0] } ?? [])
        let report = try await node.call(
            .privacy(.change(group: visit.fields["group"], change)), returning: PrivacyReport.self)
        let text =
            visit.fields.isSet("share") ? "gets this game's new results again" : "gets no new results of this game"
        return say("“\(report.title)” \(text).", then: visit.back, visit)
    }

    func stopSharing(_ visit: Visit) async throws -> Response {
        let report = try await node.call(
            .privacy(.stopSharing(group: visit.fields["group"])), returning: PrivacyReport.self)
        return say("“\(report.title)” gets nothing new of yours from now on.", then: visit.back, visit)
    }

    func resumeSharing(_ visit: Visit) async throws -> Response {
        let report = try await node.call(
            .privacy(.resumeSharing(group: visit.fields["group"], history: Self.history(visit.fields))),
            returning: PrivacyReport.self)
        return say("You share with “\(report.title)” again.", then: visit.back, visit)
    }
}
