import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// The profile of a member of a group.
extension Boards {
    /// The most games of one profile.
    private static let maximumGames = 100

    /// What this user may see of a member's results; nil of a member who is on no board.
    func numbers(of user: UserID, in group: GroupID) throws -> PlayerReport.Numbers? {
        guard user == core.identity.user || core.isPlayer(user, in: group) else { return nil }
        let subject = subject(user, in: group)
        let achievements = try achievements(of: subject)
        let streaks = try streaks(date: nil, subject)
        let overview = subject.insights.overview(of: .everything)
        return PlayerReport.Numbers(
            level: achievements.level, coins: achievements.coins, levelFloor: achievements.levelFloor,
            levelCeiling: achievements.levelCeiling, badges: achievements.badges, unlocked: achievements.unlocked,
            total: achievements.total, unlocks: achievements.latest, played: overview.played,
            completed: overview.completed,
            games: overview.perGame.prefix(Self.maximumGames).map {
                GameCountReport(
                    game: $0.game.rawValue, gameName: core.namedGame($0.game, in: group).name, count: $0.count)
            },
            streaks: streaks.streaks.filter { $0.current > 0 }, overall: streaks.overall,
            secondsPlayed: subject.insights.secondsPlayed(), bests: bests(of: subject),
            coveredCount: subject.coveredCount)
    }

    /// A member's best results, with their ranks among the bests of all who are on the group's boards.
    private func bests(of subject: InsightSubject) -> [PlayerReport.Best] {
        let group = subject.group
        let others = (core.engine.state(of: group)?.members ?? []).map(\.user).filter { user in
            user != subject.user && core.isPlayer(user, in: group)
        }
        var rivals: [GameID: [DailyScore]] = [:]
        for user in others {
            for best in self.subject(user, in: group).insights.personalBests() {
                rivals[best.game.id, default: []].append(best.score)
            }
        }
        let bests = subject.insights.personalBests().filter { $0.game.model != .count }.map { best in
            let all = rivals[best.game.id] ?? []
            return PlayerReport.Best(
                game: best.game.id.rawValue, gameName: best.game.name, icon: best.game.emoji, label: best.label,
                day: best.score.day.description, timesBeaten: best.timesBeaten,
                rank: 1 + all.count { Scoring.isBetter($0, than: best.score, in: best.game) }, of: 1 + all.count)
        }
        return Array(
            bests.sorted { ($0.rank, -$0.of, $0.gameName, $0.game) < ($1.rank, -$1.of, $1.gameName, $1.game) }
                .prefix(Self.maximumGames))
    }
}
