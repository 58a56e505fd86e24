import Foundation
import Testing

@testable import StreakNode
@testable import streakmesh

@Suite struct JSONTests {
    @Test func `a report keeps the order of its keys and writes what is unknown as null`() {
        let share = ParseReport.ReadShare(
            game: "wordle", puzzle: 1981, day: nil, score: nil, maxAttempts: 6, completed: false, seconds: nil,
            hints: nil)
        #expect(
            JSON(reflecting: share).text
                == #"{"game":"wordle","puzzle":1981,"day":null,"score":null,"maxAttempts":6,"completed":false,"#
                + #""seconds":null,"hints":null}"#)
    }

    @Test(arguments: [(DeltaReport?.none, "null"), (.new, #""new""#), (.places(-2), "-2")])
    func `a change of rank is a number, “new” or null`(delta: DeltaReport?, text: String) {
        #expect(JSON(reflecting: delta as Any).text == text)
    }

    @Test func `a number stays a number, and what is none is null`() {
        #expect(JSON(reflecting: [2.5, -0.25, .infinity, .nan]).text == "[2.5,-0.25,null,null]")
    }

    @Test func `games come in one order in every run`() {
        #expect(
            JSON(reflecting: ["wordle": 4, "mini": 7, "connections": 0]).text
                == #"{"connections":0,"mini":7,"wordle":4}"#)
    }

    @Test(arguments: ["", "\"\\/", "\u{0}\u{1F}\u{7F}", "a\nb\tc\r", "\u{2028}", "Zoë 👩‍👩‍👧 日本"])
    func `any text is read back as it was`(text: String) throws {
        let line = JSON.string(text).text
        #expect(!line.contains("\n"))
        #expect(try JSONDecoder().decode(String.self, from: Data(line.utf8)) == text)
    }

    @Test func `what a program reads is what the report says`() throws {
        let row = BoardRowReport(
            rank: nil, tied: false, user: "ab", name: "Zoë \"Z\"", me: true, value: 0, raw: nil, label: "–",
            delta: .new,
            late: false, edited: true, covered: false, played: 0, of: 7, perGame: ["wordle": 4])
        let text = JSON(reflecting: row).text
        #expect(try JSONDecoder().decode(BoardRowReport.self, from: Data(text.utf8)) == row)
    }

    @Test(
        arguments: [
            (NodeEvent.changed(group: "g", digest: "00"), #"{"event":"changed","group":"g","digest":"00"}"#),
            (.peer(device: "d", state: "away", via: nil), #"{"event":"peer","device":"d","state":"away","via":null}"#),
            (.groupsChanged, #"{"event":"groups"}"#), (.notice("n"), #"{"event":"notice","text":"n"}"#),
        ])
    func `an event is one line`(event: NodeEvent, line: String) {
        #expect(JSON(event).text == line)
    }
}
