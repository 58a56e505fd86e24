import Synchronization

/// The lines that a running program wrote, and a way to wait for the next one.
public final class EventLog: Sendable {
    private struct State {
        var lines: [String] = []
        var hasEnded = false
        var waiting: [@Sendable () -> Void] = []
    }

    private let state = Mutex(State())

    public init() {}

    public var lines: [String] { state.withLock(\.lines) }

    /// How many lines there are so far: a place to look for later ones from.
    public var count: Int { state.withLock(\.lines.count) }

    /// The lines that are JSON documents.
    public func events(from start: Int = 0) -> [JSONValue] {
        // What is no JSON, such as a log line, is no event.
        lines.dropFirst(start).compactMap { try? JSONValue(parsing: $0) }
    }

    func append(_ line: String) {
        wake { $0.lines.append(line) }
    }

    func end() {
        wake { $0.hasEnded = true }
    }

    private func wake(_ change: (inout State) -> Void) {
        let waiting = state.withLock { state in
            change(&state)
            defer { state.waiting = [] }
            return state.waiting
        }
        for resume in waiting { resume() }
    }

    /// Returns when there are more than `count` lines, at the end, or when time is up.
    public func grown(beyond count: Int, limit: Duration) async {
        _ = await withCheckedContinuation { (continuation: CheckedContinuation<Bool?, Never>) in
            let limit = Limit(continuation, after: limit)
            let isDone = state.withLock { state in
                if state.lines.count > count || state.hasEnded { return true }
                state.waiting.append { limit.settle(true) }
                return false
            }
            if isDone { limit.settle(true) }
        }
    }

    /// The first event from line `start` on that fits.
    public func first(
        from start: Int = 0, limit: Duration = .seconds(20), _ what: String, where fits: (JSONValue) -> Bool
    ) async throws -> JSONValue {
        let deadline = ContinuousClock.now + limit
        while true {
            let seen = count
            if let event = events(from: start).first(where: fits) { return event }
            let left = deadline - .now
            guard left > .zero, !state.withLock({ $0.hasEnded && $0.lines.count == seen }) else {
                throw TestFailure("waited in vain for \(what); there was \(lines.dropFirst(start))")
            }
            await grown(beyond: seen, limit: left)
        }
    }
}

/// Why a test could not go on.
public struct TestFailure: Error, CustomStringConvertible {
    public var description: String

    public init(_ description: String) {
        self.description = description
    }
}
