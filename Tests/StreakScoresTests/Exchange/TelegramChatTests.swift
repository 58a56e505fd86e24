import StreakGames
import StreakScores
import Testing

@Suite struct TelegramChatTests {
    private static let messages = """
        [{"id": 1, "type": "service", "date": "2026-10-11T08:00:00", "actor": "Ada", "action": "create_group", "text": ""},
         {"id": 2, "type": "message", "date": "2026-10-12T09:10:33", "date_unixtime": "1791796233", "from": "Ada",
          "from_id": "user1", "text": "Absurdle 4/\\u221e", "text_entities": [{"type": "plain", "text": "Absurdle 9/∞"}]},
         {"id": 3, "type": "message", "date": "2026-10-12T23:59:59", "from": "Ben",
          "text": ["Wordle 1,500 3/6\\n", {"type": "link", "text": "https://example.org"}, {"type": "bold"}, 7, "!"]},
         {"id": 4, "type": "message", "date": "2026-10-13T00:00:00", "from": "Ada", "forwarded_from": "Ben",
          "text": "Absurdle 5/∞"},
         {"id": 5, "type": "message", "date": "2026-10-13T00:00:00", "from": null, "text": "gone"},
         {"id": 6, "type": "message", "date": "2026-10-13T00:00:00", "from": "Ada", "photo": "x.jpg", "text": ""}]
        """

    @Test(arguments: [
        "{\"name\": \"Wordlers\", \"type\": \"private_group\", \"id\": 9, \"messages\": %}",
        "{\"about\": \"…\", \"chats\": {\"about\": \"…\", \"list\": [{\"name\": \"a\", \"messages\": %}, {\"id\": 1}]}}",
    ])
    func `what people wrote is read, with its day`(frame: String) throws {
        let text = frame.replacing("%", with: Self.messages)
        #expect(TelegramChat.begins(text))
        let log = try TelegramChat.log(text)
        #expect(log.messages.map(\.text) == ["Absurdle 4/∞", "Wordle 1,500 3/6\nhttps://example.org!"])
        #expect(log.messages.map(\.day) == [PuzzleDay("2026-10-12"), PuzzleDay("2026-10-12")])
        #expect(log.senders.map(\.name) == ["Ada", "Ben"] && log.count == 2)
        let shares = log.shares(of: "Ada").shares
        #expect(shares.map(\.share.score) == [4] && shares.map(\.line) == [2])
    }

    @Test(arguments: [
        ("{}", ImportFault.notAChat), ("{\"results\":[]}", .notAChat), ("{\"messages\":[]} x", .notAChat),
        ("{\"messages\":[{]}", .malformed(line: 1)), ("{\"messages\":", .cutOff(line: 1)),
        ("{\"messages\":[" + String(repeating: "[", count: 100_000), .malformed(line: 1)),
    ])
    func `what is no such export is refused`(text: String, fault: ImportFault) {
        #expect(throws: fault) { try TelegramChat.log(text) }
    }

    @Test func `a message made of endless parts is kept short`() throws {
        let parts = Array(repeating: "\"" + String(repeating: "a", count: 60_000) + "\"", count: 40).joined(
            separator: ",")
        let log = try TelegramChat.log(
            "{\"messages\":[{\"type\":\"message\",\"from\":\"Ada\",\"date\":\"2026-10-12\",\"text\":[\(parts)]}]}")
        #expect(log.messages.map(\.text.utf8.count) == [60_000])
    }
}
