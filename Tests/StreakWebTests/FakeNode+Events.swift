import Foundation

@testable import StreakNode

/// The fake node's weekly events.
extension FakeNode {
    private var plan: EventPlanReport {
        EventPlanReport(
            rule: "double", game: "wordle", gameName: gameName("wordle"), icon: "🟩",
            name: "Double \(gameName("wordle"))", text: "The points of all games count, those of one twice.",
            url: "https://www.nytimes.com/games/wordle", chosenBy: name(0), chosenAt: "2026-11-14T09:00:00Z")
    }

    func event(_ request: EventRequest) throws -> EventReport {
        guard scenario != .lonely, scenario != .removed else { throw NodeFailure.noGroup() }
        guard case .show(let date, _) = request else { return eventReport(isOver: false) }
        return eventReport(isOver: date.map { $0 < "2026-11-16" } ?? false)
    }

    private func eventReport(isOver: Bool) -> EventReport {
        let rows = scenario == .silent ? [] : (0..<4).map { row($0, isOver: isOver) }
        return EventReport(
            group: Self.group, title: title, week: isOver ? "2026-W46" : "2026-W47",
            from: isOver ? "2026-11-09" : "2026-11-16", to: isOver ? "2026-11-15" : "2026-11-22", rule: "double",
            plan: plan, starts: "2026-11-16T00:00:00Z", ends: "2026-11-23T12:00:00Z", over: isOver,
            secondsLeft: isOver ? 0 : 133_200, left: isOver ? nil : "1d 13h 0m", rows: rows,
            mine: rows.first(where: \.me), ranked: max(rows.count - 1, 0), coveredCount: rows.isEmpty ? 0 : 2,
            corrected: isOver, nextWeek: "2026-W48",
            next: EventPlanReport(
                rule: "most-games", icon: "🎲", name: "Most games",
                text: "Who solves the most different games is first."),
            mayChoose: scenario != .outsider,
            past: rows.isEmpty
                ? []
                : [
                    PastEventReport(
                        week: "2026-W46", from: "2026-11-09", to: "2026-11-15", name: plan.name, icon: "🟩",
                        winners: [.init(user: Self.user(0), name: name(0), me: false)], label: "41 pts", ranked: 3,
                        corrected: true)
                ])
    }

    private func row(_ index: Int, isOver: Bool) -> EventRowReport {
        let isCovered = index == 3 && !isOver
        return EventRowReport(
            rank: isCovered ? nil : [1, 2, 2, 4][index], tied: index == 1 || index == 2, user: Self.user(index),
            name: name(index), me: index == 1, value: isCovered ? 0 : 41 - index, label: "\(41 - index) pts",
            results: isCovered ? 0 : 6, covered: isCovered ? 2 : 0, corrected: isOver && index == 0,
            coins: isOver ? (index == 0 ? 1_000 : 500) : nil, badge: isOver && index == 0, onlyMe: false)
    }
}
