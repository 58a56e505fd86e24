import StreakGames
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

enum DailyScoreKey {
    static func wordle(_ number: Int = 1_981) throws -> ScoreKey {
        ScoreKey(game: try #require(GameID("wordle")), axis: .puzzle(number))
    }
}

/// What is said about results (Protocol/records.md §3.6–3.8).
@Suite struct GroupTalkTests {
    private static let (ada, ben, eve) = (user(1), user(2), user(3))

    private static func user(_ number: UInt64) -> UserID { UserID(bytes: Bytes32(0, 0, 0, number)) }

    private static func result(_ number: Int = 1_981, of owner: UserID = ada) throws -> ResultName {
        ResultName(owner: owner, key: try DailyScoreKey.wordle(number))
    }

    private static func record(_ content: RecordContent, by user: UserID, at milliseconds: Int64) -> MergedRecord {
        MergedRecord(
            key: RecordKey(user: user, kind: content.kind, subject: content.subject), value: content.value,
            time: HybridTime(milliseconds: milliseconds, counter: 0))
    }

    private static func reaction(_ text: String?, by user: UserID, at time: Int64) throws -> MergedRecord {
        let result = try result()
        guard let text else {
            let subject = Reaction.recordSubject(of: result)
            return record(RecordContent(withdrawing: subject, of: Reaction.self), by: user, at: time)
        }
        return record(RecordContent(Reaction(to: result, try #require(Emoji(text)))), by: user, at: time)
    }

    private static func comment(
        _ text: String, _ id: Int64, by user: UserID, on result: ResultName? = nil, at time: Int64? = nil,
        isEdited: Bool = false
    ) throws -> MergedRecord {
        let comment = ResultComment(
            WritingID(milliseconds: id, chance: 0), on: try result ?? Self.result(), text: text, isEdited: isEdited)
        return record(RecordContent(comment), by: user, at: time ?? id)
    }

    private static func texts(_ talk: GroupTalk, on result: ResultName? = nil) throws -> [String] {
        talk.comments(on: try result ?? Self.result()).map(\.comment.text)
    }

    @Test func `each has one reaction, the last one, and may take it back`() throws {
        var talk = GroupTalk()
        talk.apply(try Self.reaction("👍", by: Self.ben, at: 2))
        talk.apply(try Self.reaction("🔥", by: Self.eve, at: 1))
        talk.apply(try Self.reaction("🎉", by: Self.ben, at: 3))
        #expect(talk.reactions(to: try Self.result()).map(\.emoji.text) == ["🔥", "🎉"])
        #expect(talk.reactions(to: try Self.result(7)).isEmpty)
        talk.apply(try Self.reaction(nil, by: Self.eve, at: 4))
        #expect(talk.reactions(to: try Self.result()).map(\.user) == [Self.ben])
        // A later version's value shows as nothing.
        let key = RecordKey(
            user: Self.ben, kind: Reaction.kind, subject: Reaction.recordSubject(of: try Self.result()))
        talk.apply(MergedRecord(key: key, value: [1, 0x61], time: HybridTime(milliseconds: 5, counter: 0)))
        #expect(talk.reactions(to: try Self.result()).isEmpty && talk.results.isEmpty)
    }

    @Test func `comments stand in the order of their writing, and an edit keeps the place`() throws {
        var talk = GroupTalk()
        talk.apply(try Self.comment("second", 20, by: Self.ben))
        talk.apply(try Self.comment("first", 10, by: Self.eve))
        talk.apply(try Self.comment("third", 30, by: Self.ada))
        talk.apply(try Self.comment("first!", 10, by: Self.eve, at: 40, isEdited: true))
        #expect(try Self.texts(talk) == ["first!", "second", "third"])
        #expect(talk.comments(on: try Self.result()).map(\.comment.isEdited) == [true, false, false])
        let withdrawn = RecordContent(
            withdrawing: ResultComment.recordSubject(of: WritingID(milliseconds: 20, chance: 0)), of: ResultComment.self
        )
        talk.apply(Self.record(withdrawn, by: Self.ben, at: 50))
        #expect(try Self.texts(talk) == ["first!", "third"])
        // Nobody deletes another's comment: it has the ID, and another author.
        talk.apply(
            Self.record(
                RecordContent(
                    withdrawing: ResultComment.recordSubject(of: WritingID(milliseconds: 30, chance: 0)),
                    of: ResultComment.self),
                by: Self.eve, at: 60))
        #expect(try Self.texts(talk) == ["first!", "third"])
    }

    @Test func `a comment that is written again about another result moves there`() throws {
        var talk = GroupTalk()
        let other = try Self.result(7)
        talk.apply(try Self.comment("here", 10, by: Self.ben))
        talk.apply(try Self.comment("there", 10, by: Self.ben, on: other, at: 11))
        #expect(try Self.texts(talk).isEmpty)
        #expect(try Self.texts(talk, on: other) == ["there"])
        #expect(talk.results == [other] && talk.results(of: Self.ada) == [other] && talk.results(of: Self.ben).isEmpty)
    }

    @Test func `no comment is from after its record`() throws {
        var talk = GroupTalk()
        talk.apply(try Self.comment("from the future", 9_000_000, by: Self.eve, at: 50))
        talk.apply(try Self.comment("later", 60, by: Self.ben))
        #expect(try Self.texts(talk) == ["from the future", "later"])
        #expect(talk.comments(on: try Self.result()).map(\.writtenAt) == [50, 60])
    }

    @Test func `of one member's many comments the newest fifty count, and nobody else's fewer`() throws {
        var talk = GroupTalk()
        talk.apply(try Self.comment("quiet", 1, by: Self.ben))
        for id in (2...400).shuffled() { talk.apply(try Self.comment("\(id)", Int64(id), by: Self.eve)) }
        #expect(try Self.texts(talk) == ["quiet"] + (351...400).map { "\($0)" })
    }

    @Test func `the last word of those who are admins now hides a comment or shows it`() throws {
        var talk = GroupTalk(admins: [Self.ada])
        talk.apply(try Self.comment("rude", 10, by: Self.eve))
        let name = CommentName(author: Self.eve, id: WritingID(milliseconds: 10, chance: 0))
        func isHidden() -> Bool { talk.said(name)?.isHidden ?? false }
        let hides = RecordContent(Hiding(of: name))
        let shows = RecordContent(withdrawing: Hiding.recordSubject(of: name), of: Hiding.self)
        talk.apply(Self.record(hides, by: Self.ben, at: 20))
        #expect(!isHidden())
        talk.follow(admins: [Self.ada, Self.ben])
        #expect(isHidden())
        talk.apply(Self.record(shows, by: Self.ada, at: 30))
        #expect(!isHidden())
        talk.apply(Self.record(hides, by: Self.ben, at: 40))
        #expect(isHidden())
        talk.follow(admins: [Self.ada])
        #expect(!isHidden())
        // It stays hidden when it is edited.
        talk.apply(Self.record(hides, by: Self.ada, at: 50))
        talk.apply(try Self.comment("ruder", 10, by: Self.eve, at: 60))
        #expect(isHidden())
    }

    /// Everything that is said.
    private static func view(_ talk: GroupTalk) -> [String] {
        talk.results.flatMap { result in
            talk.reactions(to: result).map { "\(result) \($0)" } + talk.comments(on: result).map { "\(result) \($0)" }
        } + talk.names.map { "\($0)" }
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `whatever is written and in whatever order it comes, the same is said`(seed: UInt64) throws {
        var chance = SplitMix64(seed: seed)
        let users = [Self.ada, Self.ben, Self.eve]
        let results = try (1...3).map { try Self.result($0) }
        var records: [MergedRecord] = []
        for time in 1...200 {
            let user = try #require(users.randomElement(using: &chance))
            let result = try #require(results.randomElement(using: &chance))
            let id = WritingID(milliseconds: .random(in: 0...12, using: &chance), chance: 0)
            let author = try #require(users.randomElement(using: &chance))
            let contents = [
                RecordContent(Reaction(to: result, try #require(Emoji(["👍", "🔥", "🎉"][time % 3])))),
                RecordContent(ResultComment(id, on: result, text: "\(time)")),
                RecordContent(Hiding(of: CommentName(author: author, id: id))),
            ]
            let content = try #require(contents.randomElement(using: &chance))
            let value: [UInt8] =
                [content.value, content.value, content.value, [], [9]].randomElement(using: &chance) ?? []
            records.append(
                MergedRecord(
                    key: RecordKey(user: user, kind: content.kind, subject: content.subject), value: value,
                    time: HybridTime(milliseconds: Int64(time), counter: 0)))
        }
        func talk(_ records: [MergedRecord]) -> GroupTalk {
            // As the merge does it: of one key the latest stands.
            var winners: [RecordKey: MergedRecord] = [:]
            var talk = GroupTalk(admins: [Self.ben])
            for record in records where winners[record.key].map({ $0.time < record.time }) ?? true {
                winners[record.key] = record
                talk.apply(record)
            }
            talk.follow(admins: [Self.ada])
            return talk
        }
        let expected = Self.view(talk(records))
        #expect(!expected.isEmpty)
        for _ in 0..<4 { #expect(Self.view(talk(records.shuffled(using: &chance))) == expected) }
    }
}
