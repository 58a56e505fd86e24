import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import streakmesh_vectors

/// Reactions, comments, hidings and messages (Protocol/records.md §3.6–3.8, §3.12).
@Suite struct TalkConformanceTests {
    private static func type(of entry: Value) throws -> any RecordValue.Type {
        switch RecordKind(rawValue: UInt8(try entry.number("kind"))) {
        case .reaction: Reaction.self
        case .comment: ResultComment.self
        case .hiding: Hiding.self
        case .message: FriendMessage.self
        default: throw VectorProblem(text: "another kind")
        }
    }

    private static func described(_ value: any RecordValue) -> Value {
        func result(_ name: ResultName) -> [String: Value] {
            [
                "owner": .text(name.owner.description),
                "result": .text(DailyScore.recordSubject(of: name.key).hexadecimal),
            ]
        }
        switch value {
        case let reaction as Reaction:
            return .object(result(reaction.result).merging(["emoji": .text(reaction.emoji.text)]) { $1 })
        case let comment as ResultComment:
            let own: [String: Value] = [
                "id": .text(String(comment.id.rawValue)), "text": .text(comment.text),
                "isEdited": .bool(comment.isEdited),
            ]
            return .object(result(comment.result).merging(own) { $1 })
        case let hiding as Hiding:
            return .object([
                "author": .text(hiding.comment.author.description), "id": .text(String(hiding.comment.id.rawValue)),
            ])
        case let message as FriendMessage:
            return .object([
                "id": .text(String(message.id.rawValue)), "text": .text(message.text),
                "isEdited": .bool(message.isEdited),
            ])
        default: return .null
        }
    }

    private func read<Kind: RecordValue>(_: Kind.Type, _ entry: Value) throws -> any RecordValue {
        let (subject, value) = (try entry.bytes("subject"), try entry.bytes("value"))
        let read = try Kind(subject: subject, value: value)
        #expect(read.recordSubject == subject, "\(entry.name)")
        #expect(value.starts(with: read.recordValue), "\(entry.name)")
        return read
    }

    private func refusal<Kind: RecordValue>(_: Kind.Type, _ entry: Value) throws -> String? {
        let (subject, value) = (try entry.bytes("subject"), try entry.bytes("value"))
        do throws(WireError) {
            _ = try Kind(subject: subject, value: value)
            return nil
        } catch {
            return error.reason
        }
    }

    @Test func `values are what they say, and others are refused`() throws {
        let vectors = try Vectors.read("talk")
        for entry in vectors.list("valid") + vectors.list("accepted") {
            let value = try read(Self.type(of: entry), entry)
            #expect(try Self.described(value) == entry["fields"], "\(entry.name)")
        }
        for entry in vectors.list("invalid") {
            #expect(try refusal(Self.type(of: entry), entry) == entry.text("reason"), "\(entry.name)")
        }
        for entry in vectors.list("emojis") {
            let text = try entry.text("text")
            #expect(try (Emoji(text) != nil) == entry.flag("isOne"), "\(text)")
        }
    }

    @Test func `what is said of results, in any order of arrival`() throws {
        for entry in try Vectors.read("talk").list("sets") {
            let admins = try entry.list("admins").map { value -> UserID in
                guard case .text(let digits) = value, let user = UserID([UInt8](hexadecimal: digits) ?? []) else {
                    throw VectorProblem(text: "no user")
                }
                return user
            }
            for records in [entry.list("records"), entry.list("records").reversed()] {
                var talk = GroupTalk(admins: Set(admins))
                for record in records { talk.apply(try Self.merged(record)) }
                #expect(talk.results.count == entry.list("results").count, "\(entry.name)")
                for result in entry.list("results") { try check(result, in: talk, entry.name) }
            }
        }
    }

    private static func merged(_ record: Value) throws -> MergedRecord {
        let key = RecordKey(
            user: try record.identifier("user"), kind: UInt8(try record.number("kind")),
            subject: try record.bytes("subject"))
        let time = HybridTime(rawValue: try record.integer("time"))
        return MergedRecord(key: key, value: try record.bytes("value"), time: time)
    }

    @Test func `messages of two, in any order of arrival`() throws {
        let conversations = try Vectors.read("talk").list("conversations")
        #expect(conversations.count > 1)
        for entry in conversations {
            let records = try entry.list("records").map(Self.merged)
            for order in [records, records.reversed()] {
                var messages = GroupMessages()
                for record in order { messages.apply(record) }
                let found = messages.messages(of: Set(records.map(\.key.user)).sorted()).map {
                    [$0.author.description, "\($0.message.id.rawValue)", $0.message.text, "\($0.writtenAt)"]
                }
                let expected = try entry.list("messages").map {
                    try [$0.text("user"), $0.text("id"), $0.text("text"), $0.text("written")]
                }
                #expect(found == expected, "\(entry.name)")
            }
        }
    }

    private func check(_ result: Value, in talk: GroupTalk, _ name: String) throws {
        let key = try DailyScore.scoreKey(fromSubject: result.bytes("result"))
        let target = ResultName(owner: try result.identifier("owner"), key: key)
        let reactions = try result.list("reactions").map { try [$0.text("user"), $0.text("emoji")] }
        #expect(talk.reactions(to: target).map { [$0.user.description, $0.emoji.text] } == reactions, "\(name)")
        let comments = try result.list("comments").map {
            try [$0.text("user"), $0.text("id"), $0.text("text"), $0.text("written"), "\($0.flag("isHidden"))"]
        }
        let found = talk.comments(on: target).map {
            [
                $0.author.description, "\($0.comment.id.rawValue)", $0.comment.text, "\($0.writtenAt)",
                "\($0.isHidden)",
            ]
        }
        #expect(found == comments, "\(name)")
    }
}
