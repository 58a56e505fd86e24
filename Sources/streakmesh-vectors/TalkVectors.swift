import StreakGames
import StreakReplication
import StreakScores
import StreakWire

extension VectorFile {
    private static var talkStart: Int64 { Cast.now * 1_000 }

    private static func resultName(_ owner: Person, _ number: Int = 1_981) -> ResultName {
        ResultName(owner: owner.user, key: ScoreKey(game: GameID(literal: "wordle"), axis: .puzzle(number)))
    }

    private static func emoji(_ text: String) throws -> Emoji {
        guard let emoji = Emoji(text) else { throw VectorFailure(text: "\(text) is no emoji") }
        return emoji
    }

    private static func commentID(_ offset: Int64) -> WritingID {
        WritingID(milliseconds: talkStart + offset, chance: 7)
    }

    /// Reactions, comments, hidings and messages.
    static func talk() throws -> VectorFile {
        let (ada, ben) = (try Person("ada"), try Person("ben"))
        let byDay = ResultName(owner: ada.user, key: sampleScore.key)
        let reaction = Reaction(to: resultName(ada), try emoji("👏"))
        let comment = ResultComment(commentID(0), on: byDay, text: "So nah dran! 🙈")
        let hiding = Hiding(of: CommentName(author: ben.user, id: commentID(0)))
        let message = FriendMessage(commentID(0), text: "Nochmal? 🙂")
        let valid: [(String, any RecordValue)] = [
            ("a reaction", reaction),
            ("a reaction of several pictures", Reaction(to: byDay, try emoji("👩🏽‍❤️‍💋‍👨🏽"))),
            ("a comment", comment),
            ("an edited comment", ResultComment(commentID(1), on: resultName(ben), text: "Close", isEdited: true)),
            ("a hiding", hiding), ("a message", message),
            ("an edited message", FriendMessage(commentID(1), text: "Again?", isEdited: true)),
        ]
        let tailed: [any RecordValue] = [reaction, comment, hiding, message]
        return VectorFile(
            name: "talk",
            content: [
                "spec": "records.md §3.6–3.8, §3.12",
                "valid": .list(valid.map { describe($0.0, $0.1, tail: []) }),
                "accepted": .list(tailed.map { describe("kind \(type(of: $0).kind), with a tail", $0, tail: [1, 2]) }),
                "invalid": .list(invalidTalk(reaction, comment, hiding) + invalidMessages(message)),
                "emojis": .list(emojis.map { ["text": .text($0.0), "isOne": .bool($0.1)] }),
                "sets": .list(try talkSets()), "conversations": .list(try conversations()),
            ])
    }

    private static func describe(_ name: String, _ value: any RecordValue, tail: [UInt8]) -> JSON {
        [
            "name": .text(name), "kind": .number(Int(type(of: value).kind)), "subject": .hex(value.recordSubject),
            "value": .hex(value.recordValue + tail), "fields": fields(of: value),
        ]
    }

    private static func fields(of value: any RecordValue) -> JSON {
        switch value {
        case let reaction as Reaction:
            [
                "owner": .text(reaction.result.owner.description),
                "result": .hex(DailyScore.recordSubject(of: reaction.result.key)), "emoji": .text(reaction.emoji.text),
            ]
        case let comment as ResultComment:
            [
                "id": .text(String(comment.id.rawValue)), "owner": .text(comment.result.owner.description),
                "result": .hex(DailyScore.recordSubject(of: comment.result.key)), "text": .text(comment.text),
                "isEdited": .bool(comment.isEdited),
            ]
        case let hiding as Hiding:
            [
                "author": .text(hiding.comment.author.description),
                "id": .text(String(hiding.comment.id.rawValue)),
            ]
        case let message as FriendMessage:
            [
                "id": .text(String(message.id.rawValue)), "text": .text(message.text),
                "isEdited": .bool(message.isEdited),
            ]
        default: .null
        }
    }

    private static func entry(
        _ name: String, _ value: any RecordValue, _ subject: [UInt8], _ bytes: [UInt8], _ reason: String
    ) -> JSON {
        [
            "name": .text(name), "kind": .number(Int(type(of: value).kind)), "subject": .hex(subject),
            "value": .hex(bytes), "reason": .text(reason),
        ]
    }

    private static func invalidMessages(_ message: FriendMessage) -> [JSON] {
        let subject = message.recordSubject
        return [
            entry("a message without an ID", message, [], message.recordValue, "truncated"),
            entry("a message’s ID of nine bytes", message, subject + [0], message.recordValue, "trailing-bytes"),
            entry("a deleted message", message, subject, [], "truncated"),
            entry("a message without a text", message, subject, [0, 0], "invalid-value: text"),
            entry("a message of 1,201 bytes", message, subject, [0] + varint(1_201), "limit-exceeded"),
            entry("a message that is no UTF-8", message, subject, [0, 1, 0xFF], "invalid-text"),
        ]
    }

    private static func invalidTalk(_ reaction: Reaction, _ comment: ResultComment, _ hiding: Hiding) -> [JSON] {
        let (target, said) = (reaction.recordSubject, comment.recordValue)
        let name = Array(said[1..<(1 + 32 + 1 + comment.result.subjectSize)])
        let text: [UInt8] = [0] + name
        // Owner 32, size, then axis.
        let badAxis = replacing(target, at: 33, by: 2)
        return [
            entry("a reaction to nothing", reaction, [], reaction.recordValue, "truncated"),
            entry("to a result and a byte", reaction, target + [0], reaction.recordValue, "trailing-bytes"),
            entry("to a result of axis 2", reaction, badAxis, reaction.recordValue, "invalid-value: axis"),
            entry(
                "to a result of 48 bytes", reaction, Array(target.prefix(32)) + [48] + [UInt8](repeating: 1, count: 48),
                reaction.recordValue, "limit-exceeded"),
            entry("a reaction taken back", reaction, target, [], "truncated"),
            entry("a letter", reaction, target, [1, 0x61], "invalid-value: emoji"),
            entry("no emoji", reaction, target, [0], "invalid-value: emoji"),
            entry("an emoji of 49 bytes", reaction, target, [49], "limit-exceeded"),
            entry("no UTF-8", reaction, target, [1, 0xFF], "invalid-text"),
            entry("a comment without an ID", comment, [], said, "truncated"),
            entry("an ID of nine bytes", comment, comment.recordSubject + [0], said, "trailing-bytes"),
            entry("a deleted comment", comment, comment.recordSubject, [], "truncated"),
            entry("an empty text", comment, comment.recordSubject, text + [0], "invalid-value: text"),
            entry("a text of 1,201 bytes", comment, comment.recordSubject, text + varint(1_201), "limit-exceeded"),
            entry("a text that is no UTF-8", comment, comment.recordSubject, text + [1, 0xFF], "invalid-text"),
            entry("a hiding of nothing", hiding, [], [1], "truncated"),
            entry("a hiding of a comment and a byte", hiding, hiding.recordSubject + [0], [1], "trailing-bytes"),
            entry("a comment shown again", hiding, hiding.recordSubject, [], "truncated"),
            entry("hidden 0", hiding, hiding.recordSubject, [0], "invalid-value: hidden"),
            entry("hidden 2", hiding, hiding.recordSubject, [2], "invalid-value: hidden"),
        ]
    }

    private static let emojis: [(String, Bool)] = [
        ("👍", true), ("❤", true), ("❤️", true), ("✌🏿", true), ("🇩🇪", true), ("1️⃣", true), ("#\u{20E3}", true),
        ("👨‍👩‍👧‍👦", true), ("🏴󠁧󠁢󠁥󠁮󠁧󠁿", true), ("👁️‍🗨️", true), ("©", true), ("🀀", true), ("\u{1FAFF}", true), ("\u{2600}", true),
        ("\u{27BF}", true), ("", false), ("a", false), ("1", false), ("1\u{FE0F}", false), ("👍👍", false),
        ("🇩", false), ("🇩🇪🇫", false), ("🏽", false), ("👍🏽🏽", false), ("👍\u{FE0F}🏽", false), ("👍\u{200D}", false),
        ("\u{200D}👍", false), ("👍\u{200D}🇩🇪", false), ("🏴\u{E0067}", false), ("🏴\u{E007F}", false),
        ("\u{1FB00}", false), ("\u{25FF}", false), ("\u{27C0}", false), ("→", false), ("👍\u{301}", false),
    ]

    // MARK: Sets

    private struct Entry {
        let user: Person
        let offset: Int64
        let content: RecordContent

        init(_ user: Person, _ offset: Int64, _ value: some RecordValue) {
            (self.user, self.offset, content) = (user, offset, RecordContent(value))
        }

        init<Value: RecordValue>(_ user: Person, _ offset: Int64, withdrawing value: Value) {
            (self.user, self.offset) = (user, offset)
            content = RecordContent(withdrawing: value.recordSubject, of: Value.self)
        }

        var record: MergedRecord {
            MergedRecord(
                key: RecordKey(user: user.user, kind: content.kind, subject: content.subject), value: content.value,
                time: HybridTime(milliseconds: talkStart + offset, counter: 0))
        }

        var json: JSON {
            [
                "user": .text(user.user.description), "time": .text(String(record.time.rawValue)),
                "kind": .number(Int(content.kind)), "subject": .hex(content.subject), "value": .hex(content.value),
            ]
        }
    }

    /// Winning records, and what is said.
    private static func talkSets() throws -> [JSON] {
        let (ada, ben, eve) = (try Person("ada"), try Person("ben"), try Person("eve"))
        let rude = ResultComment(commentID(10), on: resultName(ada), text: "rude")
        let hiding = Hiding(of: CommentName(author: eve.user, id: rude.id))
        let flood = (0..<52).map { Entry(eve, $0, ResultComment(commentID($0), on: resultName(ada), text: "\($0)")) }
        let sets: [(String, [Person], [Entry])] = [
            (
                "each has one reaction, and takes it back alone", [],
                [
                    Entry(ben, 1, Reaction(to: resultName(ada), try emoji("👍"))),
                    Entry(eve, 2, Reaction(to: resultName(ada), try emoji("👍"))),
                    Entry(ada, 3, withdrawing: Reaction(to: resultName(ada), try emoji("👍"))),
                    Entry(ben, 3, Reaction(to: resultName(ben, 7), try emoji("🔥"))),
                ]
            ),
            (
                "comments in the order of their writing, none after its record", [],
                [
                    Entry(
                        ben, 60,
                        ResultComment(commentID(20), on: resultName(ada), text: "second, edited", isEdited: true)),
                    Entry(eve, 10, ResultComment(commentID(10), on: resultName(ada), text: "first")),
                    Entry(eve, 30, ResultComment(commentID(900_000), on: resultName(ada), text: "third")),
                    Entry(ada, 50, withdrawing: ResultComment(commentID(5), on: resultName(ada), text: "gone")),
                ]
            ),
            ("a plain member hides nothing", [ada], [Entry(eve, 10, rude), Entry(ben, 20, hiding)]),
            ("an admin hides", [ada], [Entry(eve, 10, rude), Entry(ada, 20, hiding)]),
            (
                "the later of two admins shows again", [ada, ben],
                [Entry(eve, 10, rude), Entry(ada, 20, hiding), Entry(ben, 30, withdrawing: hiding)]
            ),
            (
                "the smaller of two at once", [ada, ben],
                [Entry(eve, 10, rude), Entry(ada, 20, hiding), Entry(ben, 20, withdrawing: hiding)]
            ),
            ("of many comments the newest fifty", [], flood),
        ]
        return sets.map { name, admins, entries in
            var talk = GroupTalk(admins: Set(admins.map(\.user)))
            for entry in entries { talk.apply(entry.record) }
            return [
                "name": .text(name), "admins": .list(admins.map { .text($0.user.description) }),
                "records": .list(entries.map(\.json)), "results": .list(talk.results.map { said(of: $0, in: talk) }),
            ]
        }
    }

    /// Winning records of two users, and their messages.
    private static func conversations() throws -> [JSON] {
        let (ada, ben) = (try Person("ada"), try Person("ben"))
        let sets: [(String, [Entry])] = [
            (
                "in the order of their writing, none after its record",
                [
                    Entry(ben, 60, FriendMessage(commentID(20), text: "second, edited", isEdited: true)),
                    Entry(ada, 10, FriendMessage(commentID(10), text: "first")),
                    Entry(ada, 30, FriendMessage(commentID(900_000), text: "third")),
                    Entry(ada, 50, withdrawing: FriendMessage(commentID(5), text: "gone")),
                ]
            ),
            (
                "one ID of two authors",
                [
                    Entry(ben, 10, FriendMessage(commentID(10), text: "hers")),
                    Entry(ada, 10, FriendMessage(commentID(10), text: "his")),
                ]
            ),
        ]
        return sets.map { name, entries in
            var messages = GroupMessages()
            for entry in entries { messages.apply(entry.record) }
            return [
                "name": .text(name), "records": .list(entries.map(\.json)),
                "messages": .list(
                    messages.messages(of: [ada.user, ben.user]).map {
                        [
                            "user": .text($0.author.description), "id": .text(String($0.message.id.rawValue)),
                            "text": .text($0.message.text), "written": .text(String($0.writtenAt)),
                        ]
                    }),
            ]
        }
    }

    private static func said(of result: ResultName, in talk: GroupTalk) -> JSON {
        [
            "owner": .text(result.owner.description), "result": .hex(DailyScore.recordSubject(of: result.key)),
            "reactions": .list(
                talk.reactions(to: result).map {
                    ["user": .text($0.user.description), "emoji": .text($0.emoji.text)]
                }),
            "comments": .list(
                talk.comments(on: result).map {
                    [
                        "user": .text($0.author.description), "id": .text(String($0.comment.id.rawValue)),
                        "text": .text($0.comment.text), "written": .text(String($0.writtenAt)),
                        "isHidden": .bool($0.isHidden),
                    ]
                }),
        ]
    }
}

extension ResultName {
    /// In bytes.
    fileprivate var subjectSize: Int { DailyScore.recordSubject(of: key).count }
}
