import StreakCrypto
import StreakEngine
import StreakGames
import StreakReplication
import StreakScores
import StreakWire

/// Which of this user's results a group gets.
struct GroupSharing: Equatable, Sendable {
    /// Whether the group gets nothing new: neither results nor profile changes.
    var isStopped = false
    /// Games whose results the group does not get.
    var unshared: Set<GameID> = []
}

/// What this user's devices tell each other in the private group, as records of kind `setting`. A setting has a name,
/// and the value 1 while it applies; it is withdrawn when it no longer does.
///
/// The names: `favourite/GAME` and `reminded/GAME`, 1 or 0, where it differs from the default · a name alone, for a
/// text · `stopped/GROUP` · `unshared/GROUP/GAME` · `chosen/RESULT`, where GROUP is 40 hexadecimal digits of the
/// group's ID and RESULT the same of the hash of the result's subject · `recovered/DEVICE`, written like a group: the
/// recovery key made that machine · `named/DEVICE`, what the user calls a machine · `dropped/GROUP`: the user left it while nobody else was in it · `muted/USER`, 40
/// digits of the ID by which a group shows a person · `read/GROUP/DEVICE`, u64: when the last message was written that
/// the user has seen there on that machine, in milliseconds since 1970 · `looked/DEVICE`, see `ActivityLook` ·
/// `told/DEVICE`, see `NotificationLog` · `differs/RESULT`, time u64 · subject blob · value: the replaced value of
/// another machine, until the user has chosen.
struct AccountSettings: Sendable {
    private var sharing: [String: GroupSharing] = [:]
    private var texts: [String: String] = [:]
    private var gameChoices: [String: [GameID: Bool]] = [:]
    private var chosen: Set<String> = []
    private var recovered: Set<String> = []
    private var names: [String: String] = [:]
    private var differing: [String: DailyScore] = [:]
    private var muted: Set<String> = []
    private var dropped: Set<String> = []
    /// By group, then by machine.
    private var read: [String: [String: Int64]] = [:]
    private var looks: [String: ActivityLook] = [:]
    private var logs: [String: NotificationLog] = [:]

    private static func name(of device: DeviceID) -> String { String(device.description.prefix(40)) }

    private static func name(of group: GroupID) -> String { String(group.description.prefix(40)) }

    private static func name(of key: ScoreKey) -> String {
        Blake2b.hash(DailyScore.recordSubject(of: key)).prefix(20).hexadecimal
    }

    /// Applies the new value of a setting. A setting of a later version is ignored.
    mutating func apply(_ record: MergedRecord) {
        guard let setting = try? Setting(subject: record.key.subject, value: record.value) else { return }
        let parts = setting.name.split(separator: "/").map(String.init)
        let holds = !record.value.isEmpty
        switch (parts.first, parts.count) {
        case ("stopped", 2): sharing[parts[1], default: GroupSharing()].isStopped = holds
        case ("unshared", 3):
            guard let game = GameID(rawValue: parts[2]) else { return }
            if holds {
                sharing[parts[1], default: GroupSharing()].unshared.insert(game)
            } else {
                sharing[parts[1]]?.unshared.remove(game)
            }
        case ("chosen", 2): if holds { chosen.insert(parts[1]) } else { chosen.remove(parts[1]) }
        case ("differs", 2): differing[parts[1]] = Self.difference(in: record)
        case ("muted", 2): if holds { muted.insert(parts[1]) } else { muted.remove(parts[1]) }
        case ("dropped", 2): if holds { dropped.insert(parts[1]) } else { dropped.remove(parts[1]) }
        case ("read", 3): read[parts[1], default: [:]][parts[2]] = Self.moment(record.value)
        case ("looked", 2): looks[parts[1]] = ActivityLook(value: record.value)
        case ("told", 2): logs[parts[1]] = NotificationLog(value: record.value)
        case ("recovered", 2): if holds { recovered.insert(parts[1]) } else { recovered.remove(parts[1]) }
        case ("named", 2):
            let name = String(decoding: record.value, as: UTF8.self)
            names[parts[1]] = DisplayText.validatedTitle(name, maximumLength: ProtocolLimits.maximumNameLength)
        case ("favourite", 2), ("reminded", 2):
            guard let game = GameID(rawValue: parts[1]) else { return }
            gameChoices[parts[0], default: [:]][game] = record.value.first.map { $0 != 0 }
        case (let name?, 1): texts[name] = holds ? String(decoding: record.value, as: UTF8.self) : nil
        default: break
        }
    }

    // MARK: Differences

    /// The replaced value that another machine recorded for a result; nil if the user has nothing to choose.
    func difference(of key: ScoreKey) -> DailyScore? { differing.isEmpty ? nil : differing[Self.name(of: key)] }

    /// The results for which the user has to choose between two values.
    var differences: [ScoreKey] { differing.values.map(\.key).sorted() }

    /// The difference that a record states; nil if it is settled, or the record is another setting.
    static func difference(in record: MergedRecord) -> DailyScore? {
        guard record.key.subject.starts(with: Array("differs/".utf8)), !record.value.isEmpty else { return nil }
        var reader = WireReader(record.value)
        // A value that cannot be read is of another version.
        guard let time = try? reader.readUInt64(),
            let subject = try? reader.readBlob(maximum: Record.maximumSubjectSize),  // as above
            let value = try? reader.readRaw(reader.remainingCount)  // as above
        else { return nil }
        return try? DailyScore(subject: subject, value: value, time: HybridTime(rawValue: time))  // as above
    }

    /// The record that states what another machine had recorded.
    static func draft(saying other: DailyScore, differsAt time: HybridTime) -> RecordDraft {
        var writer = WireWriter(reserving: 128)
        writer.write(time.rawValue)
        writer.writeBlob(other.recordSubject)
        writer.writeRaw(other.recordValue(at: time))
        return .setting(name: "differs/\(name(of: other.key))", value: writer.bytes)
    }

    /// The record that states that the user has chosen; nil if there is nothing to choose.
    func draft(settling key: ScoreKey) -> RecordDraft? {
        difference(of: key).map { _ in .setting(name: "differs/\(Self.name(of: key))", value: []) }
    }

    /// Whether the recovery key made this machine.
    func isRecovered(_ device: DeviceID) -> Bool { recovered.contains(Self.name(of: device)) }

    /// The record that says so.
    static func draft(sayingIsRecovered device: DeviceID) -> RecordDraft {
        .setting(name: "recovered/\(name(of: device))", value: [1])
    }

    /// What the user calls a machine; nil without a name.
    func machineName(of device: DeviceID) -> String? { names[Self.name(of: device)] }

    /// The record that names a machine.
    static func draft(naming device: DeviceID, _ machineName: String) -> RecordDraft {
        .setting(name: "named/\(name(of: device))", value: Array(machineName.utf8))
    }

    /// Whether the user has left any group while nobody else was in it.
    var hasDropped: Bool { !dropped.isEmpty }

    /// Whether the user left a group while nobody else was in it.
    func isDropped(_ group: GroupID) -> Bool { dropped.contains(Self.name(of: group)) }

    /// The record that says so, or that it is no longer so.
    static func draft(dropping group: GroupID, _ isDropped: Bool) -> RecordDraft {
        .setting(name: "dropped/\(name(of: group))", value: isDropped ? [1] : [])
    }

    // MARK: Notifications

    /// What each of the user's machines has told.
    var notificationLogs: [NotificationLog] { logs.keys.sorted().compactMap { logs[$0] } }

    func notificationLog(of device: DeviceID) -> NotificationLog? { logs[Self.name(of: device)] }

    /// The record that states what a machine has told.
    static func draft(stating log: NotificationLog, of device: DeviceID) -> RecordDraft {
        .setting(name: "told/\(name(of: device))", value: log.value)
    }

    /// What the user has seen of the feed, on any machine.
    var look: ActivityLook { looks.values.reduce(ActivityLook()) { $0.merged(with: $1) } }

    /// The record that states what the user has seen of the feed on a machine.
    static func draft(stating look: ActivityLook, of device: DeviceID) -> RecordDraft {
        .setting(name: "looked/\(name(of: device))", value: look.value)
    }

    // MARK: Messages

    /// Nil for nothing, and for the value of a later version.
    private static func moment(_ value: [UInt8]) -> Int64? {
        var reader = WireReader(value)
        return (try? reader.readUInt64()).map { Int64(clamping: $0) }  // as above
    }

    /// When the last message of a group was written that the user has seen, in milliseconds since 1970.
    func readUntil(in group: GroupID) -> Int64 { read[Self.name(of: group)]?.values.max() ?? .min }

    /// The record that states it for a machine.
    static func draft(readUntil moment: Int64, in group: GroupID, on device: DeviceID) -> RecordDraft {
        var writer = WireWriter(reserving: 8)
        writer.write(UInt64(clamping: moment))
        return .setting(name: "read/\(name(of: group))/\(name(of: device))", value: writer.bytes)
    }

    // MARK: Muted people

    var mutesAnybody: Bool { !muted.isEmpty }

    /// Whether this user does not want to see what a person says. `shownID` is the ID by which a group shows the person.
    func isMuted(_ shownID: String) -> Bool { muted.contains(String(shownID.prefix(40))) }

    /// The record that mutes a person, or ends that.
    static func draft(muting shownID: String, _ isMuted: Bool) -> RecordDraft {
        .setting(name: "muted/\(shownID.prefix(40))", value: isMuted ? [1] : [])
    }

    /// A setting that is a text; nil if there is none.
    func text(_ name: String) -> String? { texts[name] }

    /// The games for which a choice differs from the default.
    func choices(_ name: GameChoice) -> [GameID: Bool] { gameChoices[name.rawValue] ?? [:] }

    /// The record that makes a choice for a game; with nil, withdraws it.
    static func draft(making choice: GameChoice, of game: GameID, _ value: Bool?) -> RecordDraft {
        .setting(name: "\(choice.rawValue)/\(game.rawValue)", value: value.map { [$0 ? 1 : 0] } ?? [])
    }

    /// A choice that is made for each game.
    enum GameChoice: String {
        case favourite, reminded
    }

    func sharing(in group: GroupID) -> GroupSharing { sharing[Self.name(of: group)] ?? GroupSharing() }

    /// Whether the groups of a result were chosen by hand.
    func isChosen(_ key: ScoreKey) -> Bool { chosen.contains(Self.name(of: key)) }

    /// The records that apply `sharing` to a group.
    func drafts(making sharing: GroupSharing, holdFor group: GroupID) -> [RecordDraft] {
        let known = self.sharing(in: group)
        let name = Self.name(of: group)
        var drafts: [RecordDraft] = []
        if known.isStopped != sharing.isStopped {
            drafts.append(.setting(name: "stopped/\(name)", value: sharing.isStopped ? [1] : []))
        }
        for game in known.unshared.symmetricDifference(sharing.unshared).sorted() {
            let value: [UInt8] = sharing.unshared.contains(game) ? [1] : []
            drafts.append(.setting(name: "unshared/\(name)/\(game.rawValue)", value: value))
        }
        return drafts
    }

    /// The record that states whether the groups of a result were chosen by hand; nil if that is known.
    func draft(making isChosen: Bool, holdFor key: ScoreKey) -> RecordDraft? {
        guard isChosen != self.isChosen(key) else { return nil }
        return .setting(name: "chosen/\(Self.name(of: key))", value: isChosen ? [1] : [])
    }
}
