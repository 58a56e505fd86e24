/// Unsigned runs of an answer, held until the run comes whose signature covers them.
public struct UnsignedPieces: Sendable {
    /// How large unsigned runs before a signed one may be, in packed bytes: with that run they have to fit an answer
    /// (Protocol/sync.md §4).
    static let maximumSize = 131_072
    /// The same in records: a packed byte can stand for hundreds of them.
    static let maximumCount = 32_768

    private var pieces: [Run] = []

    public init() {}

    /// Whether runs are few and short enough to come unsigned before a signed one.
    static func mayStand(_ runs: some Sequence<Run>) -> Bool {
        var (size, count) = (0, 0)
        for run in runs { (size, count) = (size + run.packed.count, count + run.count) }
        return size <= maximumSize && count <= maximumCount
    }

    /// Holds a run, after those that it follows.
    public mutating func hold(_ piece: Run) {
        if pieces.last.map({ $0.feed != piece.feed || $0.last + 1 != piece.first }) ?? false { pieces = [] }
        pieces.append(piece)
        if !Self.mayStand(pieces) { pieces = [] }
    }

    /// Removes and returns the runs right before a run.
    public mutating func take(before run: Run) -> [Run] {
        defer { pieces = [] }
        guard let last = pieces.last, last.feed == run.feed, last.last + 1 == run.first else { return [] }
        return pieces
    }
}
