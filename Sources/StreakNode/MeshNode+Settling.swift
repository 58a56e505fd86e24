import StreakEngine

/// A task that waits until the exchange with others has come to rest.
struct Settler {
    let earliest: MonotonicInstant
    let latest: MonotonicInstant
    /// Until when a first link is waited for.
    let linked: MonotonicInstant
    let continuation: CheckedContinuation<Void, Never>
}

extension MeshNode {
    /// How long reachable peers are waited for at the least and at the most.
    private static let shortest: Duration = .milliseconds(150)
    static let longest: Duration = .seconds(6)

    /// Waits until nothing is under way with anybody who is linked, but not for ever; and for a first link as long as is said.
    func settle(waitingForLinks limit: Duration = .zero) async {
        guard network != nil else { return }
        let now = clock.now
        await withCheckedContinuation { continuation in
            settlers.append(
                Settler(
                    earliest: now.advanced(by: Self.shortest), latest: now.advanced(by: Self.longest),
                    linked: now.advanced(by: limit), continuation: continuation))
            setAlarm()
        }
    }

    /// Lets go on who has waited enough.
    func releaseSettlers() {
        guard !settlers.isEmpty else { return }
        let now = clock.now
        let isResting = !engine.isExchanging
        let hasLink = !engine.linkedDevices.isEmpty
        var remaining: [Settler] = []
        for settler in settlers {
            let isDone = isResting && now >= settler.earliest && (hasLink || now >= settler.linked)
            if isDone || now >= settler.latest || isClosed {
                settler.continuation.resume()
            } else {
                remaining.append(settler)
            }
        }
        settlers = remaining
    }

    /// When settlers are to be looked at next.
    var nextSettling: MonotonicInstant? {
        // In between, every turn of the loop looks: only what comes in changes what is under way.
        let now = clock.now
        return settlers.compactMap { settler in
            [settler.earliest, settler.linked, settler.latest].filter { $0 > now }.min() ?? settler.latest
        }.min()
    }
}
