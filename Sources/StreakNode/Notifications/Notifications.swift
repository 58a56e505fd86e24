import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Shows this user what of the feed they should know at once, on one of their machines.
///
/// `NotificationPlan` decides what. What was shown is kept in the private group before it is shown, so no other machine
/// shows it again. Machines that are online together take turns: each waits a little longer than the one before.
final class Notifications {
    private static let choicesSetting = "notifications"
    /// Changes that come within this time are looked at together.
    private static let pause: Duration = .seconds(2)
    /// A machine waits so much longer for each machine before it.
    private static let turn: Duration = .seconds(5)
    /// The longest time between two looks: quiet hours end, and events come to theirs.
    private static let longestWait: Duration = .seconds(900)

    private let core: NodeCore
    private let loop: NodeLoop
    private let activity: Activity
    private let reminders: Reminders
    /// The edition of the views that was looked at, and when to look again.
    private var edition: UInt64?
    private var due: MonotonicInstant?
    /// Whether the feed was made soon after the start, so that it is at hand for the first page. Somebody who starts
    /// without a group has none to make, and soon the work of getting others' results.
    private var isFeedMade: Bool
    /// What is shown as soon as its log is stored.
    private var waiting: (log: NotificationLog, texts: [String])?

    init(core: NodeCore, loop: NodeLoop, activity: Activity, reminders: Reminders) {
        (self.core, self.loop, self.activity, self.reminders) = (core, loop, activity, reminders)
        isFeedMade = core.memberGroups.isEmpty
    }

    private var choices: NotificationChoices {
        NotificationChoices(text: core.accountSettings.text(Self.choicesSetting) ?? "")
    }

    private var plan: NotificationPlan {
        NotificationPlan(
            me: core.identity.user, look: core.accountSettings.look, logs: core.accountSettings.notificationLogs,
            choices: choices, now: core.clock.wallTime.seconds, calendar: core.clock.calendar)
    }

    // MARK: Requests

    /// - Parameter limit: How many notices are told at most.
    func report(notices limit: Int = 100) -> NotificationsReport {
        let (plan, choices) = (plan, choices)
        return NotificationsReport(
            kinds: NotificationKind.allCases.map { kind in
                NotificationsReport.Kind(kind: kind.rawValue, on: !choices.off.contains(kind))
            },
            quiet: choices.quiet?.text, shownToday: plan.shownToday, most: NotificationPlan.most,
            desktop: reminders.showsOnDesktop, command: reminders.reminderCommand, reminders: reminders.isOn,
            fresh: activity.freshCount,
            notices: (limit == 0 ? [] : activity.news().prefix(limit)).map { item in
                NoticeReport(
                    id: String(item.entry.id, radix: 16), kind: item.entry.kind.rawValue,
                    at: Timestamp(seconds: item.entry.at).text, text: activity.sentence(item),
                    seen: !plan.look.isNew(item.entry, to: core.identity.user))
            })
    }

    func change(_ change: NotificationChange) async throws {
        let changed = try choices.changed(by: change)
        if changed != choices {
            try await loop.storeSettings([.setting(name: Self.choicesSetting, value: Array(changed.text.utf8))])
        }
        if change.desktop != nil || change.command != nil {
            try await reminders.change(ReminderChange(desktop: change.desktop, command: change.command))
        }
        edition = nil
        loop.process()
    }

    // MARK: Showing

    /// Looks at the feed, if something has changed or some time is over, and has what is due written and shown.
    func follow() {
        let now = core.clock.now
        if core.edition != edition {
            edition = core.edition
            let soon = now.advanced(by: Self.pause + Self.turn * place)
            due = due.map { min($0, soon) } ?? soon
        }
        guard let due, due <= now else { return }
        self.due = now.advanced(by: Self.longestWait)
        tell()
    }

    /// When to look next.
    var next: MonotonicInstant? { due }

    /// How many machines of the user's that are online come before this one.
    private var place: Int {
        guard let privateGroup = core.privateGroup else { return 0 }
        let mine = core.identity.device
        return (core.engine.state(of: privateGroup)?.devices ?? []).count { device in
            device.isCurrent && device.device < mine && core.engine.route(to: device.device, in: privateGroup) != nil
        }
    }

    /// A machine that can show nothing outside of the page leaves that to the others: on the page there is the bell.
    private func tell() {
        guard !core.engine.isShutOut, let privateGroup = core.privateGroup else { return }
        if !isFeedMade {
            isFeedMade = true
            _ = activity.freshCount
        }
        guard reminders.showsOutside else { return }
        let items = activity.news()
        let plan = plan
        let shown = plan.shown(of: items.map(\.entry))
        guard !shown.isEmpty else { return }
        let sentences = Dictionary(items.map { ($0.entry.id, $0) }) { first, _ in first }
        let texts = shown.compactMap { entries -> String? in
            guard entries.count == 1, let entry = entries.first else { return NotificationPlan.summary(of: entries) }
            return sentences[entry.id].map(activity.sentence)
        }
        let device = core.identity.device
        let known = core.accountSettings.notificationLog(of: device) ?? NotificationLog()
        let log = known.adding(shown, on: plan.today, at: plan.now)
        waiting = (log, texts)
        loop.post(.write([(privateGroup, [AccountSettings.draft(stating: log, of: device)])]))
    }

    /// Shows what is written by now. The private group has changed.
    func showWritten() {
        guard let waiting, core.accountSettings.notificationLog(of: core.identity.device) == waiting.log else { return }
        self.waiting = nil
        for text in waiting.texts { reminders.show(text, leadingTo: "streakmesh://activity") }
    }

    /// What was not written is not shown.
    func forget() { (waiting, edition) = (nil, nil) }
}
