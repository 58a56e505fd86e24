import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What the nodes' users said about results and wrote to a friend, and which confirmations they got.
struct TalkTruth: Sendable {
    /// Something that one node says, changes and takes back.
    struct Word: Hashable, Sendable {
        let node: Int
        let kind: UInt8
        let subject: [UInt8]
    }

    private struct Write: Sendable {
        /// Empty where it was taken back.
        let value: [UInt8]
        var isConfirmed = false
    }

    private var histories: [Word: [Write]] = [:]
    private var commands: [CommandID: (word: Word, index: Int)] = [:]
    /// Each node's comments, in the order of their first writing.
    private(set) var comments: [Int: [ResultComment]] = [:]
    /// Each node's messages, in the order of their first writing.
    private(set) var messages: [Int: [WritingID]] = [:]
    /// All challenges, in the order of their making.
    private(set) var challenges: [ChallengeName] = []

    var isEmpty: Bool { histories.isEmpty }

    mutating func wrote(_ content: RecordContent, by node: Int, command: CommandID) {
        let word = Word(node: node, kind: content.kind, subject: content.subject)
        histories[word, default: []].append(Write(value: content.value))
        commands[command] = (word, histories[word, default: []].count - 1)
    }

    mutating func wrote(_ comment: ResultComment, by node: Int) { comments[node, default: []].append(comment) }

    mutating func wroteMessage(_ id: WritingID, by node: Int) { messages[node, default: []].append(id) }

    mutating func made(_ challenge: ChallengeName) { challenges.append(challenge) }

    mutating func completed(_ command: CommandID, _ outcome: CommandOutcome) {
        guard outcome == .done, let (word, index) = commands.removeValue(forKey: command) else { return }
        histories[word]?[index].isConfirmed = true
    }

    /// In any order.
    var words: [Word] { Array(histories.keys) }

    /// Whether a value may stand: it is the last confirmed one, or was written later.
    func allows(_ value: [UInt8]?, of word: Word) -> Bool {
        let writes = histories[word] ?? []
        guard let last = writes.lastIndex(where: \.isConfirmed) else {
            return value == nil || writes.contains { $0.value == value }
        }
        return writes[last...].contains { $0.value == value }
    }
}

extension Simulation {
    /// A node's user challenges somebody or the group, answers a challenge, or withdraws one.
    private mutating func challenge(by node: Int) -> RecordContent? {
        let me = nodes[node].identity.user
        let made = ground.talk.challenges
        let own = made.filter { $0.challenger == me }
        switch random.number(below: 5) {
        case 0, 1:
            if made.isEmpty { return nil }
            let name = made[random.number(below: made.count)]
            return RecordContent(ChallengeAnswer(to: name, accepts: random.number(below: 3) > 0))
        case 2 where !own.isEmpty:
            let subject = Challenge.recordSubject(of: own[random.number(below: own.count)].id)
            return RecordContent(withdrawing: subject, of: Challenge.self)
        default:
            let slots = ground.slots.filter { $0.node == node }
            if slots.isEmpty { return nil }
            let wall = wallTime(of: node).milliseconds
            let id = WritingID(milliseconds: wall, chance: UInt16(random.number(below: 65_536)))
            let lastDay = PuzzleDay.furthest(at: wall / 1_000).adding(days: random.number(below: 3) - 1)
            let friend = nodes[random.number(below: nodes.count)].identity.user
            let challenge = Challenge(
                id, toBeat: slots[random.number(below: slots.count)].key, until: lastDay,
                to: random.number(below: 2) == 0 ? friend : nil,
                givingBack: made.last)
            ground.talk.made(ChallengeName(challenger: me, id: id))
            return RecordContent(challenge)
        }
    }

    /// Somebody's comment is hidden, or shown again. Whether that counts depends on who says it.
    private mutating func hiding() -> RecordContent? {
        let author = random.number(below: nodes.count)
        guard let comments = ground.talk.comments[author], !comments.isEmpty else { return nil }
        let comment = comments[random.number(below: comments.count)]
        let hiding = Hiding(of: CommentName(author: nodes[author].identity.user, id: comment.id))
        return random.number(below: 3) == 0
            ? RecordContent(withdrawing: hiding.recordSubject, of: Hiding.self) : RecordContent(hiding)
    }

    /// The two of a group that was founded for two and has nobody else in it, as a node knows it; of any other group
    /// nobody.
    private func pair(of group: GroupID, knownAt node: Int) -> [UserID] {
        let found = nodes[node].engine?.friendGroups.first { $0.group == group && $0.isPair }
        return found.map { [nodes[node].identity.user, $0.friend] } ?? []
    }

    /// A node's user writes to the friend, or changes or deletes what they have written.
    private mutating func message(by node: Int) -> RecordContent {
        let written = ground.talk.messages[node] ?? []
        let kind = written.isEmpty ? 9 : random.number(below: 10)
        guard kind > 3 else {
            let id = written[random.number(below: written.count)]
            let edit = FriendMessage(id, text: "edited \(random.number(below: 1_000))", isEdited: true)
            return kind < 2
                ? RecordContent(edit)
                : RecordContent(withdrawing: FriendMessage.recordSubject(of: id), of: FriendMessage.self)
        }
        let wall = wallTime(of: node).milliseconds
        let id = WritingID(milliseconds: wall, chance: UInt16(random.number(below: 65_536)))
        ground.talk.wroteMessage(id, by: node)
        return RecordContent(FriendMessage(id, text: "message \(written.count) of node \(node)"))
    }

    /// A node's user says something: reacts to a result, comments, challenges, writes to the friend, edits, chooses an
    /// event, or takes something back.
    mutating func say(by node: Int) {
        guard nodes[node].isHonest, let group = ground.group, !ground.slots.isEmpty else { return }
        if !pair(of: group, knownAt: node).isEmpty, random.number(below: 2) == 0 {
            return say(message(by: node), by: node, in: group)
        }
        if random.number(below: 8) == 0 { return chooseEvent(by: node) }
        let slot = ground.slots[random.number(below: ground.slots.count)]
        let result = ResultName(owner: nodes[slot.node].identity.user, key: slot.key)
        let content: RecordContent
        let comments = ground.talk.comments[node] ?? []
        switch random.number(below: 15) {
        case 0...3:
            guard let emoji = Emoji(["👏", "🔥", "❤️"][random.number(below: 3)]) else { return }
            content = RecordContent(Reaction(to: result, emoji))
        case 4:
            content = RecordContent(withdrawing: Reaction.recordSubject(of: result), of: Reaction.self)
        case 5 where !comments.isEmpty:
            let comment = comments[random.number(below: comments.count)]
            let text = "edited \(random.number(below: 1_000))"
            content = RecordContent(ResultComment(comment.id, on: comment.result, text: text, isEdited: true))
        case 6 where !comments.isEmpty:
            let comment = comments[random.number(below: comments.count)]
            content = RecordContent(withdrawing: ResultComment.recordSubject(of: comment.id), of: ResultComment.self)
        case 7:
            guard let hidden = hiding() else { return }
            content = hidden
        case 10...:
            guard let challenged = challenge(by: node) else { return }
            content = challenged
        default:
            let wall = wallTime(of: node).milliseconds
            let id = WritingID(milliseconds: wall, chance: UInt16(random.number(below: 65_536)))
            let comment = ResultComment(id, on: result, text: "comment \(comments.count) of node \(node)")
            ground.talk.wrote(comment, by: node)
            content = RecordContent(comment)
        }
        say(content, by: node, in: group)
    }

    private mutating func say(_ content: RecordContent, by node: Int, in group: GroupID) {
        let id = nextCommand()
        ground.talk.wrote(content, by: node, command: id)
        give(.command(id, .write([(group: group, drafts: [.content(content)])])), to: node)
    }

    /// Once all agree: they read the same talk, and nothing confirmed is missing or undone.
    mutating func checkTalk() {
        guard let group = ground.group else { return }
        var first: (node: Int, talk: [String])?
        for node in activeMembers {
            guard let engine = nodes[node].engine, let state = engine.state(of: group) else { continue }
            var talk = GroupTalk(admins: Set(state.members.filter { $0.role >= .admin }.map(\.user)))
            var (challenges, messages, index) = (GroupChallenges(), GroupMessages(), ScoreIndex())
            let records = engine.mergedRecords(of: group)
            for record in records {
                talk.apply(record)
                messages.apply(record)
                challenges.apply(record)
                index.apply(record)
            }
            let outcomes = Self.outcomes(of: challenges, index, members: Set(state.members.map(\.user)))
            let pair = pair(of: group, knownAt: node)
            let conversation = messages.messages(of: pair)
            // What two friends wrote to each other and did not take back, they read; what floods them, to a limit.
            for user in pair {
                let standing = records.count {
                    $0.key.user == user && $0.key.kind == FriendMessage.kind && !$0.value.isEmpty
                }
                let count = conversation.count { $0.author == user }
                guard count != min(standing, GroupMessages.maximumOfOne) else { continue }
                return fail("node \(node) reads \(count) of \(standing) messages", .safety(.confirmedIsLost))
            }
            let lines =
                outcomes + conversation.map { "\($0)" }
                + talk.results.flatMap { result in
                    talk.reactions(to: result).map { "\(result.key) \($0)" }
                        + talk.comments(on: result).map { "\(result.key) \($0)" }
                }
            if let first, first.talk != lines {
                return fail("nodes \(first.node) and \(node) read different talk", .safety(.digestIsAmbiguous))
            }
            if first == nil { first = (node, lines) }
            for word in ground.talk.words where !liars.contains(word.node) && !ground.isCut(word.node) {
                let key = RecordKey(user: nodes[word.node].identity.user, kind: word.kind, subject: word.subject)
                guard !ground.talk.allows(engine.mergedRecord(key, of: group)?.value, of: word) else { continue }
                let text = "node \(node) lacks what node \(word.node) has said, or has something else"
                return fail(text, .safety(.confirmedIsLost))
            }
        }
    }

    /// How the challenges stand, the day before each one ends and when it has ended.
    private static func outcomes(
        of challenges: GroupChallenges, _ index: ScoreIndex, members: Set<UserID>
    ) -> [String] {
        challenges.standing().flatMap { standing -> [String] in
            let game =
                Catalogue.standard[standing.challenge.result.game]
                ?? Scoring.unknownGame(standing.challenge.result.game)
            return [standing.challenge.lastDay.adding(days: -1), standing.challenge.lastDay].map { day in
                let found = challenges.duels(
                    of: standing, isPlayer: members.contains, index: index, lastFinalDay: day, game: game)
                return "\(standing.name) \(standing.challenge) \(day): \(found.map { "\($0)" } ?? "none")"
            }
        }
    }
}

extension ScoreIndex {
    /// Takes the new value of a result; any other record changes nothing.
    fileprivate mutating func apply(_ record: MergedRecord) {
        guard record.key.kind == RecordKind.dailyScore.rawValue,
            let score = try? DailyScore(  // withdrawn, or of another version
                subject: record.key.subject, value: record.value, time: record.time)
        else { return }
        replace(score, of: PlayerID(record.key.user.bytes.array))
    }
}
