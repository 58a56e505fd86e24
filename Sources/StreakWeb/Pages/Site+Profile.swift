import Hummingbird
import StreakNode

/// The profile page: the account, the node's state, and links to everything that concerns the account.
extension Site {
    struct ProfileView: Sendable {
        struct Link: Sendable {
            var name: String
            var state: String
            var via: String
            /// “heard 12 s ago”.
            var heard: String?
        }

        struct Share: Sendable {
            var title: String
            var note: String
        }

        /// What one group sees.
        struct GroupVisibility: Sendable {
            var href: String
            var avatar: AvatarView
            var title: String
            var note: String
        }

        /// How far this machine goes for friends.
        struct Internet: Sendable {
            var sentence: String
            var notes: [String]
            var explanation: String
            var settings: [OptionView]
            var letters: Bool
        }

        var avatar: AvatarView
        var name: String
        var friendCode: String
        var symbol: SymbolView?
        /// This user's page in the active group.
        var playerHref: String?
        var device: String
        var visibilities: [GroupVisibility]
        var hasVisibilities: Bool
        var recoveryConfirmed: Bool
        var devicesText: String
        var status: StatusView
        /// Warnings about clocks and the disk.
        var clock: [String]
        var repairsClock: Bool
        var internet: Internet
        var shares: [Share]
        var links: [Link]
        var hasLinks: Bool
        var version: String
    }

    func showProfile(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        // A guest has no friend code, groups or machines here, so this page only leads back.
        guard frame.guest == nil else { return .seeOther("/guest") }
        let links = frame.status.peers.map { peer in
            ProfileView.Link(
                name: peer.name ?? "A machine", state: peer.state,
                via: peer.pathText ?? "",
                heard: peer.heardText(at: now()))
        }
        let shares = frame.status.groups.map { group in
            ProfileView.Share(
                title: group.title,
                note: (group.total.map { "\(ResultView.grouped(group.records)) of \(ResultView.grouped($0)) records" }
                    ?? "\(ResultView.grouped(group.records)) \(group.records == 1 ? "record" : "records")")
                    + ", \(group.online) of \(group.members) \(group.members == 1 ? "member" : "members") online"
            )
        }
        var visibilities: [ProfileView.GroupVisibility] = []
        var playerHref: String?
        for group in frame.current {
            let privacy = try await node.call(PrivacyRequest.show(group: group.id))
            visibilities.append(Self.visibility(privacy))
            if group.id == frame.active?.id {
                playerHref = PageLink("/player").adding("group", group.id).adding("user", privacy.user).text
            }
        }
        let devices = try await node.call(DeviceRequest.list).devices
        let current = devices.filter { $0.state == "current" }.count
        let view = ProfileView(
            avatar: AvatarView(user: frame.profile.user, name: frame.profile.name), name: frame.profile.name,
            friendCode: frame.profile.friendCode, symbol: SymbolView(frame.profile.friendCode),
            playerHref: playerHref,
            device: String(frame.profile.device.prefix(8)), visibilities: visibilities,
            hasVisibilities: !visibilities.isEmpty,
            recoveryConfirmed: frame.profile.recoveryConfirmed,
            devicesText: current == 1 ? "This machine only" : "\(current) machines", status: statusView(frame),
            clock: frame.status.clock.sentences + (frame.status.damage?.sentences ?? [])
                + frame.status.strays.map { "\($0.sentence) Shut it out again under “Your machines”." },
            repairsClock: frame.status.clock.ownWaiting > 0,
            internet: Self.internet(frame.status.internet), shares: shares, links: links, hasLinks: !links.isEmpty,
            version: frame.status.version)
        return page(.profile, "profile", title: "Profile", view, frame, visit)
    }

    static func internetSettings(selected: String) -> [OptionView] {
        InternetReport.settings.map {
            OptionView(value: $0, label: InternetReport.choice($0), selected: $0 == selected)
        }
    }

    private static func internet(_ report: InternetReport) -> ProfileView.Internet {
        ProfileView.Internet(
            sentence: report.sentence,
            notes: [report.mappingText, report.findingText?.withoutCodeMarks, report.dhtText].compactMap(\.self),
            explanation: InternetReport.explanation,
            settings: internetSettings(selected: report.setting), letters: report.letters)
    }

    private static func visibility(_ report: PrivacyReport) -> ProfileView.GroupVisibility {
        let unshared = report.unshared.count
        let notes = [
            report.anonymous ? "as “\(report.name)”" : "your name", report.hidden ? "on no board" : nil,
            report.region.map { "region \($0)" }, report.lastSeen ? nil : "not when you were here",
            unshared == 0 ? nil : unshared == 1 ? "one game kept back" : "\(unshared) games kept back",
            report.sharing ? nil : "sharing stopped",
        ]
        return ProfileView.GroupVisibility(
            href: PageLink("/privacy").adding("group", report.group).text,
            avatar: AvatarView(user: report.user, name: report.name), title: report.title,
            note: notes.compactMap(\.self).joined(separator: ", "))
    }
}
