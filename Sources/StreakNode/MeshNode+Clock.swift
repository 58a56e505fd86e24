import StreakEngine
import StreakLinks
import StreakMembership
import StreakWire

/// Clocks: whose is wrong, and what a wrong one has dated.
extension MeshNode {
    func clockReport() -> ClockReport {
        let comparison = engine.compareClocks(at: clock.now, wallTime: clock.wallTime)
        var report = ClockReport(state: "unknown")
        switch comparison.verdict {
        case .unknown: break
        case .agrees, .othersAreWrong: report.state = "right"
        case .ownIsAhead(let lead):
            report.seconds = Int(clamping: lead.nanoseconds / 1_000_000_000)
            report.state = lead > .zero ? "ahead" : "behind"
        case .differs: report.state = "differs"
        }
        // Whoever is anonymous here stays so: a clock is one's own as much as a name is.
        report.others = comparison.different.compactMap { member in
            let group = sharedGroups.first { group in
                engine.state(of: group)?.device(member.device).map { !isAnonymous($0.user, in: group) } ?? false
            }
            guard let group, let user = engine.state(of: group)?.device(member.device)?.user else { return nil }
            return ClockReport.Other(
                user: shownID(of: user, in: group), name: name(of: user, in: group),
                device: member.device.description, seconds: Int(clamping: member.lead.nanoseconds / 1_000_000_000))
        }
        for group in ownGroups {
            let waiting = engine.waitingRecords(of: group)
            // A result stands in several groups and in the private one.
            report.ownWaiting = max(report.ownWaiting, waiting.own)
            report.waiting += waiting.all - waiting.own
        }
        return report
    }

    /// Retracts what this machine has dated ahead, and writes it anew.
    ///
    /// - Throws: `clockWrong` while this machine's clock is still ahead of most others', unless `isForced`.
    func repairClock(isForced: Bool) async throws -> ClockReport {
        let before = clockReport()
        if before.state == "ahead", let seconds = before.seconds, !isForced {
            throw NodeFailure.clockWrong(seconds: seconds)
        }
        let outcome = try await execute(.retract)
        var report = clockReport()
        if case .retracted(let count) = outcome { report.repaired = count }
        return report
    }

    /// Tells once, and again after it was right, that this machine's clock is wrong.
    func noteClock() {
        let report = clockReport()
        let isWrong = report.state == "ahead" || report.state == "behind"
        defer { toldClock = isWrong || (toldClock && report.state == "unknown") }
        guard isWrong, !toldClock, let seconds = report.seconds else { return }
        let isAhead = report.state == "ahead"
        let effect = isAhead ? "your friends see your results late" : "you see your friends’ results late"
        inbox.publish(
            .notice(
                "This machine’s clock is \(ClockReport.length(seconds)) \(isAhead ? "ahead of" : "behind") "
                    + "your friends’. Set it right: until then \(effect)."))
    }
}
