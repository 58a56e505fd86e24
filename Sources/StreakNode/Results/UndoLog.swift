import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// What takes back the last change of this user's results, group by group, so that no result appears where it never
/// was.
///
/// Stored as a setting: form u8 (3) · milliseconds u64 · groups varint · their IDs, 32 bytes each · entries varint ·
/// (groups blob · subject blob · value before blob · value written blob) each, as in records written at that time. An
/// empty value is no result. Bit n of the first blob says whether the entry is for group n. An entry that several groups
/// share is stored once, so an import of 20,000 results takes less than a megabyte, whatever the number of groups.
struct UndoLog: Equatable {
    /// What became of one result in one group.
    struct Change: Hashable {
        var key: ScoreKey
        var before: DailyScore?
        var written: DailyScore?

        /// What takes it back.
        var opposite: RecordDraft { before.map(RecordDraft.score) ?? .withdrawnScore(key) }
    }

    private(set) var changesByGroup: [(group: GroupID, changes: [Change])]

    private static let form: UInt8 = 3
    private static let maximumGroups = 256
    /// Four times what an import may hold.
    private static let maximumEntries = 1_000_000
    /// In bytes. The largest import comes to a quarter.
    private static let maximumSize = 1 << 26

    static func == (left: UndoLog, right: UndoLog) -> Bool {
        left.changesByGroup.elementsEqual(right.changesByGroup) { $0.group == $1.group && $0.changes == $1.changes }
    }

    /// What a player's `writes` change, for results as each group has them. Of two for one result the later counts.
    init(
        of writes: [(group: GroupID, drafts: [RecordDraft])], heldIn index: (GroupID) -> ScoreIndex, by player: PlayerID
    ) {
        changesByGroup = writes.map { group, drafts in
            let index = index(group)
            var places: [ScoreKey: Int] = [:]
            var changes: [Change] = []
            for draft in drafts {
                guard let key = draft.scoreKey else { continue }
                let before = index.score(key, of: player)
                let change = Change(key: key, before: before, written: draft.score)
                guard before != nil || change.written != nil else { continue }
                if let place = places[key] {
                    changes[place] = change
                } else {
                    places[key] = changes.count
                    changes.append(change)
                }
            }
            return (group, changes)
        }
    }

    /// What to write into those of these groups that the change affected, except for the results `kept`.
    func writes(toGroups groups: [GroupID], keeping kept: Set<ScoreKey>) -> [(group: GroupID, drafts: [RecordDraft])] {
        changesByGroup.filter { groups.contains($0.group) }.map { group, changes in
            (group, changes.filter { !kept.contains($0.key) }.map(\.opposite))
        }.filter { !$0.drafts.isEmpty }
    }

    /// The bytes of one change, which several groups may share.
    private struct Entry: Hashable {
        var subject: [UInt8]
        var before: [UInt8]
        var written: [UInt8]

        init(_ change: Change, at time: HybridTime) {
            let record = change.opposite.record(at: time)
            subject = record.subject
            before = record.value
            written = change.written.map { RecordDraft.score($0).record(at: time).value } ?? []
        }
    }

    /// Empty if there is nothing to take back, or more than any change of this program makes.
    func encoded(at wall: WallTime) -> [UInt8] {
        let time = HybridTime(milliseconds: wall.milliseconds, counter: 0)
        var positions: [Entry: Int] = [:]
        var entries: [(entry: Entry, groups: [UInt8])] = []
        for (number, (_, changes)) in changesByGroup.enumerated() {
            for change in changes {
                let entry = Entry(change, at: time)
                let position = positions[entry] ?? entries.count
                if position == entries.count {
                    positions[entry] = position
                    entries.append((entry, [UInt8](repeating: 0, count: (changesByGroup.count + 7) / 8)))
                }
                entries[position].groups[number / 8] |= 1 << UInt8(number % 8)
            }
        }
        guard !entries.isEmpty, entries.count <= Self.maximumEntries, changesByGroup.count <= Self.maximumGroups else {
            return []
        }
        var writer = WireWriter(reserving: 32 * entries.count)
        writer.write(Self.form)
        writer.write(time.rawValue)
        writer.writeCount(changesByGroup.count)
        for (group, _) in changesByGroup { writer.write(group) }
        writer.writeCount(entries.count)
        for (entry, groups) in entries {
            writer.writeBlob(groups)
            writer.writeBlob(entry.subject)
            writer.writeBlob(entry.before)
            writer.writeBlob(entry.written)
        }
        return writer.bytes.count <= Self.maximumSize ? writer.bytes : []
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let form = try reader.readUInt8()
        guard form == Self.form else { throw .unsupportedVersion(form) }
        let time = HybridTime(rawValue: try reader.readUInt64())
        changesByGroup = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumGroups)) {
            changesByGroup.append((try reader.readIdentifier(), []))
        }
        for _ in 0..<(try reader.readCount(maximum: Self.maximumEntries)) {
            let groups = try reader.readBlob(maximum: Self.maximumGroups / 8)
            let subject = try reader.readBlob(maximum: Record.maximumSubjectSize)
            func readResult() throws(WireError) -> DailyScore? {
                let value = try reader.readBlob(maximum: Record.maximumValueSize)
                return value.isEmpty ? nil : try DailyScore(subject: subject, value: value, time: time)
            }
            let change = Change(
                key: try DailyScore.scoreKey(fromSubject: subject), before: try readResult(), written: try readResult())
            for number in changesByGroup.indices
            where number / 8 < groups.count && groups[number / 8] >> UInt8(number % 8) & 1 == 1 {
                changesByGroup[number].changes.append(change)
            }
        }
        try reader.finish()
    }
}
