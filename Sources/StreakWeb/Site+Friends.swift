import Hummingbird
import StreakGames
import StreakNode

extension Site {
    // MARK: Friends and groups

    struct FriendsView: Sendable {
        struct Group: Sendable {
            var id: String
            var title: String
            var note: String
            var active: Bool
            var current: Bool
            var boardHref: String
            var leaveHref: String
        }

        var groupTitle: String
        var hasGroup: Bool
        var hasFriends: Bool
        var members: [MemberView]
        var onlineText: String
        var inviteHref: String
        var groups: [Group]
        var hasGroups: Bool
        var friendCode: String
        var summary: String
    }

    func showFriends(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = frame.group(visit.fields)
        var members: MembersReport?
        if let group { members = try await node.call(.member(.list(group: group)), returning: MembersReport.self) }
        let online = members?.members.filter { $0.online && !$0.me }.count ?? 0
        let onlineText = online == 1 ? "1 friend online" : "\(online) friends online"
        let view = FriendsView(
            groupTitle: members?.title ?? "", hasGroup: members != nil, hasFriends: (members?.members.count ?? 0) > 1,
            members: members?.members.map { MemberView($0, group: group ?? "", now: now()) } ?? [],
            onlineText: onlineText, inviteHref: PageLink("/invite").adding("group", group).text,
            groups: frame.groups.map { each in
                let note = each.members == 1 ? "1 member" : "\(each.members) members"
                return FriendsView.Group(
                    id: each.id, title: each.title,
                    note: each.isCurrent
                        ? "\(note), you are \(each.role)" : "you have \(each.role == "left" ? "left" : "been removed")",
                    active: each.active, current: each.isCurrent, boardHref: BoardSelection(group: each.id).href,
                    leaveHref: PageLink("/leave").adding("group", each.id).text)
            },
            hasGroups: !frame.groups.isEmpty, friendCode: frame.profile.friendCode, summary: onlineText)
        return page(.friends, "friends", title: "Friends", view, frame, visit)
    }

    func createGroup(_ visit: Visit) async throws -> Response {
        let group = try await node.call(
            .group(.create(title: visit.fields["title"] ?? "")), returning: GroupReport.self)
        return say("“\(group.title)” is ready. Invite your friends.", then: "/invite?group=\(group.id)", visit)
    }

    func useGroup(_ visit: Visit) async throws -> Response {
        let group = try await node.call(.group(.use(group: visit.fields["group"] ?? "")), returning: GroupReport.self)
        // A page of the group before becomes the same page of this one.
        let path = visit.back.prefix { $0 != "?" }
        let keeps = ["/today", "/board", "/friends", "/games", "/invite"].contains(String(path))
        return .seeOther(keeps ? PageLink(String(path)).adding("group", group.id).text : "/today")
    }

    struct LeaveView: Sendable {
        var id: String
        var title: String
        var others: String
        var isOwner: Bool
    }

    func showLeave(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let name = visit.fields["group"] ?? ""
        guard let group = frame.groups.first(where: { $0.id == name }) else { throw NodeFailure.unknownGroup(name) }
        let view = LeaveView(
            id: group.id, title: group.title,
            others: group.members == 2 ? "The other member" : "The other \(max(0, group.members - 1)) members",
            isOwner: group.role == "owner" && group.members > 1)
        return page(.friends, "leave", title: "Leave \(group.title)", view, frame, visit)
    }

    func leaveGroup(_ visit: Visit) async throws -> Response {
        let group = try await node.call(
            .group(.leave(group: visit.fields["group"] ?? "", erasing: visit.fields["how"] == "erase")),
            returning: GroupReport.self)
        return say("You have left “\(group.title)”.", then: "/friends", visit)
    }

    // MARK: Inviting

    struct InvitePageView: Sendable {
        struct Symbol: Sendable {
            var size: Int
            var path: String
        }

        var hasGroup: Bool
        var group: String
        var groupTitle: String
        var invite: InviteView?
        var symbol: Symbol?
        var others: [InviteView]
        var hasOthers: Bool
    }

    func showInvite(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        guard let group = frame.group(visit.fields) else {
            let view = InvitePageView(hasGroup: false, group: "", groupTitle: "", others: [], hasOthers: false)
            return page(.friends, "invite", title: "Invite friends", view, frame, visit)
        }
        let list = try await node.call(.invite(.list(group: group)), returning: InviteListReport.self)
        let chosen = visit.fields["id"].flatMap { id in list.invites.first { $0.id == id } } ?? list.invites.first
        let others = list.invites.filter { $0.id != chosen?.id }.map { InviteView($0, now: now()) }
        let title = frame.groups.first { $0.id == group }?.title ?? frame.active?.title ?? ""
        let view = InvitePageView(
            hasGroup: true, group: group, groupTitle: title, invite: chosen.map { InviteView($0, now: now()) },
            symbol: chosen.flatMap { QRCode(text: $0.link) }.map { code in
                InvitePageView.Symbol(size: code.widthWithQuietZone, path: code.path)
            }, others: others, hasOthers: !others.isEmpty)
        return page(.friends, "invite", title: "Invite friends", view, frame, visit)
    }

    func invite(_ visit: Visit) async throws -> Response {
        let days = min(max(visit.fields.number("days") ?? 7, 1), 90)
        let invite = try await node.call(
            .invite(
                .create(
                    group: visit.fields["group"], uses: visit.fields.number("uses") ?? 1,
                    lifetime: Int64(days) * 86_400, needsApproval: false)),
            returning: InviteReport.self)
        return .seeOther(PageLink("/invite").adding("group", invite.group).adding("id", invite.id).text)
    }

    /// One step: a group “Friends” where there is none, and its link (product-rules, B8).
    func inviteFriends(_ visit: Visit) async throws -> Response {
        let invite = try await node.call(.invite(.friends), returning: InviteReport.self)
        return .seeOther(PageLink("/invite").adding("group", invite.group).adding("id", invite.id).text)
    }

    func revokeInvite(_ visit: Visit) async throws -> Response {
        _ = try await node.call(.invite(.revoke(id: visit.fields["id"] ?? "")), returning: InviteListReport.self)
        return say("The invite is revoked. Nobody can use it any more.", then: visit.back, visit)
    }

    // MARK: Joining

    struct JoinView: Sendable {
        struct Offer: Sendable {
            var title: String
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
        _ visit: Visit, offer: JoinView.Offer? = nil, status: HTTPResponse.Status = .ok, problem: FailureView? = nil
    ) async throws -> Response {
        let view = JoinView(link: visit.fields["link"] ?? "", offer: offer)
        return page(
            .friends, "join", title: "Join a group", view, try await frame(), visit, status: status, problem: problem)
    }

    /// What a link says, before anything is dialled.
    func lookAtLink(_ visit: Visit) async throws -> Response {
        do {
            let link = (visit.fields["link"] ?? "").trimmingSpaces
            let preview = try await node.call(.invite(.inspect(link: link)), returning: InvitePreview.self)
            let expiry = Timestamp(preview.expires)
            let trouble =
                preview.alreadyMember
                ? "You are in this group already."
                : preview.expired ? "This link has expired. Ask your friend for a new one." : nil
            return try await showJoin(
                visit,
                offer: JoinView.Offer(
                    title: preview.title, inviter: preview.inviter,
                    expires: expiry.map { "\($0.dateText) (\($0.relativeText(to: now())))" } ?? preview.expires,
                    usable: trouble == nil, trouble: trouble,
                    groupHref: preview.alreadyMember ? BoardSelection(group: preview.group).href : nil))
        } catch let failure as NodeFailure {
            return try await showJoin(visit, status: failure.httpStatus, problem: FailureView(failure))
        }
    }

    func join(_ visit: Visit) async throws -> Response {
        do {
            let histories: [String: Int?] = ["today": 0, "month": 30, "all": nil]
            let history = histories[visit.fields["history"] ?? "today"] ?? 0
            let report = try await node.call(
                .invite(.join(link: (visit.fields["link"] ?? "").trimmingSpaces, timeout: 30, history: history)),
                returning: JoinReport.self)
            return say(
                "Welcome to “\(report.title)”.", then: BoardSelection(group: report.group).href, visit)
        } catch let failure as NodeFailure {
            return try await showJoin(visit, status: failure.httpStatus, problem: FailureView(failure))
        }
    }

    // MARK: Profile

    struct ProfileView: Sendable {
        struct Link: Sendable {
            var name: String
            var state: String
            var via: String
        }

        struct Share: Sendable {
            var title: String
            var note: String
        }

        var avatar: AvatarView
        var name: String
        var friendCode: String
        var device: String
        var status: StatusView
        var shares: [Share]
        var links: [Link]
        var hasLinks: Bool
        var version: String
    }

    func showProfile(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let links = frame.status.peers.map { peer in
            ProfileView.Link(
                name: peer.name ?? "A device", state: peer.state,
                via: peer.via == "lan" ? "on your network" : peer.via ?? "")
        }
        let shares = frame.status.groups.map { group in
            ProfileView.Share(
                title: group.title,
                note: "\(ResultView.grouped(group.records)) records, \(group.online) of \(group.members) members online"
            )
        }
        let view = ProfileView(
            avatar: AvatarView(user: frame.profile.user, name: frame.profile.name), name: frame.profile.name,
            friendCode: frame.profile.friendCode, device: String(frame.profile.device.prefix(8)),
            status: statusView(frame), shares: shares, links: links, hasLinks: !links.isEmpty,
            version: frame.status.version)
        return page(.profile, "profile", title: "Profile", view, frame, visit)
    }

    func rename(_ visit: Visit) async throws -> Response {
        let profile = try await node.call(
            .profile(.rename(name: visit.fields["name"] ?? "")), returning: ProfileReport.self)
        return say("You are “\(profile.name)” now. Friends see it at the next sync.", then: "/profile", visit)
    }

    /// Dials everybody now (product-rules, H9).
    func synchronise(_ visit: Visit) async throws -> Response {
        let status = try await node.call(.network(.sync), returning: StatusReport.self)
        let text = status.state == "live" ? "Everything is in sync." : "Every known device was asked."
        return say(text, then: visit.back, visit)
    }
}
