import Foundation
import StreakEngine
import StreakStorage
import Testing

@testable import StreakNode

/// Somebody else plays on this machine.
@Suite(.timeLimit(.minutes(10))) struct GuestTests {
    private static func guest(_ node: MeshNode, _ request: GuestRequest) async throws -> GuestReport {
        try await node.call(request)
    }

    @Test func `a guest's results are kept apart and the host's are left alone`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await node.group(.create(title: "Red"))
            try await node.add("Wordle 1,700 3/6")
            let digest = try await node.status().groups[0].digest
            #expect(try await Self.guest(node, .start(name: "Gus")).active)
            try await node.add("Wordle 1,701 5/6")
            #expect(try await node.results().map(\.puzzle) == [1_701])
            let status = try await node.status()
            #expect((status.guest, status.groups.count, status.state) == ("Gus", 0, "local only"))
            await #expect(throws: NodeFailure.guestPlaying(name: "Gus")) { try await node.members() }
            await #expect(throws: NodeFailure.guestPlaying(name: "Gus")) {
                try await node.group(.create(title: "Blue"))
            }
            await #expect(throws: NodeFailure.noGroup()) { try await node.board() }
            // A guest's account ends with its results, so it has no recovery key.
            #expect(status.recoveryConfirmed)
            let after = try await Self.guest(node, .stop(.keep))
            #expect((after.active, after.results) == (false, 1))
            #expect(try await node.results().map(\.puzzle) == [1_700])
            #expect(try await node.status().groups[0].digest == digest)
            #expect(try await Self.guest(node, .status).results == 1)
        }
    }

    @Test func `the mode outlasts a restart, and kept results are there the next time`() async throws {
        try await NodeParty.alone { node, party in
            _ = try await Self.guest(node, .start(name: "Gus"))
            try await node.add("Wordle 1,701 5/6")
            await node.close()
            let again = try await party.open("Ada")
            #expect(try await Self.guest(again, .status).active)
            #expect(try await again.results().count == 1)
            _ = try await Self.guest(again, .stop(.keep))
            _ = try await Self.guest(again, .start(name: "gus"))
            #expect(try await again.results().count == 1)
            #expect(try await again.status().guest == "gus")
            await again.close()
        }
    }

    @Test func `what one guest has left is shown to no other`() async throws {
        try await NodeParty.alone { node, _ in
            _ = try await Self.guest(node, .start(name: "Gus"))
            try await node.add("Wordle 1,701 5/6")
            _ = try await Self.guest(node, .stop(.keep))
            await #expect(throws: NodeFailure.guestResultsKept(name: "Gus", count: 1)) {
                try await Self.guest(node, .start(name: "Gigi"))
            }
            let status = try await Self.guest(node, .status)
            #expect((status.active, status.name, status.results) == (false, "Gus", 1))
            _ = try await Self.guest(node, .stop(.discard))
            _ = try await Self.guest(node, .start(name: "Gigi"))
            #expect(try await node.results().isEmpty)
            // A guest who leaves nothing keeps nobody out, and withdrawn results do not come back for another guest.
            try await node.add("Wordle 1,701 5/6")
            _ = try await node.call(
                ScoreRequest.delete(game: "wordle", date: "2026-02-14", puzzle: nil))
            _ = try await Self.guest(node, .stop(.keep))
            _ = try await Self.guest(node, .start(name: "Gert"))
            await #expect(throws: NodeFailure.nothingToUndo) {
                _ = try await node.call(UndoRequest.last)
            }
        }
    }

    @Test(arguments: ["guest.json", "guest.csv", "Guest.CSV"])
    func `results are exported, in the form that the file's name says, or discarded at the end`(name: String)
        async throws
    {
        try await NodeParty.alone { node, party in
            let file = party.path(name)
            _ = try await Self.guest(node, .start(name: "Gus"))
            try await node.add("Wordle 1,701 5/6")
            let report = try await Self.guest(node, .stop(.export(file: file)))
            #expect(report.file == file)
            let text = try String(contentsOf: URL(fileURLWithPath: file), encoding: .utf8)
            #expect(text.hasPrefix(name.hasSuffix("json") ? "{\"version\":1," : "date,game,score,"))
            let preview = try await node.call(
                ImportRequest.load(.file(path: file), ImportOptions(isPreview: true)))
            #expect(preview.sample.map(\.puzzle) == [1_701])
            _ = try await Self.guest(node, .start(name: "Gus"))
            #expect(try await node.results().isEmpty)
            _ = try await Self.guest(node, .stop(.discard))
            await #expect(throws: NodeFailure.noGuest) { try await Self.guest(node, .stop(.discard)) }
            #expect(!party.dataFolder("Ada").inner("guest").hasAccount)
        }
    }

    @Test func `an export that cannot be written ends nothing`() async throws {
        try await NodeParty.alone { node, party in
            _ = try await Self.guest(node, .start(name: "Gus"))
            try await node.add("Wordle 1,701 5/6")
            await #expect(throws: NodeFailure.self) {
                try await Self.guest(node, .stop(.export(file: party.path("Ada/device.secret"))))
            }
            #expect(try await Self.guest(node, .status).active)
            #expect(try await node.results().count == 1)
        }
    }

    @Test func `links are closed while a guest plays, and open again after`() async throws {
        let party = try NodeParty()
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ben.until { try await !$0.status().peers.isEmpty }
            _ = try await Self.guest(ada, .start(name: "Gus"))
            try await ben.until { try await $0.status().peers.isEmpty }
            try await ada.add("Wordle 1,701 5/6")
            _ = try await Self.guest(ada, .stop(.discard))
            try await ada.add("Wordle 1,702 2/6")
            try await ben.until { try await $0.board().rows.contains { $0.name == "Ada" && $0.played == 1 } }
        }
    }

    @Test func `a mode that cannot be ended loses none of the guest's results`() async throws {
        try await NodeParty.alone { node, party in
            _ = try await Self.guest(node, .start(name: "Gus"))
            try await node.add("Wordle 1,701 5/6")
            // From here on nothing can be stored.
            try await node.closeStore()
            await #expect(throws: NodeFailure.self) { try await Self.guest(node, .stop(.discard)) }
            await node.close()
            let again = try await party.open("Ada")
            #expect(try await Self.guest(again, .status).results == 1)
            _ = try await Self.guest(again, .stop(.discard))
            await again.close()
        }
    }
}

extension MeshNode {
    fileprivate func closeStore() throws { try store.close() }
}
