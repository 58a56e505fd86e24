extension DailyScore {
    /// Whether two statements about one puzzle agree. A value that only one states is not a contradiction.
    public func agrees(with other: DailyScore, inHardMode statesHardMode: Bool = false) -> Bool {
        func agree(_ left: Int?, _ right: Int?) -> Bool { left == nil || right == nil || left == right }
        return score == other.score && isCompleted == other.isCompleted && agree(seconds, other.seconds)
            && agree(hints, other.hints) && agree(mistakes, other.mistakes) && agree(maxAttempts, other.maxAttempts)
            && (!statesHardMode || isHardMode == other.isHardMode)
    }

    /// Whether `other` states everything that this states.
    public func isTold(by other: DailyScore) -> Bool {
        agrees(with: other) && (seconds == nil || other.seconds != nil) && (hints == nil || other.hints != nil)
            && (mistakes == nil || other.mistakes != nil)
    }

    /// Whether both are the same result, possibly written at different times.
    public func isSame(as other: DailyScore) -> Bool {
        var other = other
        other.updatedAt = updatedAt
        return self == other
    }
}
