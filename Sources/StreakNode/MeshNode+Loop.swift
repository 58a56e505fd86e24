import NIOCore
import NIOPosix
import StreakCrypto
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// The node's loop: what came in goes to the engine, what it answers is done, what it wants kept is stored.
extension MeshNode {
    /// How long a store that refused a change is left alone before anything is taken from others again.
    private static let pause: Duration = .seconds(10)
    /// Rounds after which a turn ends, so that commands get theirs.
    private static let maximumRounds = 256

    /// Hands the engine all that has come in, then does what it says, storing all changes in one transaction.
    func process() {
        guard !isClosed else { return }
        engine.aliasGroups = Set(ownGroups.filter { ownProfile(in: $0).isAnonymous })
        for _ in 0..<Self.maximumRounds {
            let inputs = inbox.take()
            for input in inputs { handle(input) }
            let codes = inbox.takeCodes()
            for (user, code) in codes {
                if !needsRecovery { feed(.codeDerived(user, code)) }
                codeArrived(code, of: user)
            }
            let isStoring = !transaction.isEmpty
            if isStoring { flush() }
            let isDue = !needsRecovery && engine.nextDeadline.map { $0 <= clock.now } ?? false
            if isDue { feed(.deadlineReached) }
            let isWriting = pausedUntil == nil && (introduceToNewGroups() || writeOwnWords())
            if inputs.isEmpty, codes.isEmpty, !isStoring, !isDue, !isWriting { break }
        }
        if let pausedUntil, pausedUntil <= clock.now { resume() }
        remind()
        if !transaction.isEmpty { flush() }
        if !settlers.isEmpty {
            settlers.release(at: clock.now, isResting: !engine.isExchanging, hasLink: !engine.linkedDevices.isEmpty)
        }
        setAlarm()
    }

    /// Writes what was noted of this user's own results. Returns whether there was anything.
    private func writeOwnWords() -> Bool {
        // All that there is, each once.
        [writeLostResults(), writeNewerResults(), writeMissedResults(), keepDifferences()].contains(true)
    }

    private func handle(_ input: NetworkInput) {
        defer { network?.consumed(input) }
        guard pausedUntil == nil else {
            if case .streamAccepted(let id, _) = input { network?.closeStream(id) }
            return
        }
        switch input {
        case .datagram(let bytes, let from): feed(.link(.datagramReceived(bytes, from: from)))
        case .beacon(let bytes, let from): feed(.beaconReceived(bytes, from: from))
        case .streamAccepted(let id, let from): feed(.link(.streamAccepted(id, from: from)))
        case .streamOpened(let id): feed(.link(.streamOpened(id)))
        case .streamFailed(let id): feed(.link(.streamFailed(id)))
        case .streamBytes(let id, let bytes): feed(.link(.streamBytesReceived(id, bytes)))
        case .streamClosed(let id): feed(.link(.streamClosed(id)))
        case .interfacesChanged: feed(.networkChanged(addresses: ownEndpoints()))
        }
    }

    func feed(_ input: EngineInput) {
        perform(engine.handle(input, at: clock.now, wallTime: clock.wallTime))
    }

    func perform(_ outputs: [EngineOutput]) {
        for output in outputs {
            switch output {
            case .link(.sendDatagram(let bytes, let to)): network?.sendDatagram(bytes, to: to)
            case .link(.openStream(let id, let to)): network?.openStream(id, to: to)
            case .link(.sendStream(let id, let bytes)): network?.sendStream(id, bytes)
            case .link(.closeStream(let id)): network?.closeStream(id)
            case .sendBeacon(let bytes, let to): network?.sendBeacon(bytes, to: to)
            case .persist(let change, let id):
                transaction.append(change, id)
            case .complete(let id, let outcome): commands.complete(id, outcome)
            case .deriveCode(let user): deriveCode(of: user)
            case .publish(let event): observe(event)
            }
        }
    }

    /// Has a code worked out beside this actor; the loop hands it to the engine.
    func deriveCode(of user: UserID) {
        if let code = knownCode(of: user).flatMap({ FriendCode($0) }) { return inbox.put(code, of: user) }
        let inbox = inbox
        NIOThreadPool.singleton.submit { state in
            // Without memory, or at the end of the process, there is none.
            inbox.put(state == .active ? try? FriendCode(of: user) : nil, of: user)
        }
    }

    /// Sees to it that the loop turns when the engine next wants it to.
    func setAlarm() {
        guard network != nil || isRunning else { return }
        let isServing = network != nil
        let candidates = [
            isServing ? pausedUntil ?? engine.nextDeadline : nil, settlers.next(after: clock.now),
            nextReminder,
        ]
        if let due = candidates.compactMap({ $0 }).min() { alarm.set(for: due, at: clock.now, waking: inbox) }
    }

    // MARK: Storing

    /// Stores what the engine asked for, then tells it.
    private func flush() {
        let stored = transaction.take()
        do {
            try store.apply(stored.change, keeping: stored.texts)
        } catch {
            refuseEverything(NodeFailure(storage: error))
            return
        }
        for id in stored.ids { feed(.changeStored(id)) }
    }

    /// A change could not be stored: whoever waits is told so, nothing unconfirmed stays in memory, and others are not
    /// listened to for a while. Reading goes on.
    private func refuseEverything(_ failure: NodeFailure) {
        perform(engine.closeLinks(at: clock.now))
        needsRecovery = true
        pausedUntil = clock.now.advanced(by: Self.pause)
        commands.failAll(failure)
        inbox.publish(.notice("Results cannot be stored now. Nothing new is confirmed until there is room again."))
        // Where even reading fails, the next command tries again.
        try? recoverIfNeeded()
    }

    /// Throws away what is in memory and starts again from what is on disk, where that is needed.
    func recoverIfNeeded() throws {
        guard needsRecovery else { return }
        let streams = engine.nextStream
        engine = MeshEngine(
            snapshot: try loadStore(), identity: identity, entropy: SystemEntropy(), wallTime: clock.wallTime)
        engine.nextStream = streams
        transaction.discardChanges()
        needsRecovery = false
        (lostResults, olderResults) = ([:], [:])
        newGroups = []
        rebuildViews()
    }

    /// Meets others again after a pause.
    private func resume() {
        pausedUntil = nil
        do {
            try recoverIfNeeded()
            if let network { startListening(port: network.port) }
            if !namedEndpoints.isEmpty { feed(.command(takeCommandID(), .dialAddresses(namedEndpoints))) }
        } catch {
            pausedUntil = clock.now.advanced(by: Self.pause)
        }
    }
}
