extension DailyScore {
    /// Whether two statements about one puzzle agree; what only one of them says is no contradiction.
    public func agrees(with other: DailyScore, inHardMode statesHardMode: Bool = false) -> Bool {
        func agree(_ left: Int?, _ right: Int?) -> Bool { left == nil || right == nil || left == right }
        return score == other.score && isCompleted == other.isCompleted && agree(seconds, other.seconds)
            && agree(hints, other.hints) && agree(mistakes, other.mistakes) && agree(maxAttempts, other.maxAttempts)
            && (!statesHardMode || isHardMode == other.isHardMode)
    }

    /// Whether this says nothing of the puzzle that `other` does not say, too.
    public func isTold(by other: DailyScore) -> Bool {
        agrees(with: other) && (seconds == nil || other.seconds != nil) && (hints == nil || other.hints != nil)
            && (mistakes == nil || other.mistakes != nil)
    }

    /// Whether both are one result; they may have been written at different times.
    public func isSame(as other: DailyScore) -> Bool {
        var other = other
        other.updatedAt = updatedAt
        return self == other
    }
}
