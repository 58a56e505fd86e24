import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// What takes back one change of this user's results, group by group: nothing comes back where it never was.
///
/// As a setting of the store: version u8 · milliseconds u64 · groups varint · for each: group 32 bytes · count varint ·
/// (subject blob · value blob) each, as in records written at that time; an empty value withdraws.
struct UndoLog: Equatable {
    private(set) var draftsByGroup: [(group: GroupID, drafts: [RecordDraft])]

    private static let maximumGroups = 256
    private static let maximumDrafts = 4_096
    /// What a setting holds, in bytes.
    private static let maximumSize = 65_536

    static func == (left: UndoLog, right: UndoLog) -> Bool {
        left.draftsByGroup.elementsEqual(right.draftsByGroup) { $0.group == $1.group && $0.drafts == $1.drafts }
    }

    /// The opposite of `writes`, for results as each group holds them.
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
                case .profile, .gameDefinition, .withdrawnGame, .setting: nil
                }
            }
            return (group, opposite)
        }
    }

    /// What to write into those of these groups that the change concerned.
    func writes(toGroups groups: [GroupID]) -> [(group: GroupID, drafts: [RecordDraft])] {
        draftsByGroup.filter { groups.contains($0.group) && !$0.drafts.isEmpty }
    }

    /// Empty where there is nothing to take back, or more than a setting holds.
    func encoded(at wall: WallTime) -> [UInt8] {
        guard draftsByGroup.contains(where: { !$0.drafts.isEmpty }) else { return [] }
        let time = HybridTime(milliseconds: wall.milliseconds, counter: 0)
        var writer = WireWriter()
        writer.write(ProtocolLimits.version)
        writer.write(time.rawValue)
        writer.writeCount(draftsByGroup.count)
        for (group, drafts) in draftsByGroup {
            writer.write(group)
            writer.writeCount(drafts.count)
            for draft in drafts {
                let record = draft.record(at: time)
                writer.writeBlob(record.subject)
                writer.writeBlob(record.value)
            }
        }
        return writer.bytes.count <= Self.maximumSize ? writer.bytes : []
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let version = try reader.readUInt8()
        guard version == ProtocolLimits.version else { throw .unsupportedVersion(version) }
        let time = HybridTime(rawValue: try reader.readUInt64())
        draftsByGroup = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumGroups)) {
            let group: GroupID = try reader.readIdentifier()
            var drafts: [RecordDraft] = []
            for _ in 0..<(try reader.readCount(maximum: Self.maximumDrafts)) {
                let subject = try reader.readBlob(maximum: Record.maximumSubjectSize)
                let value = try reader.readBlob(maximum: Record.maximumValueSize)
                if value.isEmpty {
                    drafts.append(.withdrawnScore(try DailyScore.scoreKey(fromSubject: subject)))
                } else {
                    drafts.append(.score(try DailyScore(subject: subject, value: value, time: time)))
                }
            }
            draftsByGroup.append((group, drafts))
        }
        try reader.finish()
    }
}
