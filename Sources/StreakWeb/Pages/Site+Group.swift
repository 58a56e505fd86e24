import Hummingbird
import StreakNode

/// Founding, choosing, changing and leaving groups.
extension Site {
    struct GroupPageView: Sendable {
        var id: String
        var title: String
        var note: String
        /// If this user is no longer in the group: why, and what follows from it.
        var ending: FailureView?
        var isOwner: Bool
        var deciding: Bool
        var inviters: [OptionView]
        var invitersText: String
        var spoilers: [OptionView]
        var spoilersText: String
        var missed: [OptionView] = []
        var missedText = ""
        var freezes: [OptionView] = []
        var freezesText = ""
        var archive: [OptionView] = []
        var archiveText = ""
        var heir: String?
        /// Whether this user, as heir, may become the owner.
        var mayTakeOver = false
        var mayTakeBack = false
        var heirs: [OptionView]
        var successors: [OptionView]
        var hasSuccessors: Bool
        /// Removals by admins that this user, as owner, can annul.
        var removals: [RemovalView] = []
        var hasRemovals = false
        var friendsHref: String
        var inviteHref: String
        var privacyHref: String
        var leaveHref: String
    }

    /// An admin's removal of a member.
    struct RemovalView: Sendable {
        var id: String
        var group: String
        var sentence: String
        var consequence: String

        init(_ removal: AnnulmentReport, group: String) {
            (id, self.group) = (removal.id, group)
            (sentence, consequence) = (removal.sentence, removal.consequence)
        }
    }

    private static let inviters: [(value: String, label: String)] = [
        ("everyone", "Every member"), ("admins", "The owner and admins"), ("owner", "Only the owner"),
    ]

    static let missed: [(value: String, label: String)] = [
        ("nothing", "Nothing"), ("worst+1", "One more than the worst"), ("zero", "Zero points"),
    ]
    static let freezes: [(value: String, label: String)] = [
        ("off", "No: a missed day ends a streak"), ("on", "Yes: one for ten days, at most three"),
    ]

    /// The choices for the number of days after which a result no longer counts. They include the group's own value.
    static func archive(_ days: Int) -> [(value: String, label: String)] {
        let known = [0, 7, 30].contains(days) ? [0, 7, 30] : [0, 7, 30, days]
        return known.map {
            (String($0), $0 == 0 ? "Whenever it comes" : $0 == 1 ? "Within a day" : "Within \($0) days")
        }
    }

    static func options(_ values: [(value: String, label: String)], _ chosen: String) -> [OptionView] {
        values.map { OptionView(value: $0.value, label: $0.label, selected: $0.value == chosen) }
    }

    func showGroup(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = try frame.report(visit.fields)
        guard group.isCurrent else {
            return page(.friends, "group", title: group.title, Self.formerGroup(group), frame, visit)
        }
        let settings = try await node.call(GroupSettingsRequest.show(group: group.id))
        let members = try await node.call(MemberRequest.list(group: group.id)).members
        let others = members.filter { !$0.me }
        let isOwner = group.role == "owner"
        let removals = isOwner ? try await node.call(AnnulmentRequest.list(group: group.id)).removals : []
        func link(_ path: String) -> String { PageLink(path).adding("group", group.id).text }
        let archive = Self.archive(settings.archiveDays)
        let days = String(settings.archiveDays)
        func label(_ values: [(value: String, label: String)], _ chosen: String) -> String {
            values.first { $0.value == chosen }?.label ?? chosen
        }
        let view = GroupPageView(
            id: group.id, title: group.title, note: "\(group.membersText), you are \(group.role)",
            isOwner: isOwner, deciding: group.isDeciding,
            inviters: Self.options(Self.inviters, settings.invites),
            invitersText: label(Self.inviters, settings.invites),
            spoilers: [
                OptionView(value: "on", label: "Until you have played", selected: settings.spoilerGuard),
                OptionView(value: "off", label: "Never", selected: !settings.spoilerGuard),
            ], spoilersText: settings.spoilerGuard ? "Until you have played" : "Never",
            missed: Self.options(Self.missed, settings.missedDay), missedText: label(Self.missed, settings.missedDay),
            freezes: Self.options(Self.freezes, settings.freezes ? "on" : "off"),
            freezesText: label(Self.freezes, settings.freezes ? "on" : "off"), archive: Self.options(archive, days),
            archiveText: label(archive, days), heir: settings.heir,
            mayTakeOver: settings.takeover == .asHeir, mayTakeBack: settings.takeover == .back,
            heirs: [OptionView(value: "", label: "Nobody", selected: settings.heir == nil)]
                + others.map { OptionView(value: $0.user, label: $0.described, selected: $0.heir) },
            successors: others.map { OptionView(value: $0.user, label: $0.described, selected: $0.heir) },
            hasSuccessors: !others.isEmpty, removals: removals.map { RemovalView($0, group: group.id) },
            hasRemovals: !removals.isEmpty, friendsHref: link("/friends"), inviteHref: link("/invite"),
            privacyHref: link("/privacy"), leaveHref: link("/leave"))
        return page(.friends, "group", title: group.title, view, frame, visit)
    }

    private static func formerGroup(_ group: GroupReport) -> GroupPageView {
        let hint =
            switch group.role {
            case "left": "Your own results stay on this machine. Only a new invite lets you in again."
            case "revoked":
                "Your own results stay on this machine. Use another machine of yours, or link this one as a new one with another "
                    + "data folder."
            case "notLetIn":
                "Your own results stay on this machine. Ask a member for a new invite: it lets you in at once."
            default:
                "You get nothing new from it. What the others shared is deleted on this machine. Your own results "
                    + "stay. Only a new invite lets you in again."
            }
        let ending = FailureView(
            code: group.role == "removed" ? "removedFromGroup" : group.role, message: group.endingSentence ?? "",
            hint: hint)
        return GroupPageView(
            id: group.id, title: group.title, note: "", ending: ending, isOwner: false, deciding: false, inviters: [],
            invitersText: "", spoilers: [], spoilersText: "", heirs: [], successors: [],
            hasSuccessors: false, friendsHref: "/friends", inviteHref: "", privacyHref: "", leaveHref: "")
    }

    func createGroup(_ visit: Visit) async throws -> Response {
        let group = try await node.call(
            GroupRequest.create(title: visit.fields["title"] ?? ""))
        return say("“\(group.title)” is ready. Invite your friends.", then: "/invite?group=\(group.id)", visit)
    }

    func useGroup(_ visit: Visit) async throws -> Response {
        let group = try await node.call(GroupRequest.use(group: visit.fields["group"] ?? ""))
        // Switching groups on a group's page leads to the same page of the new group.
        let path = visit.back.prefix { $0 != "?" }
        let keeps = [
            "/today", "/board", "/friends", "/champions", "/event", "/recap", "/invite", "/group", "/privacy",
        ].contains(String(path))
        return .seeOther(keeps ? PageLink(String(path)).adding("group", group.id).text : "/today")
    }

    static let groupForms: [Form] = [
        Form("/groups/create", Site.createGroup), Form("/groups/use", Site.useGroup),
        Form("/groups/leave", Site.leaveGroup),
        Form("/groups/dismiss", Site.dismissGroup),
        Form("/group/rename", { GroupRequest.rename(group: $0["group"], title: $0.required("title")) }) {
            (group: GroupReport, _) in "The group is called “\(group.title)” now."
        },
        Form("/group/settings", { GroupSettingsRequest.change(group: $0["group"], settings(of: $0)) }) {
            (settings: GroupSettingsReport, _) in "The settings of “\(settings.title)” are changed for everybody."
        },
        Form("/group/heir", { GroupRequest.heir(group: $0["group"], user: $0["user"]) }) { (_: GroupReport, fields) in
            fields.isSet("user") ? "They may take the group over from now on." : "The group has no heir now."
        },
        Form("/group/transfer", { GroupRequest.transfer(group: $0["group"], user: $0.required("user")) }) {
            (group: GroupReport, _) in "“\(group.title)” has a new owner; you are \(group.role) now."
        },
        Form("/group/take-over", { GroupRequest.takeOver(group: $0["group"]) }) { (group: GroupReport, _) in
            "“\(group.title)” is yours now."
        },
        Form("/group/annul", { AnnulmentRequest.annul(group: $0["group"], id: $0.required("id")) }) {
            (report: AnnulmentsReport, _) in "Annulled. \(report.annulled?.consequence ?? "")"
        },
    ]

    private static func settings(of fields: FormFields) -> GroupSettingsChange {
        GroupSettingsChange(
            invites: fields["invites"], spoilerGuard: fields["spoilers"].map { $0 == "on" },
            missedDay: fields["missed"], freezes: fields["freezes"].map { $0 == "on" },
            archiveDays: fields.number("archive"))
    }

    // MARK: Leaving

    struct LeaveView: Sendable {
        var id: String
        var title: String
        /// “The other 6 members keep”.
        var keepText: String
        /// “The other 6 members' machines delete your results as soon as they hear of it.”
        var eraseText: String
        var isAlone: Bool
        var isOwner: Bool
        var sharing: Bool
        var groupHref: String
    }

    func showLeave(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let group = try frame.report(visit.fields)
        let href = PageLink("/group").adding("group", group.id).text
        guard group.isCurrent else { return .seeOther(href) }
        let isPair = group.members == 2
        let others = isPair ? "The other member" : "The other \(max(0, group.members - 1)) members"
        let view = LeaveView(
            id: group.id, title: group.title, keepText: others + (isPair ? " keeps" : " keep"),
            eraseText: isPair
                ? "\(others)'s machines delete your results as soon as they hear of it."
                : "\(others)' machines delete your results as soon as they hear of it.", isAlone: group.members < 2,
            isOwner: group.role == "owner" && group.members > 1, sharing: group.sharing, groupHref: href)
        return page(.friends, "leave", title: "Leave \(group.title)", view, frame, visit)
    }

    func leaveGroup(_ visit: Visit) async throws -> Response {
        let isErasing = visit.fields["how"] == "erase"
        let group = try await node.call(
            GroupRequest.leave(group: visit.fields["group"] ?? "", erasing: isErasing))
        if group.dismissed { return say(Self.text(ofDismissing: group), then: "/friends", visit) }
        let erased = isErasing ? " Your friends' machines delete your results when they hear of it." : ""
        return say("You have left “\(group.title)”.\(erased)", then: "/friends", visit)
    }

    private static func text(ofDismissing group: GroupReport) -> String {
        "“\(group.title)” is off your list. Your own results stay."
    }

    /// Takes a group that has ended for this user off the list. Never leaves a group that the user is in again.
    func dismissGroup(_ visit: Visit) async throws -> Response {
        let group = try await frame().report(visit.fields)
        guard !group.isCurrent else { return .seeOther(visit.back) }
        let report = try await node.call(
            GroupRequest.leave(group: group.id, erasing: false))
        // The group's own page no longer exists.
        return say(
            Self.text(ofDismissing: report), then: visit.back.contains(group.id) ? "/friends" : visit.back, visit)
    }
}
