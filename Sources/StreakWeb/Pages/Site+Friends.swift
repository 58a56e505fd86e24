import Hummingbird
import StreakNode

/// The friends page: current members, open requests, former members.
extension Site {
    struct FriendsView: Sendable {
        struct Group: Sendable {
            var id: String
            var title: String
            var note: String
            var active: Bool
            var current: Bool
            var href: String
            var groupHref: String
        }

        /// A group the user may come back to, or forget.
        struct Return: Sendable {
            var group: String
            var title: String
            var note: String
        }

        var group: String
        var groupTitle: String
        var hasGroup: Bool
        var lonelyText: String
        var hasFriends: Bool
        /// The last member who left, if the user is alone since; else nil.
        var aloneText: String?
        var members: [MemberView]
        var onlineText: String
        var deciding: Bool
        var waiting: [JoinRequestView]
        /// Requests turned down on this node.
        var denied: [JoinRequestView]
        var former: [FormerMemberView]
        var hasFormer: Bool
        /// Groups from before a recovery, as friends report them.
        var returns: [Return]
        /// Friend requests that wait for an answer.
        var askersText: String?
        var inviteHref: String
        var groupHref: String
        var privacyHref: String
        var leaveHref: String
        var groups: [Group]
        var hasGroups: Bool
        var friendCode: String
    }

    func showFriends(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        // Without a group, the page says how to get one.
        let group = visit.fields["group"] == nil && frame.active == nil ? nil : try frame.report(visit.fields)
        if let group, !group.isCurrent { return .seeOther(PageLink("/group").adding("group", group.id).text) }
        var members: MembersReport?
        if let group { members = try await node.call(MemberRequest.list(group: group.id)) }
        let friends = try await node.call(FriendshipRequest.list)
        let askers = friends.received.filter { $0.state == "pending" }.count
        let online = members?.members.filter { $0.online && !$0.me }.count ?? 0
        func link(_ path: String) -> String { PageLink(path).adding("group", group?.id).text }
        let view = FriendsView(
            group: group?.id ?? "", groupTitle: members?.title ?? "", hasGroup: members != nil,
            lonelyText: frame.lonelyText,
            hasFriends: (members?.members.count ?? 0) > 1, aloneText: members?.lonelyText,
            members: members?.members.map { MemberView($0, group: group?.id ?? "", now: now()) } ?? [],
            onlineText: online == 1 ? "1 friend online" : "\(online) friends online",
            deciding: group?.isDeciding ?? false,
            waiting: members?.waiting.filter { !$0.denied }.map { JoinRequestView($0) } ?? [],
            denied: members?.waiting.filter(\.denied).map { JoinRequestView($0) } ?? [],
            former: members?.former.map { FormerMemberView($0) } ?? [],
            hasFormer: !(members?.former.isEmpty ?? true),
            returns: friends.returns.map { offeredReturn($0) },
            askersText: askers == 0
                ? nil : askers == 1 ? "Somebody asks to be your friend" : "\(askers) people ask to be your friends",
            inviteHref: link("/invite"), groupHref: link("/group"), privacyHref: link("/privacy"),
            leaveHref: link("/leave"), groups: frame.groups.map(Self.line), hasGroups: !frame.groups.isEmpty,
            friendCode: frame.profile.friendCode)
        return page(.friends, "friends", title: "Friends", view, frame, visit)
    }

    private func offeredReturn(_ offer: ReturnReport) -> FriendsView.Return {
        let friend = offer.code ?? "\(offer.friend.prefix(8))…"
        let members = offer.members == 1 ? "one member" : "\(offer.members) members"
        let when = Timestamp(offer.offered).map { ", \($0.relativeText(to: now()))" } ?? ""
        return FriendsView.Return(
            group: offer.group, title: offer.title, note: "With \(members), says your friend \(friend)\(when).")
    }

    private static func line(of group: GroupReport) -> FriendsView.Group {
        let note =
            group.endingNote
            ?? "\(group.membersText), you are \(group.role)\(group.sharing ? "" : ", sharing stopped")"
        let href = PageLink("/group").adding("group", group.id).text
        return FriendsView.Group(
            id: group.id, title: group.title, note: note, active: group.active && group.isCurrent,
            current: group.isCurrent, href: group.isCurrent ? BoardSelection(group: group.id).href : href,
            groupHref: href)
    }

    // MARK: What admins do

    static let friendForms: [Form] = [
        memberForm("/member/promote", "is an admin now") { .promote(group: $0, user: $1) },
        memberForm("/member/demote", "is a plain member now") { .demote(group: $0, user: $1) },
        memberForm("/member/remove", "is removed and gets nothing new from you") { .remove(group: $0, user: $1) },
        memberForm("/member/remove-only", "is removed and gets nothing new from you") {
            .remove(group: $0, user: $1, keepingInvites: true)
        },
        Form("/requests/approve", { AdmissionRequest.approve(id: $0.required("id")) }) { (_: JoinRequestsReport, _) in
            "They are in as soon as their machine asks again."
        },
        Form("/requests/deny", { AdmissionRequest.deny(id: $0.required("id")) }) { (_: JoinRequestsReport, _) in
            "The request is turned down."
        },
    ]

    private static func memberForm(
        _ path: String, _ outcome: String, _ request: @escaping @Sendable (String?, String) -> MemberRequest
    ) -> Form {
        Form(path) { site in { try await site.changeMember($0, outcome, request) } }
    }

    private func changeMember(
        _ visit: Visit, _ outcome: String, _ request: (String?, String) -> MemberRequest
    ) async throws -> Response {
        let user = visit.fields["user"] ?? ""
        let report = try await node.call(request(visit.fields["group"], user))
        let member = report.members.first { $0.user == user }
        let name = member?.name ?? report.former.first { $0.user == user }?.name ?? "The member"
        let ended = report.endedInvites.map { " " + $0.endedText }.joined()
        let next = member != nil ? visit.back : PageLink("/friends").adding("group", report.group).text
        return say("\(name) \(outcome).\(ended)", then: next, visit)
    }
}
