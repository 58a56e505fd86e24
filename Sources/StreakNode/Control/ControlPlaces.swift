import NIOCore
import Synchronization

/// Which connections of the control socket give way when others wait for a place: those that have long waited to send a
/// request, the oldest first. One with a command or a watcher under way never does. Watchers stay for hours, so they may
/// take only some of the places.
final class ControlPlaces: Sendable {
    private struct State {
        /// Silent connections, the one that has been so for the longest time first.
        var silent: [any Channel] = []
        /// Whether the next connection that falls silent is to be closed.
        var isWanted = false
        var watchers = 0
    }

    private let state = Mutex(State())

    /// Closes a silent connection: now, or else the next one.
    func makeRoom() {
        let oldest = state.withLock { state -> (any Channel)? in
            guard state.silent.isEmpty else { return state.silent.removeFirst() }
            state.isWanted = true
            return nil
        }
        oldest?.close(promise: nil)
    }

    /// A place has become free.
    func roomMade() { state.withLock { $0.isWanted = false } }

    /// A connection has waited long to send a request.
    func fellSilent(_ channel: any Channel) {
        let isClosed = state.withLock { state in
            if !state.isWanted { state.silent.append(channel) }
            defer { state.isWanted = false }
            return state.isWanted
        }
        if isClosed { channel.close(promise: nil) }
    }

    /// A connection has sent a request, or ended.
    func spoke(_ channel: any Channel) { state.withLock { $0.silent.removeAll { $0 === channel } } }

    /// Counts one more watcher; false where there are as many as there may be.
    func watchBegan() -> Bool {
        state.withLock { state in
            guard state.watchers < ControlServer.maximumWatchers else { return false }
            state.watchers += 1
            return true
        }
    }

    func watchEnded() { state.withLock { $0.watchers -= 1 } }
}
