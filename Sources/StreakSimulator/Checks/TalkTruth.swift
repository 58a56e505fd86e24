import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What the nodes' users said about results, and which confirmations they got.
struct TalkTruth: Sendable {
    /// A reaction or comment that one node writes repeatedly.
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

    var isEmpty: Bool { histories.isEmpty }

    mutating func wrote(_ content: RecordContent, by node: Int, command: CommandID) {
        let word = Word(node: node, kind: content.kind, subject: content.subject)
        histories[word, default: []].append(Write(value: content.value))
        commands[command] = (word, histories[word, default: []].count - 1)
    }

    mutating func wrote(_ comment: ResultComment, by node: Int) { comments[node, default: []].append(comment) }

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
    /// A node's user says something about a result: reacts, comments, edits, or takes something back.
    mutating func say(by node: Int) {
        guard nodes[node].isHonest, let group = ground.group, !ground.slots.isEmpty else { return }
        let slot = ground.slots[random.number(below: ground.slots.count)]
        let result = ResultName(owner: nodes[slot.node].identity.user, key: slot.key)
        let content: RecordContent
        let comments = ground.talk.comments[node] ?? []
        switch random.number(below: 10) {
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
        default:
            let wall = wallTime(of: node).milliseconds
            let id = CommentID(milliseconds: wall, chance: UInt16(random.number(below: 65_536)))
            let comment = ResultComment(id, on: result, text: "comment \(comments.count) of node \(node)")
            ground.talk.wrote(comment, by: node)
            content = RecordContent(comment)
        }
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
            for record in engine.mergedRecords(of: group) { talk.apply(record) }
            let lines = talk.results.flatMap { result in
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
}
