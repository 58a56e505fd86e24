import StreakEngine
import StreakReplication
import StreakScores
import StreakWire

/// What takes back one change of this user's results.
///
/// As a setting of the store: version u8 · milliseconds u64 · count varint · (subject blob · value blob) each, as in
/// records written at that time; an empty value withdraws.
struct UndoLog: Equatable {
    let drafts: [RecordDraft]

    private static let maximumCount = 4_096

    /// The opposite of `drafts`, for results as they are in `index`. Larger changes than an evening of pasting cannot be
    /// taken back at once.
    init(undoing drafts: [RecordDraft], in index: ScoreIndex, of player: PlayerID) {
        let keys = drafts.compactMap { draft -> ScoreKey? in
            switch draft {
            case .score(let score): score.key
            case .withdrawnScore(let key): key
            case .profile: nil
            }
        }
        guard keys.count <= Self.maximumCount else {
            self.drafts = []
            return
        }
        self.drafts = keys.map { key in
            index.score(key, of: player).map { .score($0) } ?? .withdrawnScore(key)
        }
    }

    /// Empty where there is nothing to take back.
    func encoded(at wall: WallTime) -> [UInt8] {
        guard !drafts.isEmpty else { return [] }
        let time = HybridTime(milliseconds: wall.milliseconds, counter: 0)
        var writer = WireWriter()
        writer.write(ProtocolLimits.version)
        writer.write(time.rawValue)
        writer.writeCount(drafts.count)
        for draft in drafts {
            let record = draft.record(at: time)
            writer.writeBlob(record.subject)
            writer.writeBlob(record.value)
        }
        // A setting holds 64 KiB.
        return writer.bytes.count <= 65_536 ? writer.bytes : []
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let version = try reader.readUInt8()
        guard version == ProtocolLimits.version else { throw .unsupportedVersion(version) }
        let time = HybridTime(rawValue: try reader.readUInt64())
        var drafts: [RecordDraft] = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumCount)) {
            let subject = try reader.readBlob(maximum: Record.maximumSubjectSize)
            let value = try reader.readBlob(maximum: Record.maximumValueSize)
            if value.isEmpty {
                drafts.append(.withdrawnScore(try DailyScore.scoreKey(fromSubject: subject)))
            } else {
                drafts.append(.score(try DailyScore(subject: subject, value: value, time: time)))
            }
        }
        try reader.finish()
        self.drafts = drafts
    }
}
