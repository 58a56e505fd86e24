import StreakGames
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

struct DailyScoreRecordTests {
    private let time = HybridTime(milliseconds: FeedScript.start, counter: 0)

    @Test(arguments: 0..<50 as Range<UInt64>)
    func `a result comes back as it was recorded`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<40 {
            func some(_ limit: Int) -> Int? {
                Bool.random(using: &numbers) ? Int.random(in: 0...limit, using: &numbers) : nil
            }
            let puzzle = some(1 << 20)
            let score = DailyScore(
                game: GameID(literal: "wordle"),
                day: PuzzleDay(daysSinceEpoch: Int.random(in: -25_567...84_370, using: &numbers)), puzzle: puzzle,
                isKeyedByPuzzle: puzzle != nil && Bool.random(using: &numbers), score: some(1 << 40),
                maxAttempts: some(20), isCompleted: Bool.random(using: &numbers), seconds: some(100_000),
                hints: some(9), mistakes: some(9), isHardMode: Bool.random(using: &numbers),
                gameName: Bool.random(using: &numbers) ? "Quiz 🧩" : nil,
                firstRecordedAt: FeedScript.start / 1_000 - Int64.random(in: -600...100_000_000, using: &numbers),
                isEdited: Bool.random(using: &numbers))
            let read = try DailyScore(subject: score.recordSubject, value: score.recordValue(at: time), time: time)
            #expect(read == score)
            #expect(try DailyScore.scoreKey(fromSubject: score.recordSubject) == score.key)
        }
    }

    @Test(arguments: [Int64.min, .min + 1, -1, 0, .max])
    func `no time of first recording traps`(first: Int64) throws {
        let score = DailyScore(
            game: GameID(literal: "wordle"), day: PuzzleDay(daysSinceEpoch: 0), firstRecordedAt: first)
        let read = try DailyScore(subject: score.recordSubject, value: score.recordValue(at: time), time: time)
        if first > .min + 2_000_000_000 { #expect(read.firstRecordedAt == first) }
    }

    @Test func `a name that is far too long is cut between characters`() throws {
        let family = "👨‍👩‍👧‍👦"
        let score = DailyScore(
            game: GameID(literal: "custom-1"), day: PuzzleDay(daysSinceEpoch: 0),
            gameName: String(repeating: family, count: 50))
        let read = try DailyScore(subject: score.recordSubject, value: score.recordValue(at: time), time: time)
        #expect(read.gameName == String(repeating: family, count: 6))
    }

    @Test(arguments: 0..<30 as Range<UInt64>)
    func `no subject and no value traps`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        for _ in 0..<500 {
            func bytes(_ limit: Int) -> [UInt8] {
                (0..<Int.random(in: 0...limit, using: &numbers)).map { _ in UInt8(truncatingIfNeeded: numbers.next()) }
            }
            var subject = bytes(20)
            if Bool.random(using: &numbers) { subject = [0, 0xCA, 0x83, 0xD5, 0x09] + Array("wordle".utf8) }
            let value = bytes(40)
            // Either outcome is fine. Random bytes must never stop the program.
            _ = try? DailyScore(subject: subject, value: value, time: HybridTime(rawValue: numbers.next()))
            _ = try? Profile(value: value)
        }
    }
}

struct DisplayTextTests {
    @Test(
        arguments: [
            ("Ada", "Ada"), ("  Ada\n", "Ada"), ("Zoë 🧩", "Zoë 🧩"), ("", nil), (" \t", nil), ("a\u{202E}b", nil),
            ("a\u{2066}b", nil), ("a\nb", nil), ("a\u{0}b", nil), ("12345678901", nil), ("1234567890", "1234567890"),
            ("\u{200B}\u{200B}", nil), ("\u{AD}", nil), ("\u{3164}", nil), (" \u{200D}\u{FE0F}", nil),
            ("\u{200D}a", "\u{200D}a"),
        ] as [(String, String?)])
    func `names are trimmed, bounded and free of control characters`(text: String, expected: String?) {
        #expect(DisplayText.validated(text, maximumLength: 10) == expected)
    }

    @Test(
        arguments: [
            "7K3M-9QXT-42WJ", "7k3m 9qxt 42wj", "7K3M–9QXT–42WJ", "KQXM-WBCD-FGHJ", "ΚQXM WBCD FGHJ",
            "7K3M9QXT42WJ", "7K3M-9QXT-42WJ.",
            "\u{FF17}\u{FF2B}\u{FF13}\u{FF2D}-9QXT-42WJ", "4c1d", "4C1D2E3F", "deadbeef",
            "00000000", "1Q\u{41A}W-RVY\u{421}-\u{41A}3\u{41D}R", "7K3M-9Q\u{200D}XT-42WJ", "7K3M-9QXT-42W\u{301}J",
            "\u{200B}7K3M-9QXT-42WJ", "7\u{1D40A}3M-9QXT-42W\u{24BF}",
            "\u{1D7FC}\u{1D7FB}6\u{1D7FA}f678", "\u{666}\u{665}6f\u{FE0F}", "6564f678\u{20E3}", "d\u{435}\u{430}dbeef",
        ])
    func `what looks like a friend code or an ID is no name`(text: String) {
        #expect(DisplayText.validatedName(text, maximumLength: 40) == nil)
        #expect(DisplayText.validatedName("The \(text)", maximumLength: 40) == "The \(text)")
    }

    @Test(arguments: [
        "you", " You ", "Y\u{43E}u", "y\u{200B}ou", "Ada (M9PJ)", "Ada (\u{41C}9PJ)", "Ada(M9PJ)", "Player (A1B2C3)",
    ])
    func `nobody's name is that of the reader, or ends as what tells equal names apart`(text: String) {
        #expect(DisplayText.validatedName(text, maximumLength: 40) == nil)
        #expect(DisplayText.validatedTitle(text, maximumLength: 40) != nil)
    }

    @Test(
        arguments: [
            "Ada", "Abe", "Young", "Ada (Mum)", "Ada (12)", "Ebba", "Dede", "Cade", "Anna Rosa Lena", "Anna-Mary-Lisa",
            "MasterChef12", "Player#A1B2",
            "007",
            "Zoë 2024",
            "12345 Main", "Facade", "Рейд 2024 года", "Ζωή 2024 Αθήνα", "Décadée", "2025-2026",
        ])
    func `a name may have letters and digits that codes and IDs have`(text: String) {
        #expect(DisplayText.validatedName(text, maximumLength: 40) == text)
    }

    @Test func `a profile's name is bounded by characters too`() throws {
        let profile = try Profile(value: Profile(name: String(repeating: "a", count: 60)).recordValue)
        #expect(profile.name == String(repeating: "a", count: ProtocolLimits.maximumNameLength))
    }
}
