public import StreakGames
public import StreakScores
public import StreakWire

/// The challenges of a group and what was said to them, derived from its merged records (Protocol/records.md §3.9,
/// §3.10).
///
/// It knows neither which results stand nor who is a member. `duels(of:…)` is told, and says how a challenge stands.
public struct GroupChallenges: Sendable {
    /// A challenge that counts.
    public struct Standing: Hashable, Sendable {
        public let name: ChallengeName
        public let challenge: Challenge
        /// When it was made, in milliseconds since 1970: as its challenger says, but not after the record.
        public let madeAt: Int64

        /// For each of those who are challenged.
        public var terms: ChallengeTerms {
            ChallengeTerms(
                madeAt: madeAt / 1_000, lastDay: challenge.lastDay, isPersonal: challenge.friend != nil)
        }

        /// Whether a challenge is to a user, who is a member.
        public func isTo(_ user: UserID) -> Bool {
            user != name.challenger && (challenge.friend ?? user) == user
        }
    }

    /// One of those who take part in a challenge, against its challenger.
    public struct Duel: Hashable, Sendable {
        public let user: UserID
        public let reply: ChallengeReply?
        /// What the user has played, in time or not.
        public let result: DailyScore?
        public let outcome: ChallengeOutcome
    }

    private struct Kept: Sendable {
        let challenge: Challenge
        let time: HybridTime
    }

    /// Of one user's challenges with the same last day, so many count: those with the largest IDs.
    public static let maximumOfLastDay = 8
    /// And of all of one user's challenges so many: those with the latest last days.
    public static let maximumOfOne = 1_000

    private var kept: [ChallengeName: Kept] = [:]
    /// IDs of each challenger's challenges with a last day, rising.
    private var idsByDay: [UserID: [PuzzleDay: [WritingID]]] = [:]
    private var replies: [ChallengeName: [UserID: ChallengeReply]] = [:]

    public init() {}

    // MARK: Merging

    /// Takes the new value of a challenge or an answer. What cannot be read counts as a withdrawal.
    public mutating func apply(_ record: MergedRecord) {
        switch RecordKind(rawValue: record.key.kind) {
        case .challenge: applyChallenge(record)
        case .challengeAnswer: applyAnswer(record)
        case .dailyScore, .profile, .address, .gameDefinition, .reaction, .comment, .event, .setting, .retraction,
            .hiding, .message, nil:
            break
        }
    }

    private mutating func applyChallenge(_ record: MergedRecord) {
        // A subject that is no ID is never shown, whatever its value.
        guard let id = try? WritingID(subject: record.key.subject) else { return }
        let name = ChallengeName(challenger: record.key.user, id: id)
        if let old = kept.removeValue(forKey: name) { remove(name, old.challenge.lastDay) }
        // Withdrawn, or of another version.
        guard let challenge = try? Challenge(subject: record.key.subject, value: record.value) else { return }
        let made = Kept(challenge: challenge, time: record.time)
        guard standing(name, made).terms.isPossible else { return }
        kept[name] = made
        idsByDay[name.challenger, default: [:]][challenge.lastDay, default: []].insertRising(id)
    }

    private mutating func remove(_ name: ChallengeName, _ day: PuzzleDay) {
        idsByDay[name.challenger]?[day]?.removeRising(name.id)
        if idsByDay[name.challenger]?[day]?.isEmpty ?? false { idsByDay[name.challenger]?[day] = nil }
        if idsByDay[name.challenger]?.isEmpty ?? false { idsByDay[name.challenger] = nil }
    }

    private mutating func applyAnswer(_ record: MergedRecord) {
        // A subject that names no challenge answers none, whatever its value.
        guard let name = try? ChallengeName(subject: record.key.subject) else { return }
        // Withdrawn, or of another version.
        let answer = try? ChallengeAnswer(subject: record.key.subject, value: record.value)
        replies[name, default: [:]][record.key.user] = answer.map {
            ChallengeReply(accepts: $0.accepts, at: record.time.milliseconds / 1_000)
        }
        if replies[name]?.isEmpty ?? false { replies[name] = nil }
    }

    private func standing(_ name: ChallengeName, _ kept: Kept) -> Standing {
        Standing(
            name: name, challenge: kept.challenge, madeAt: min(name.id.milliseconds, kept.time.milliseconds))
    }

    // MARK: Reading

    /// The challenges that count and end on or after a day, in the order of their names.
    public func standing(endingFrom first: PuzzleDay = .earliest) -> [Standing] {
        var found: [Standing] = []
        // In any order: they are sorted below.
        for (challenger, days) in idsByDay {
            var left = Self.maximumOfOne
            for day in days.keys.sorted(by: >) where day >= first && left > 0 {
                let ids = (days[day] ?? []).suffix(min(Self.maximumOfLastDay, left))
                left -= ids.count
                found += ids.compactMap { id in
                    let name = ChallengeName(challenger: challenger, id: id)
                    return kept[name].map { standing(name, $0) }
                }
            }
        }
        return found.sorted { $0.name < $1.name }
    }

    /// Those who take part in a challenge; nil if it is none, because its target is gone or its challenger no player.
    ///
    /// - Parameters:
    ///   - isPlayer: whether somebody is shown in the group, and so may take part.
    ///   - index: the results.
    ///   - lastFinalDay: the last day that is over everywhere.
    public func duels(
        of standing: Standing, isPlayer: (UserID) -> Bool, index: ScoreIndex, lastFinalDay: PuzzleDay, game: Game
    ) -> (target: DailyScore, duels: [Duel])? {
        func result(of user: UserID) -> DailyScore? {
            index.score(standing.challenge.result, of: PlayerID(user.bytes.array))
        }
        let name = standing.name
        guard isPlayer(name.challenger), let target = result(of: name.challenger) else { return nil }
        let replies = replies[name] ?? [:]
        let users = standing.challenge.friend.map { [$0] } ?? replies.keys.sorted()
        let duels = users.filter { standing.isTo($0) && isPlayer($0) }.compactMap { user in
            let (reply, result) = (replies[user], result(of: user))
            return standing.terms.outcome(
                target: target, result: result, reply: reply, lastFinalDay: lastFinalDay, in: game
            ).map { Duel(user: user, reply: reply, result: result, outcome: $0) }
        }
        return standing.challenge.friend != nil && duels.isEmpty ? nil : (target, duels)
    }

    /// What a user has said to a challenge.
    public func reply(of user: UserID, to name: ChallengeName) -> ChallengeReply? { replies[name]?[user] }
}
