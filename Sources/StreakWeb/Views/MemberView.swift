import StreakNode

/// A member in a list, with everything that explains the membership.
struct MemberView: Sendable, Equatable {
    struct Fact: Sendable, Equatable {
        var term: String
        var text: String
    }

    var user: String
    var group: String
    var href: String
    var avatar: AvatarView
    var name: String
    /// The name with the friend code or ID, which nobody can imitate.
    var described: String
    var me: Bool
    /// The role, unless it is a plain member's.
    var roleName: String?
    /// Tags beside the name.
    var marks: [String]
    var online: Bool
    var presence: String
    var sync: String?
    var behind: Bool
    var code: String?
    var devicesText: String?
    /// “Since 3 November 2026, let in by Ada”.
    var standing: String
    var facts: [Fact]

    /// `now` in seconds since 1970.
    init(_ member: MemberReport, group: String, now: Int64) {
        user = member.user
        self.group = group
        href = PageLink("/player").adding("group", group).adding("user", member.user).text
        avatar = AvatarView(user: member.user, name: member.name)
        name = member.name
        described = member.described
        me = member.me
        roleName = member.role == "member" ? nil : member.role
        marks = [
            member.heir ? "heir" : nil, member.anonymous ? "alias" : nil, member.hidden ? "on no board" : nil,
            member.region,
        ].compactMap(\.self)
        online = member.online || member.me
        presence = Self.presence(member, now: now)
        behind = (member.behind ?? 0) > 0
        sync =
            member.me
            ? nil
            : member.behind.map { $0 == 0 ? "In sync" : "Behind by \($0) \($0 == 1 ? "record" : "records")" }
        code = member.anonymous ? nil : member.code
        devicesText =
            member.anonymous || member.devices == 0
            ? nil : member.devices == 1 ? "1 machine" : "\(member.devices) machines"
        standing = [member.sinceText.map { "Since \($0)" }, member.placeText].compactMap(\.self).joined(separator: ", ")
        facts = []
        facts = self.facts(of: member)
    }

    private static func presence(_ member: MemberReport, now: Int64) -> String {
        if member.me { return "This is you" }
        if member.online, let by = member.by { return "Online, through \(by)" }
        if member.online {
            let since = member.linkedSince.flatMap { Timestamp($0) }.map { ", linked \($0.relativeText(to: now))" }
            return "Online" + (member.pathText.map { ", \($0)" } ?? "") + (since ?? "")
        }
        let looking = member.looking ? ", looking" : ""
        // What its machine told of where it is may be newer than what its user did.
        let times = [member.lastSeen, member.toldAt].map { $0.flatMap { Timestamp($0) } }
        switch (times[0], times[1]) {
        case (let seen?, let told) where told.map({ $0.seconds <= seen.seconds }) ?? true:
            return "Last seen \(seen.relativeText(to: now))\(looking)"
        case (_, let told?):
            let way = member.toldInNote ? " through the BitTorrent network" : ""
            return "Last heard \(told.relativeText(to: now))\(way)\(looking)"
        case (_, nil): return "Last seen: unknown\(looking)"
        }
    }

    private func facts(of member: MemberReport) -> [Fact] {
        let role: [String: String] = [
            "owner": "Owner: decides everything", "admin": "Admin: lets in, removes members, changes settings",
            "member": "Member",
        ]
        var facts = [Fact(term: "Role", text: role[member.role] ?? member.role)]
        func add(_ term: String, _ text: String?) {
            if let text, !text.isEmpty { facts.append(Fact(term: term, text: text)) }
        }
        add("Place", standing)
        add("By invite", member.invite.map { String($0.prefix(8)) })
        if member.heir { add("Heir", "May take the group over") }
        add("Seen", presence)
        add("Records", sync)
        add("Machines", devicesText)
        add("Friend code", code)
        if member.anonymous { add("Alias", "Goes by an alias here; no code and no machines are shown") }
        if member.hidden { add("Boards", "Is on no board of this group") }
        add("Region", member.region)
        return facts
    }
}

/// Somebody who waits to be let in.
struct JoinRequestView: Sendable, Equatable {
    var id: String
    var avatar: AvatarView
    var code: String
    var title: String
    var takenBy: String

    init(_ request: JoinRequestReport) {
        id = request.id
        avatar = AvatarView(user: request.user, name: "?")
        code = request.code ?? "not known yet"
        title = request.title
        takenBy = request.takenBy
    }
}

/// Somebody who was in the group.
struct FormerMemberView: Sendable, Equatable {
    var avatar: AvatarView
    var name: String
    var reason: String

    init(_ former: FormerMemberReport) {
        avatar = AvatarView(user: former.user, name: former.name)
        name = former.name
        let text = former.endingText
        reason =
            "\(text.prefix(1).uppercased())\(text.dropFirst())"
            + (former.erased ? "; their results are deleted" : "; what they shared stays")
    }
}

/// A link that lets others in.
struct InviteView: Sendable, Equatable {
    var id: String
    /// Nil if another node made the invite: only the inviter has the link.
    var link: String?
    var title: String
    var expires: String
    var expiresIn: String
    var usesText: String
    var approval: Bool
    var overused: Bool
    var author: String?
    var symbol: SymbolView?
    var mayRevoke: Bool

    /// - Parameters:
    ///   - deciding: whether this user may revoke other members' invites.
    ///   - now: seconds since 1970.
    init(_ invite: InviteReport, deciding: Bool, now: Int64) {
        id = invite.id
        link = invite.link.isEmpty ? nil : invite.link
        title = invite.title
        let instant = Timestamp(invite.expires)
        expires = instant?.dateText ?? invite.expires
        expiresIn = instant.map { "Expires \($0.relativeText(to: now))" } ?? "Expires \(invite.expires)"
        if let uses = invite.uses {
            let left = max(0, uses - invite.used)
            let good = left == 1 ? "Good for one friend" : "Good for \(left) more friends"
            usesText = left == 0 ? "Used up" : good
        } else {
            usesText = "Good for any number of friends"
        }
        usesText += invite.used == 0 ? "" : ", used \(invite.used == 1 ? "once" : "\(invite.used) times")"
        approval = invite.approval
        overused = invite.overused
        author = invite.mine ? nil : invite.author
        mayRevoke = invite.mine || deciding
        symbol = link.flatMap { SymbolView($0) }
    }
}

/// A QR symbol for the `qr` template.
struct SymbolView: Sendable, Equatable {
    var size: Int
    var path: String

    /// Fails if the text is too long for a symbol.
    init?(_ text: String) {
        guard let code = QRCode(text: text) else { return nil }
        (size, path) = (code.widthWithQuietZone, code.path)
    }
}
