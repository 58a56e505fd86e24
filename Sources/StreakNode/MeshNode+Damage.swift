import StreakEngine
import StreakReplication
import StreakStorage
import StreakWire

/// Damage on the disk. While the node runs, all that is stored is whole in memory too: what is found damaged then is written
/// anew from there, and nobody is asked for it.
extension MeshNode {
    /// How long after a piece of the store the next one is examined: ten megabytes take two hours.
    static let examinationInterval: Duration = .seconds(600)

    /// Examines the next piece of the store where that is due.
    func examineIfDue() {
        guard isRunning, nextExamination <= clock.now else { return }
        nextExamination = clock.now.advanced(by: Self.examinationInterval)
        if pausedUntil == nil { examine() }
    }

    /// Examines the next piece of the store and mends what is damaged in it.
    func examine() {
        // Only then memory holds exactly what the store should.
        guard !needsRecovery, pendingChangeIDs.isEmpty else { return }
        do {
            let (damaged, next) = try store.examine(from: examination)
            if !damaged.isEmpty { try mend() }
            examination = next ?? Examination()
        } catch StorageError.damaged {
            examination = Examination()
            guard !damage.isUnreadable else { return }
            damage.isUnreadable = true
            tellDamage()
        } catch {
            // A full or busy disk: the same piece is examined again next time.
        }
    }

    /// Everything that is damaged: what stays in its place must be whole.
    private func allDamage() throws -> [DamagedRow] {
        var found: [DamagedRow] = []
        var position: Examination? = Examination()
        while let start = position {
            let (damaged, next) = try store.examine(from: start)
            found += damaged
            position = next
        }
        return found
    }

    private func mend() throws {
        let damaged = try allDamage()
        var runs: [RunKey] = []
        var ledgers: Set<GroupID> = []
        var isUnknown = false
        for row in damaged {
            switch row.damage {
            case .run(let key), .runBehindDamage(let key): runs.append(key)
            case .operation(let group, _): ledgers.insert(group)
            case .row, .structure: isUnknown = true
            }
        }
        var change = engine.soundCopies()
        // The name of a feed or a group is random: damaged, it is no other's that is known here.
        let known = Set(change.runs.map { FeedName(group: $0.group, feed: $0.run.feed) })
        let feeds = Set(runs.map { FeedName(group: $0.group, feed: $0.feed) })
        isUnknown = isUnknown || !feeds.isSubset(of: known) || !ledgers.isSubset(of: engine.groupIDs)
        if !isUnknown {
            // A run's number is not random: damaged, it may be another run's. So all runs of the feed are written.
            change.runs.removeAll { !feeds.contains(FeedName(group: $0.group, feed: $0.run.feed)) }
            change.operations.removeAll { !ledgers.contains($0.group) }
        }
        try store.replace(damaged, by: change)
        damage.mended += damaged.count
        tellDamage()
    }

    private struct FeedName: Hashable {
        let group: GroupID
        let feed: FeedID
    }

    /// Opens what is stored, and takes note of what of it is damaged.
    func loadStore() throws -> Snapshot {
        let state = try store.load()
        let found = state.damage.count(where: \.isOfGroup)
        if found > 0 {
            damage.setAside += found
            tellDamage()
        }
        return state.snapshot
    }

    /// What there is to say of damage that was found, sentence by sentence.
    public var foundDamage: [String] { damage.sentences }

    private func tellDamage() { inbox.publish(.notice(damage.sentences.joined(separator: " "))) }
}
