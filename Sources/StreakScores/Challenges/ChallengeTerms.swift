public import StreakGames

/// What one player said to a challenge, and when.
public struct ChallengeReply: Hashable, Sendable {
    public let accepts: Bool
    /// Unix seconds.
    public let at: Int64

    public init(accepts: Bool, at: Int64) {
        self.accepts = accepts
        self.at = at
    }
}

/// How a challenge stands for one of those who were challenged, or how it ended. *Won* means that they have beaten the
/// target.
public enum ChallengeOutcome: String, Hashable, Sendable, CaseIterable {
    case open, won, lost, drawn, expired, declined
    /// They had played the puzzle before they were challenged.
    case playedBefore

    /// Whether it counts as won, lost or drawn.
    public var isDecided: Bool { self == .won || self == .lost || self == .drawn }
}

/// When a challenge was made, until when it lasts, and whether it is to one player: what its outcome follows from, with
/// the two results and the reply (Protocol/records.md §3.9).
public struct ChallengeTerms: Hashable, Sendable {
    /// Unix seconds.
    public let madeAt: Int64
    /// It ends when this day is over everywhere.
    public let lastDay: PuzzleDay
    /// Whether it is to this player alone, who takes part by playing. In one to the whole group only those take part
    /// who accept it.
    public let isPersonal: Bool

    /// Two clocks may differ by so much, in seconds: as far as records may be dated ahead.
    public static let clockDifference: Int64 = 600
    /// The most days that a challenge lasts after the day on which it is made.
    public static let longest = 7

    public init(madeAt: Int64, lastDay: PuzzleDay, isPersonal: Bool) {
        self.madeAt = madeAt
        self.lastDay = lastDay
        self.isPersonal = isPersonal
    }

    /// Whether its last day can be one: not over when the challenge was made, and not too far away in any time zone.
    public var isPossible: Bool {
        lastDay.endEverywhere > madeAt && lastDay <= PuzzleDay.furthest(at: madeAt).adding(days: Self.longest)
    }

    /// How it stands for one player; nil if they take no part in it.
    ///
    /// - Parameters:
    ///   - result: the player's result of the challenger's puzzle, which has the same key as `target`.
    ///   - lastFinalDay: the last day that is over everywhere.
    public func outcome(
        target: DailyScore, result: DailyScore?, reply: ChallengeReply?, lastFinalDay: PuzzleDay, in game: Game
    ) -> ChallengeOutcome? {
        func precedes(_ time: Int64, _ result: DailyScore) -> Bool {
            result.firstRecordedAt >= time.subtractingReportingOverflow(Self.clockDifference).partialValue
        }
        var result = result
        if let played = result, !precedes(madeAt, played) {
            // An earlier high score can still be beaten by its own player.
            guard game.model == .highScore else { return isPersonal ? .playedBefore : nil }
            result = nil
        }
        // What is said after playing changes nothing.
        let reply = reply.flatMap { said in result.map { precedes(said.at, $0) } ?? true ? said : nil }
        if reply?.accepts == false { return .declined }
        guard isPersonal || reply != nil else { return nil }
        if let result, result.firstRecordedAt < lastDay.endEverywhere {
            let (mine, theirs) = (RawOrder(result, in: game), RawOrder(target, in: game))
            return mine < theirs ? .won : theirs < mine ? .lost : .drawn
        }
        return lastFinalDay >= lastDay ? .expired : .open
    }
}

/// How many challenges a player has won, lost and drawn.
public struct ChallengeTally: Hashable, Sendable {
    public private(set) var won = 0
    public private(set) var lost = 0
    public private(set) var drawn = 0

    public init(won: Int = 0, lost: Int = 0, drawn: Int = 0) {
        self.won = won
        self.lost = lost
        self.drawn = drawn
    }

    /// Counts an outcome of a player who was challenged, or with `isChallenger` for the player who challenged them.
    public mutating func add(_ outcome: ChallengeOutcome, isChallenger: Bool = false) {
        switch outcome {
        case .won: if isChallenger { lost += 1 } else { won += 1 }
        case .lost: if isChallenger { won += 1 } else { lost += 1 }
        case .drawn: drawn += 1
        case .open, .expired, .declined, .playedBefore: break
        }
    }
}
