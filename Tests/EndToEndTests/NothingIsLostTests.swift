import Foundation
import StreakTestSupport
import Synchronization
import Testing

/// Killed processes, copied and restored data folders: what was confirmed stays, and nothing forks.
@Suite struct NothingIsLostTests {
    @Test(.timeLimit(.minutes(10)))
    func `SIGKILL in the middle of a thousand adds loses none that was confirmed`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            var node = try await ada.start()
            let belaNode = try await bela.start()
            try await ada.share(with: bela)

            var confirmed: Set<Int> = []
            for limit in [350, 700, 1_000] {
                let left = Set(1...1_000).subtracting(confirmed)
                let doomed = node
                confirmed.formUnion(
                    try await Self.add(left, at: ada, until: limit - confirmed.count) {
                        if limit < 1_000 { await doomed.kill() }
                    })
                if limit < 1_000 {
                    #expect(confirmed.count < 1_000, "the kill came too late to tell anything")
                    node = try await ada.start()
                }
                let results = try await ada.ask("results", "--game", "wordle")["results"].items
                let lost = confirmed.subtracting(results.compactMap { $0["puzzle"].integer })
                #expect(lost.isEmpty, "confirmed and lost: \(lost.sorted())")
                #expect(results.allSatisfy { $0["score"].integer == ($0["puzzle"].integer ?? 0) % 6 + 1 })
            }
            #expect(confirmed.count == 1_000)
            try await lab.agreement(of: [ada, bela])
            #expect(try await bela.board("--game", "wordle").first?["played"].integer == 1_000)
            withExtendedLifetime(belaNode) {}
        }
    }

    /// Adds Wordles over four connections at once, and calls `reached` as soon as `count` are confirmed. Returns the
    /// numbers that were confirmed, also while that went on.
    private static func add(
        _ numbers: Set<Int>, at friend: Friend, until count: Int, reached: @escaping @Sendable () async -> Void
    ) async throws -> Set<Int> {
        let tally = Tally()
        let queue = numbers.sorted()
        return try await withThrowingTaskGroup(of: Set<Int>.self) { group in
            for part in 0..<4 {
                let line = try ControlLine(to: friend)
                group.addTask {
                    var confirmed: Set<Int> = []
                    for number in queue where number % 4 == part {
                        guard await line.add(ShareTexts.wordle(number, guesses: number % 6 + 1)) else { break }
                        confirmed.insert(number)
                        if tally.raised() == count { await reached() }
                    }
                    return confirmed
                }
            }
            return try await group.reduce(into: []) { $0.formUnion($1) }
        }
    }

    private final class Tally: Sendable {
        private let count = Atomic<Int>(0)

        func raised() -> Int { count.add(1, ordering: .relaxed).newValue }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a log damaged after SIGKILL is told of, and a friend brings back what it held`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            var node = try await ada.start()
            let belaNode = try await bela.start()
            try await ada.share(with: bela)
            for number in 1_348...1_350 { try await ada.ask("add", input: ShareTexts.wordle(number, guesses: 3)) }
            try await lab.agreement(of: [ada, bela])
            await node.kill()
            let log = URL(fileURLWithPath: "\(ada.folder)/streakmesh.sqlite-wal")
            let file = try FileHandle(forUpdating: log)
            let place = try file.seekToEnd() - 100
            try file.seek(toOffset: place)
            let byte = try #require(try file.read(upToCount: 1)?.first)
            try file.seek(toOffset: place)
            try file.write(contentsOf: [byte ^ 1])
            try file.close()

            // A short command tells it, and so does the next one.
            for _ in 0..<2 {
                let lost = try await ada.ask("status")["damage"]["lostChanges"].integer ?? 0
                #expect(lost >= 1, "the loss was not noticed")
            }
            // Written where something is missing.
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            node = try await ada.start()
            _ = try await node.events.first(limit: .seconds(20), "the notice") {
                $0["event"].text == "notice" && ($0["text"].text ?? "").contains("missing")
            }
            try await lab.agreement(of: [ada, bela])
            try await lab.eventually("all results are back") {
                try await ada.ask("results")["results"].items.count == 4
            }
            #expect(try await bela.board() == ada.board())
            #expect(node.events.events().filter { ($0["text"].text ?? "").contains("fork") }.isEmpty)
            try await node.stop()
            #expect(try await ada.ask("status")["damage"] == .null)
            withExtendedLifetime(belaNode) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a copied data folder started twice at once does not fork history`() async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            let first = try await ada.start()
            let belaNode = try await bela.start()
            try await ada.share(with: bela)
            try await ada.ask("add", input: ShareTexts.wordle(1_349, guesses: 3))
            try await lab.agreement(of: [ada, bela])
            try await first.stop()

            let copy = lab.person("Ada’s other folder")
            #expect(try await lab.run(["cp", "-r", ada.folder, copy.folder]).exitCode == 0)
            let nodes = [try await ada.start(), try await copy.start(), belaNode]
            async let one = ada.ask("add", input: ShareTexts.wordle(1_350, guesses: 2))
            async let other = copy.ask("add", input: ShareTexts.wordle(1_351, guesses: 6))
            #expect(try await one["added"].items.count == 1)
            #expect(try await other["added"].items.count == 1)
            // And both go on.
            try await ada.ask("add", input: ShareTexts.connections(628))
            try await copy.ask("add", input: ShareTexts.connections(629))
            try await lab.agreement(of: [ada, copy, bela])

            let rows = try await bela.board()
            #expect(rows.first { $0["name"].text == "Ada" }?["played"].integer == 5)
            #expect(try await ada.board() == rows)
            #expect(try await copy.board() == rows)
            for node in nodes {
                #expect(node.events.events().filter { $0["event"].text == "notice" }.isEmpty)
            }
        }
    }

    @Test(.timeLimit(.minutes(10)), arguments: ["put in its place", "written over it"])
    func `an old copy that is brought back catches up and goes on`(way: String) async throws {
        try await Lab.open { lab in
            let (ada, bela) = (try await lab.friend("Ada"), try await lab.friend("Béla"))
            var node = try await ada.start()
            let belaNode = try await bela.start()
            try await ada.share(with: bela)
            try await ada.ask("add", input: ShareTexts.wordle(1_348, guesses: 3))
            try await lab.agreement(of: [ada, bela])
            try await node.stop()
            let backup = "\(lab.folder)/backup"
            #expect(try await lab.run(["cp", "-r", ada.folder, backup]).exitCode == 0)

            node = try await ada.start()
            try await ada.ask("add", input: ShareTexts.wordle(1_349, guesses: 4))
            try await ada.ask("add", input: ShareTexts.wordle(1_350, guesses: 5))
            try await lab.agreement(of: [ada, bela])
            try await node.stop()
            if way == "put in its place" {
                try FileManager.default.removeItem(atPath: ada.folder)
                #expect(try await lab.run(["cp", "-r", backup, ada.folder]).exitCode == 0)
            } else {
                #expect(try await lab.run(["cp", "-r", "\(backup)/.", ada.folder]).exitCode == 0)
            }

            // Written before anybody told the old copy what it once knew.
            try await ada.ask("add", input: ShareTexts.connections(629))
            node = try await ada.start()
            try await lab.agreement(of: [ada, bela])
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 1))
            try await lab.agreement(of: [ada, bela])
            let rows = try await bela.board()
            #expect(try await ada.board() == rows)
            #expect(rows.first { $0["name"].text == "Ada" }?["played"].integer == 5)
            let scores = try await ada.ask("results", "--game", "wordle")["results"].items.map { $0["score"].integer }
            #expect(scores == [1, 5, 4, 3])
            withExtendedLifetime(belaNode) {}
        }
    }
}
