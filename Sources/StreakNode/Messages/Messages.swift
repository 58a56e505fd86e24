import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// What two friends write to each other, in a group that was founded for the two and has nobody else in it.
struct Messages {
    let core: NodeCore
    let loop: NodeLoop
    let people: People

    /// The most messages of one report.
    private static let maximumMessages = 200

    /// A friend, and the groups of the two, in the order of their IDs. New messages go into the first.
    private struct Pair {
        let friend: UserID
        let groups: [GroupID]
        var group: GroupID { groups[0] }
    }

    private struct Line {
        let group: GroupID
        let standing: GroupMessages.Standing
        /// The ID by which reports name a message. An author chooses a message's own ID, and could choose somebody else's.
        let id: String

        init(_ standing: GroupMessages.Standing, in group: GroupID) {
            (self.group, self.standing) = (group, standing)
            let subject = FriendMessage.recordSubject(of: standing.message.id)
            id = Blake2b.hash(group.bytes.array + standing.author.bytes.array + subject).prefix(16).hexadecimal
        }
    }

    private var me: UserID { core.identity.user }

    // MARK: Reading

    func list() -> MessagesReport {
        MessagesReport(friends: pairs.map(report).sorted { Self.order($0) < Self.order($1) })
    }

    private static func order(_ report: CorrespondentReport) -> (Int, String, String) {
        // Times of one form sort as texts do. Who has written nothing comes last.
        let time = report.last.flatMap { Timestamp($0.written)?.seconds } ?? .min
        return (time == .min ? 1 : Int(clamping: -time), report.name, report.user)
    }

    func show(_ user: String) async throws -> MessagesReport { report(of: try await pair(user)) }

    func look(at user: String) async throws -> MessagesReport {
        let pair = try await pair(user)
        let report = report(of: pair)
        let drafts = pair.groups.compactMap { group -> RecordDraft? in
            let last = lines(of: pair).filter { $0.group == group && $0.standing.author != me }.last?.standing.writtenAt
            guard let last, last > core.accountSettings.readUntil(in: group) else { return nil }
            return AccountSettings.draft(readUntil: last, in: group, on: core.identity.device)
        }
        if !drafts.isEmpty { try await loop.storeLook(drafts) }
        return report
    }

    private var pairs: [Pair] {
        let groups = Dictionary(grouping: core.engine.friendGroups.filter(\.isPair), by: \.friend)
        return groups.keys.sorted().map { Pair(friend: $0, groups: (groups[$0] ?? []).map(\.group).sorted()) }
    }

    private func pair(_ user: String) async throws -> Pair {
        let pairs = pairs
        let places = pairs.flatMap { pair in
            core.sharedGroups.filter { isNamed(pair, in: $0) }.map { (user: pair.friend, group: $0) }
        }
        let friend = try await people.user(user, among: places)
        if let pair = pairs.first(where: { $0.friend == friend }) { return pair }
        let name: String
        do {
            let found = try await people.friendGroups(user)[0]
            name = core.name(of: found.friend, in: found.group)
        } catch NodeFailure.unknownFriend {
            name = try await people.knownPerson(user).name
        }
        throw NodeFailure.noPair(name: name)
    }

    /// Whether what a group calls a friend leads to the group of the two: an alias tells nobody whom it stands for.
    private func isNamed(_ pair: Pair, in group: GroupID) -> Bool {
        if pair.groups.contains(group) { return true }
        guard core.engine.state(of: group)?.role(of: pair.friend) != nil,
            let profile = core.profile(of: pair.friend, in: group)
        else { return false }
        return !profile.isAnonymous && !core.isAnonymous(pair.friend, in: pair.group)
    }

    /// By what name this user can write to a member of a group; nil if they cannot, or if that would say whom an alias
    /// stands for.
    func correspondent(_ user: UserID, in group: GroupID) -> String? {
        guard let pair = pairs.first(where: { $0.friend == user }), isNamed(pair, in: group) else { return nil }
        return pair.groups.contains(group) ? core.shownID(of: user, in: pair.group) : user.description
    }

    /// What stands and this user hears, the oldest first.
    private func lines(of pair: Pair) -> [Line] {
        pair.groups.flatMap { group in
            let heard = core.isMuted(pair.friend, in: group) ? [me] : [me, pair.friend]
            return (core.views[group]?.messages.messages(of: heard) ?? []).map { Line($0, in: group) }
        }.sorted { ($0.standing.writtenAt, $0.id) < ($1.standing.writtenAt, $1.id) }
    }

    // MARK: Writing

    func write(to user: String, _ text: String) async throws -> MessagesReport {
        let text = try Argument.message(text)
        let pair = try await pair(user)
        try core.checkSharing(in: pair.group)
        let id = WritingID(milliseconds: core.clock.wallTime.milliseconds, chance: .random(in: 0 ... .max))
        try await loop.execute(.write([(pair.group, [.value(FriendMessage(id, text: text))])]))
        return report(of: pair)
    }

    /// A message of this user, and whose pair it is in.
    private func own(_ text: String) throws -> (pair: Pair, line: Line) {
        let all = pairs.flatMap { pair in lines(of: pair).filter { $0.standing.author == me }.map { (pair, $0) } }
        let found = Selector(text).matches(among: all) { Selector.Key(id: $0.1.id, names: []) }
        guard let first = found.first, found.count == 1 else { throw NodeFailure.unknownMessage(text) }
        return first
    }

    func edit(_ id: String, _ text: String) async throws -> MessagesReport {
        let text = try Argument.message(text)
        let (pair, line) = try own(id)
        try core.checkSharing(in: line.group)
        if line.standing.message.text != text {
            let edit = FriendMessage(line.standing.message.id, text: text, isEdited: true)
            try await loop.execute(.write([(line.group, [.value(edit)])]))
        }
        return report(of: pair)
    }

    func delete(_ id: String) async throws -> MessagesReport {
        let (pair, line) = try own(id)
        let subject = FriendMessage.recordSubject(of: line.standing.message.id)
        let withdrawal = RecordContent(withdrawing: subject, of: FriendMessage.self)
        try await loop.execute(.write([(line.group, [.content(withdrawal)])]))
        return report(of: pair)
    }

    // MARK: Reports

    private func report(_ line: Line) -> MessageReport {
        let standing = line.standing
        return MessageReport(
            id: line.id, me: standing.author == me, text: standing.message.shownText,
            written: Timestamp(seconds: standing.writtenAt / 1_000).text, edited: standing.message.isEdited,
            fresh: isFresh(line))
    }

    private func isFresh(_ line: Line) -> Bool {
        line.standing.author != me && line.standing.writtenAt > core.accountSettings.readUntil(in: line.group)
    }

    private func report(_ pair: Pair) -> CorrespondentReport {
        let lines = lines(of: pair)
        return CorrespondentReport(
            user: core.shownID(of: pair.friend, in: pair.group), name: core.name(of: pair.friend, in: pair.group),
            online: core.isShownOnline(pair.friend, in: pair.group), group: pair.group.description,
            last: lines.last.map(report), fresh: lines.count(where: isFresh))
    }

    private func report(of pair: Pair) -> MessagesReport {
        let lines = lines(of: pair)
        var whole = list()
        whole.friend = report(pair)
        whole.messages = lines.suffix(Self.maximumMessages).map(report)
        whole.earlier = max(lines.count - Self.maximumMessages, 0)
        whole.muted = core.isMuted(pair.friend, in: pair.group)
        return whole
    }
}
