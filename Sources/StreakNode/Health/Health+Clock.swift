import StreakEngine
import StreakLinks
import StreakMembership
import StreakWire

/// Whose clock is wrong, and which records a wrong clock has dated.
extension Health {
    func clockReport() -> ClockReport {
        let comparison = core.engine.compareClocks(at: core.clock.now, wallTime: core.clock.wallTime)
        var report = ClockReport(state: "unknown")
        switch comparison.verdict {
        case .unknown: break
        case .agrees, .othersAreWrong: report.state = "right"
        case .ownIsAhead(let lead):
            report.seconds = Int(clamping: lead.nanoseconds / 1_000_000_000)
            report.state = lead > .zero ? "ahead" : "behind"
        case .differs: report.state = "differs"
        }
        // Anonymous members stay anonymous: a clock identifies its owner as much as a name.
        report.others = comparison.different.compactMap { member in
            let group = core.sharedGroups.first { group in
                core.engine.state(of: group)?.device(member.device).map { !core.isAnonymous($0.user, in: group) }
                    ?? false
            }
            guard let group, let user = core.engine.state(of: group)?.device(member.device)?.user else { return nil }
            return ClockReport.Other(
                user: core.shownID(of: user, in: group), name: core.name(of: user, in: group),
                device: member.device.description, seconds: Int(clamping: member.lead.nanoseconds / 1_000_000_000))
        }
        for group in core.ownGroups {
            let waiting = core.engine.waitingRecords(of: group)
            // A result stands in several groups and in the private one.
            report.ownWaiting = max(report.ownWaiting, waiting.own)
            report.waiting += waiting.all - waiting.own
        }
        return report
    }

    /// Retracts what this machine dated ahead, and writes it again.
    ///
    /// - Throws: `clockWrong` while this machine's clock is still ahead of most others', unless `isForced`.
    func repairClock(isForced: Bool) async throws -> ClockReport {
        let before = clockReport()
        if before.state == "ahead", let seconds = before.seconds, !isForced {
            throw NodeFailure.clockWrong(seconds: seconds)
        }
        let outcome = try await loop.execute(.retract)
        var report = clockReport()
        if case .retracted(let count) = outcome { report.repaired = count }
        return report
    }
}

extension ClockReport {
    /// Whether it is this machine's clock that is wrong.
    var isWrong: Bool { state == "ahead" || state == "behind" }

    /// The notice to the user about a wrong clock.
    var notice: String {
        let isAhead = state == "ahead"
        let effect = isAhead ? "your friends see your results late" : "you see your friends’ results late"
        return "This machine’s clock is \(Self.length(seconds ?? 0)) \(isAhead ? "ahead of" : "behind") your friends’. "
            + "Set it right: until then \(effect)."
    }
}
