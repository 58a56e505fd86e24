import StreakReplication
import StreakWire
import Testing

/// Messages between two friends (Protocol/records.md §3.12).
@Suite struct GroupMessagesTests {
    private static let (ada, ben) = (user(1), user(2))

    private static func user(_ number: UInt64) -> UserID { UserID(bytes: Bytes32(0, 0, 0, number)) }

    private static func record(
        _ text: String?, _ id: Int64, by user: UserID, at time: Int64? = nil
    ) -> MergedRecord {
        let message = FriendMessage(WritingID(milliseconds: id, chance: 0), text: text ?? "")
        let key = RecordKey(user: user, kind: FriendMessage.kind, subject: message.recordSubject)
        return MergedRecord(
            key: key, value: text == nil ? [] : message.recordValue,
            time: HybridTime(milliseconds: time ?? id, counter: 0))
    }

    private static func texts(_ records: [MergedRecord], of users: [UserID] = [ada, ben]) -> [String] {
        var messages = GroupMessages()
        for record in records { messages.apply(record) }
        return messages.messages(of: users).map(\.message.text)
    }

    @Test func `messages stand in the order of their writing, and only of those who are asked for`() {
        let records = [
            Self.record("late", 900, by: Self.ada, at: 30), Self.record("b", 20, by: Self.ben),
            Self.record("a", 10, by: Self.ada), Self.record("same", 20, by: Self.ada),
        ]
        #expect(Self.texts(records) == ["a", "same", "b", "late"])
        #expect(Self.texts(records.reversed()) == ["a", "same", "b", "late"])
        #expect(Self.texts(records, of: [Self.ben]) == ["b"])
    }

    @Test func `a withdrawal deletes one, and only its author's`() {
        let records = [Self.record("a", 10, by: Self.ada), Self.record("b", 10, by: Self.ben)]
        #expect(Self.texts(records + [Self.record(nil, 10, by: Self.ben, at: 11)]) == ["a"])
        #expect(Self.texts(records + [Self.record("c", 10, by: Self.ben, at: 11)]) == ["a", "c"])
    }

    @Test(arguments: [(9, ["a", "b", "late"]), (10, ["b", "late"]), (29, ["late"]), (30, [])] as [(Int64, [String])])
    func `what was written after a moment is found, by when it was written`(moment: Int64, texts: [String]) {
        var messages = GroupMessages()
        for (text, id, time) in [("a", 10, 10), ("b", 20, 40), ("late", 900, 30)] as [(String, Int64, Int64)] {
            messages.apply(Self.record(text, id, by: Self.ben, at: time))
        }
        #expect(messages.messages(of: [Self.ada, Self.ben], after: moment).map(\.message.text) == texts)
    }

    @Test func `of one user the newest thousand count`() {
        let flood = (1...1_003).map { Self.record("\($0)", Int64($0), by: Self.ben) }
        let found = Self.texts([Self.record("mine", 1, by: Self.ada)] + flood)
        #expect(found.count == 1_001 && found.prefix(2) == ["mine", "4"])
    }
}
