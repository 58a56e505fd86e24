import Hummingbird
import StreakNode

/// Inviting, and joining by an invite.
extension Site {
    struct InvitePageView: Sendable {
        var hasGroup: Bool
        var group: String
        var groupTitle: String
        var invite: InviteView?
        var others: [InviteView]
        var hasOthers: Bool
    }

    func showInvite(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let group = frame.group(visit.fields) else {
            let view = InvitePageView(hasGroup: false, group: "", groupTitle: "", others: [], hasOthers: false)
            return page(.friends, "invite", title: "Invite friends", view, frame, visit)
        }
        let list = try await node.call(InviteListRequest.list(group: group))
        let report = frame.groups.first { $0.id == group } ?? frame.active
        let invites = list.invites.map { InviteView($0, deciding: report?.isDeciding ?? false, now: now()) }
        let chosen =
            visit.fields["id"].flatMap { id in invites.first { $0.id == id } } ?? invites.first { $0.link != nil }
        let others = invites.filter { $0.id != chosen?.id }
        let view = InvitePageView(
            hasGroup: true, group: group, groupTitle: report?.title ?? "", invite: chosen, others: others,
            hasOthers: !others.isEmpty)
        return page(.friends, "invite", title: "Invite friends", view, frame, visit)
    }

    func invite(_ visit: Visit) async throws -> Response {
        let days = min(max(visit.fields.number("days") ?? 7, 1), 90)
        let invite = try await node.call(
            InviteRequest.create(
                group: visit.fields["group"], uses: visit.fields.number("uses") ?? 1,
                lifetime: Int64(days) * 86_400, needsApproval: visit.fields.isSet("approval")))
        return .seeOther(PageLink("/invite").adding("group", invite.group).adding("id", invite.id).text)
    }

    /// One click: makes the group “Friends” if there is none, and a link to it.
    func inviteFriends(_ visit: Visit) async throws -> Response {
        let invite = try await node.call(InviteRequest.friends)
        return .seeOther(PageLink("/invite").adding("group", invite.group).adding("id", invite.id).text)
    }

    static let inviteForms: [Form] = [
        Form("/invite", Site.invite), Form("/invite/friends", Site.inviteFriends),
        Form("/invite/revoke", { InviteListRequest.revoke(id: $0.required("id")) }) { (_: InviteListReport, _) in
            "The invite is revoked. Nobody can use it now."
        },
        Form("/join/look", Site.reviewInvite) { try await $0.showJoin($1, refusal: $2) },
        Form("/join", Site.join) { try await $0.showJoin($1, refusal: $2) },
    ]

    // MARK: Joining

    struct JoinView: Sendable {
        struct Offer: Sendable {
            var title: String
            /// The beginning of the inviting machine's ID; a link holds no name.
            var inviter: String
            var expires: String
            var usable: Bool
            var trouble: String?
            var groupHref: String?
        }

        var link: String
        var offer: Offer?
    }

    func showJoin(
        _ visit: Visit, offer: JoinView.Offer? = nil, refusal: Refusal? = nil
    ) async throws -> Response {
        let view = JoinView(link: visit.fields["link"] ?? "", offer: offer)
        return page(
            .friends, "join", title: "Join a group", view, try await frame(), visit, refusal: refusal)
    }

    /// Shows what a link says, before any connection is made.
    func reviewInvite(_ visit: Visit) async throws -> Response {
        let link = visit.fields.required("link").trimmingSpaces
        let preview = try await node.call(LinkRequest.inspect(link: link))
        let expiry = Timestamp(preview.expires)
        // A member may be out and not have heard so: a new invite brings it back in.
        let trouble =
            preview.expired
            ? "This link has expired. Ask your friend for a new one."
            : preview.alreadyMember
                ? "You are in this group already, as far as this machine knows. If your friends do not see you there, join again."
                : nil
        return try await showJoin(
            visit,
            offer: JoinView.Offer(
                title: preview.title, inviter: String(preview.inviter.prefix(8)),
                expires: expiry.map { "\($0.dateText) (\($0.relativeText(to: now())))" } ?? preview.expires,
                usable: !preview.expired, trouble: trouble,
                groupHref: preview.alreadyMember ? BoardSelection(group: preview.group).href : nil))
    }

    /// How many seconds the page looks for a member: by the DHT it takes a minute or more.
    private static let patience: Int64 = 120

    private func join(_ visit: Visit) async throws -> Response {
        let link = visit.fields.required("link").trimmingSpaces
        let report = try await node.call(
            JoinRequest.join(link: link, timeout: Self.patience, history: Self.history(visit.fields)))
        return say("Welcome to “\(report.title)”.", then: BoardSelection(group: report.group).href, visit)
    }

    /// How much of the past is published: days back from today, 0 for today only, nil for everything.
    static func history(_ fields: FormFields) -> Int? {
        switch fields["history"] {
        case "all": nil
        case "month": 30
        default: 0
        }
    }
}
