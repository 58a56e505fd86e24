import StreakEngine
import StreakGames
import StreakLinks
import StreakReplication
import StreakScores
import StreakWire

/// Reminders of streaks at risk. All of the user's devices share the choices. How reminders and notifications are shown
/// is a setting of each machine.
final class Reminders {
    private static let choicesSetting = "reminders"
    private static let stateSetting = "reminder-state"
    private static let desktopSetting = "reminder-desktop"
    private static let commandSetting = "reminder-command"
    /// The longest command, in bytes.
    private static let maximumCommandSize = 1_000

    private let core: NodeCore
    private let loop: NodeLoop
    private var dues = DueReminders()
    /// How reminders reach this machine's user outside of the page.
    var desktop = DesktopNotification()

    init(core: NodeCore, loop: NodeLoop) { (self.core, self.loop) = (core, loop) }

    // MARK: What is chosen and kept

    private var reminderChoices: ReminderChoices {
        ReminderChoices(text: core.accountSettings.text(Self.choicesSetting) ?? "")
    }

    private var reminderState: ReminderState { ReminderState(text: core.accountSettings.text(Self.stateSetting) ?? "") }

    var showsOnDesktop: Bool { core.text(of: Self.desktopSetting) != "off" }

    var reminderCommand: String? { core.text(of: Self.commandSetting).flatMap { $0.isEmpty ? nil : $0 } }

    func change(_ change: ReminderChange) async throws {
        let choices = try reminderChoices.changed(by: change)
        let desktop = change.desktop.map { $0 ? "on" : "off" }
        if let command = change.command {
            guard command.utf8.count <= Self.maximumCommandSize, !command.unicodeScalars.contains("\0") else {
                throw NodeFailure.limitReached(what: "bytes of a command", limit: Self.maximumCommandSize)
            }
        }
        var drafts: [RecordDraft] = []
        if choices != reminderChoices {
            drafts.append(.setting(name: Self.choicesSetting, value: Array(choices.text.utf8)))
        }
        for selector in change.exclude {
            drafts.append(AccountSettings.draft(making: .reminded, of: try core.game(selector).id, false))
        }
        for selector in change.include {
            drafts.append(AccountSettings.draft(making: .reminded, of: try core.game(selector).id, nil))
        }
        if !drafts.isEmpty { try await loop.storeSettings(drafts) }
        for (name, value) in [(Self.desktopSetting, desktop), (Self.commandSetting, change.command)] {
            if let value { try await loop.execute(.keepSetting(name: name, value: Array(value.utf8))) }
        }
        loop.process()
    }

    /// The current plan, and whether its window is new. For reminders that are off, `isOn` gives the plan that they
    /// would have.
    private func reminderPlan(isOn: Bool? = nil) -> (plan: ReminderPlan, isNew: Bool) {
        let (choices, state) = (reminderChoices, reminderState)
        var plan = ReminderPlan(
            isOn: isOn ?? choices.isOn, isSmart: choices.isSmart, fixedMinute: choices.minute, window: state.window,
            computedOn: state.computedOn, lastFired: state.lastFired)
        let isNew = plan.refresh(on: core.clock.today) { playingHours }
        return (choices.outOfQuiet(plan), isNew)
    }

    private var playingHours: PlayingHours {
        guard let privateGroup = core.privateGroup else { return PlayingHours(counts: []) }
        return core.insights(of: core.me, in: privateGroup).playingHours(
            upTo: core.clock.today, in: core.clock.calendar)
    }

    /// What a reminder would say on a day.
    private func reminderText(on day: PuzzleDay) -> String? {
        guard let privateGroup = core.privateGroup else { return nil }
        let choices = core.accountSettings.choices(.reminded)
        let atRisk = core.insights(of: core.me, in: privateGroup).atRisk(on: day).filter { choices[$0.game] ?? true }
        return ReminderPlan.text(for: atRisk) { core.knownGame($0) }
    }

    func report(drawn: Bool) -> RemindersReport {
        let choices = reminderChoices
        let (plan, _) = reminderPlan(isOn: true)
        let hours = playingHours
        let window = choices.isSmart ? plan.window : hours.window
        let next = choices.isOn ? plan.next(after: core.clock.wallTime.seconds, in: core.clock.calendar) : nil
        return RemindersReport(
            on: choices.isOn, smart: choices.isSmart, time: TimeOfDay.text(plan.minute),
            fixedTime: TimeOfDay.text(choices.minute), quiet: choices.quiet?.text,
            window: window.map {
                "\(TimeOfDay.text($0.startHour * 60))-\(TimeOfDay.text(min($0.endHour * 60, 1_439)))"
            },
            coverage: window?.coverage.percent, computedOn: plan.computedOn?.description,
            lastReminded: plan.lastFired?.description, next: next.map { Timestamp(seconds: $0.instant).text },
            text: reminderText(on: core.clock.today), desktop: showsOnDesktop, command: reminderCommand,
            excluded: core.accountSettings.choices(.reminded).filter { !$0.value }.keys.map(\.rawValue).sorted(),
            hours: hours.counts, plots: drawn ? PlotReport.list([Plot(hours)]) : [])
    }

    // MARK: Reminding

    /// Shows a reminder that came due since the last check, at most once a day and only if a streak is at risk.
    func remind() {
        guard let privateGroup = core.privateGroup else { return }
        let (plan, isNew) = reminderPlan()
        var state = ReminderState(window: plan.window, computedOn: plan.computedOn, lastFired: plan.lastFired)
        var told: String?
        if let day = dues.dayDue(by: plan, at: core.clock.wallTime.seconds, in: core.clock.calendar) {
            told = reminderText(on: day)
            if told != nil { state.lastFired = day }
        }
        guard isNew || told != nil else { return }
        // Stored before it is shown. If it cannot be stored it is not shown, so that none appears twice.
        let draft = RecordDraft.setting(name: Self.stateSetting, value: Array(state.text.utf8))
        loop.post(.write([(privateGroup, [draft])]))
        guard let told else { return }
        show(told)
    }

    // MARK: Showing

    var isOn: Bool { reminderChoices.isOn }

    /// Whether this machine can show something outside of the page.
    var showsOutside: Bool { reminderCommand != nil || showsOnDesktop && desktop.isThere }

    /// Shows a text on this machine: on the page, on the desktop, by the user's command.
    ///
    /// - Parameter link: what a click on the desktop opens; nil for the first page.
    func show(_ text: String, leadingTo link: String? = nil) {
        core.publish(.notice(text))
        let opening = core.configuration.opening
        if showsOnDesktop { desktop.show(text, opening: opening.isEmpty ? [] : opening + [link].compactMap(\.self)) }
        if let reminderCommand { desktop.run(reminderCommand, with: text) }
    }

    /// When to check for reminders next; nil while they are off.
    var next: MonotonicInstant? {
        guard reminderChoices.isOn else { return nil }
        let wait = dues.wait(for: reminderPlan().plan, at: core.clock.wallTime.seconds, in: core.clock.calendar)
        return core.clock.now.advanced(by: .seconds(wait))
    }
}
