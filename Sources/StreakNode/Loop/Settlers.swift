import StreakLinks
import StreakWire

/// Callers that wait until the exchange with others has settled.
struct Settlers {
    private struct Settler {
        let earliest: MonotonicInstant
        let latest: MonotonicInstant
        /// How long to wait for a first link.
        let linked: MonotonicInstant
        let continuation: CheckedContinuation<Void, Never>
    }

    /// How long to wait for reachable peers, at least and at most.
    private static let shortest: Duration = .milliseconds(150)
    static let longest: Duration = .seconds(6)

    private var settlers: [Settler] = []

    var isEmpty: Bool { settlers.isEmpty }

    /// Waits for a first link for as long as `limit`.
    mutating func wait(
        _ continuation: CheckedContinuation<Void, Never>, from now: MonotonicInstant, forLinks limit: Duration
    ) {
        settlers.append(
            Settler(
                earliest: now.advanced(by: Self.shortest), latest: now.advanced(by: Self.longest),
                linked: now.advanced(by: limit), continuation: continuation))
    }

    /// Releases callers that have waited long enough.
    mutating func release(at now: MonotonicInstant, isResting: Bool, hasLink: Bool) {
        var remaining: [Settler] = []
        for settler in settlers {
            let isDone = isResting && now >= settler.earliest && (hasLink || now >= settler.linked)
            if isDone || now >= settler.latest {
                settler.continuation.resume()
            } else {
                remaining.append(settler)
            }
        }
        settlers = remaining
    }

    /// Releases all callers: the node stops.
    mutating func releaseAll() {
        for settler in settlers { settler.continuation.resume() }
        settlers = []
    }

    /// When to look next. In between, every turn looks, because only inputs change what is in progress.
    func next(after now: MonotonicInstant) -> MonotonicInstant? {
        settlers.compactMap { settler in
            [settler.earliest, settler.linked, settler.latest].filter { $0 > now }.min() ?? settler.latest
        }.min()
    }
}
