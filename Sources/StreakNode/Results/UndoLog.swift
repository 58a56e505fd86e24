import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// What takes back the last change of this user's results, group by group, so that no result appears where it never
/// was.
///
/// Stored as a setting: form u8 (2) · milliseconds u64 · groups varint · their IDs, 32 bytes each · entries varint ·
/// (groups blob · subject blob · value blob) each, as in records written at that time. An empty value withdraws. Bit n
/// of the first blob says whether the entry is for group n. An entry that several groups share is stored once, so an
/// import of 20,000 results takes half a megabyte, whatever the number of groups.
struct UndoLog: Equatable {
    private(set) var draftsByGroup: [(group: GroupID, drafts: [RecordDraft])]

    private static let form: UInt8 = 2
    private static let maximumGroups = 256
    /// Four times what an import may hold.
    private static let maximumEntries = 1_000_000
    /// In bytes. The largest import comes to a quarter.
    private static let maximumSize = 1 << 26

    static func == (left: UndoLog, right: UndoLog) -> Bool {
        left.draftsByGroup.elementsEqual(right.draftsByGroup) { $0.group == $1.group && $0.drafts == $1.drafts }
    }

    /// The opposite of `writes`, for results as each group has them.
    init(
        undoing writes: [(group: GroupID, drafts: [RecordDraft])], in held: (GroupID) -> ScoreIndex,
        of player: PlayerID
    ) {
        draftsByGroup = writes.map { group, drafts in
            let index = held(group)
            let opposite = drafts.compactMap { draft -> RecordDraft? in
                switch draft {
                case .score(let score):
                    index.score(score.key, of: player).map { .score($0) } ?? .withdrawnScore(score.key)
                case .withdrawnScore(let key): index.score(key, of: player).map { .score($0) }
                case .content, .again, .copy: nil
                }
            }
            return (group, opposite)
        }
    }

    /// What to write into those of these groups that the change affected.
    func writes(toGroups groups: [GroupID]) -> [(group: GroupID, drafts: [RecordDraft])] {
        draftsByGroup.filter { group, drafts in groups.contains(group) && !drafts.isEmpty }
    }

    /// One record to write again, and the groups that get it.
    private struct Entry: Hashable {
        var subject: [UInt8]
        var value: [UInt8]
    }

    /// Empty if there is nothing to take back, or more than any change of this program makes.
    func encoded(at wall: WallTime) -> [UInt8] {
        let time = HybridTime(milliseconds: wall.milliseconds, counter: 0)
        var positions: [Entry: Int] = [:]
        var entries: [(entry: Entry, groups: [UInt8])] = []
        for (number, (_, drafts)) in draftsByGroup.enumerated() {
            for draft in drafts {
                let record = draft.record(at: time)
                let entry = Entry(subject: record.subject, value: record.value)
                let position = positions[entry] ?? entries.count
                if position == entries.count {
                    positions[entry] = position
                    entries.append((entry, [UInt8](repeating: 0, count: (draftsByGroup.count + 7) / 8)))
                }
                entries[position].groups[number / 8] |= 1 << UInt8(number % 8)
            }
        }
        guard !entries.isEmpty, entries.count <= Self.maximumEntries, draftsByGroup.count <= Self.maximumGroups else {
            return []
        }
        var writer = WireWriter(reserving: 32 * entries.count)
        writer.write(Self.form)
        writer.write(time.rawValue)
        writer.writeCount(draftsByGroup.count)
        for (group, _) in draftsByGroup { writer.write(group) }
        writer.writeCount(entries.count)
        for (entry, groups) in entries {
            writer.writeBlob(groups)
            writer.writeBlob(entry.subject)
            writer.writeBlob(entry.value)
        }
        return writer.bytes.count <= Self.maximumSize ? writer.bytes : []
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let form = try reader.readUInt8()
        guard form == Self.form else { throw .unsupportedVersion(form) }
        let time = HybridTime(rawValue: try reader.readUInt64())
        draftsByGroup = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumGroups)) {
            draftsByGroup.append((try reader.readIdentifier(), []))
        }
        for _ in 0..<(try reader.readCount(maximum: Self.maximumEntries)) {
            let groups = try reader.readBlob(maximum: Self.maximumGroups / 8)
            let subject = try reader.readBlob(maximum: Record.maximumSubjectSize)
            let value = try reader.readBlob(maximum: Record.maximumValueSize)
            let draft: RecordDraft =
                value.isEmpty
                ? .withdrawnScore(try DailyScore.scoreKey(fromSubject: subject))
                : .score(try DailyScore(subject: subject, value: value, time: time))
            for number in draftsByGroup.indices
            where number / 8 < groups.count && groups[number / 8] >> UInt8(number % 8) & 1 == 1 {
                draftsByGroup[number].drafts.append(draft)
            }
        }
        try reader.finish()
    }
}
