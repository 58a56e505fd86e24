import Foundation
import StreakReplication
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// Bytes that change on the disk beneath a node.
@Suite(.timeLimit(.minutes(10))) struct DamageTests {
    enum Part: CaseIterable {
        case ownResults, sharedResults, ownLedger, sharedLedger

        /// Bytes of this part, as they stand in the files.
        func bytes(of snapshot: Snapshot) throws -> [UInt8] {
            let groups = snapshot.ownEpochs.map(\.group)
            let isShared = self == .sharedResults || self == .sharedLedger
            let settings = try #require(snapshot.settings["private-group"])
            let group = try #require(groups.first { ($0.bytes.array == settings) != isShared })
            switch self {
            case .ownResults, .sharedResults:
                return try #require(snapshot.runs.last { $0.group == group }).run.packed
            case .ownLedger, .sharedLedger:
                return try #require(snapshot.operations.first { $0.group == group }).bytes
            }
        }
    }

    /// Changes a byte wherever these bytes stand in a data folder: the one in their middle, or another one from their beginning.
    private static func change(
        _ bytes: [UInt8], at offset: Int? = nil, by change: UInt8 = 1, in folder: DataFolder
    ) throws {
        var places = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.contains("sqlite") {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.path + "/" + name))
            var file = try handle.readToEnd() ?? Data()
            while let place = file.range(of: Data(bytes)) {
                let changed = place.lowerBound + (offset ?? bytes.count / 2)
                file[changed] ^= change
                try handle.seek(toOffset: UInt64(changed))
                try handle.write(contentsOf: [file[changed]])
                // A byte before them leaves them as they are.
                file[place.lowerBound] ^= 1
                places += 1
            }
            try handle.close()
        }
        #expect(places > 0)
    }

    @Test(arguments: Part.allCases)
    func `a node notices what changes on its disk, and writes it anew from memory`(part: Part) async throws {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            for puzzle in 1...5 { try await node.add("Birdle \(puzzle) 4/6") }
            let (results, board) = (try await node.results(), try await node.board())
            let digest = try await node.status().groups[0].digest
            let before = try await node.store.snapshot()
            await node.examine()
            #expect(try await node.status().damage == nil)

            try Self.change(part.bytes(of: before), in: party.dataFolder("Ada"))
            await node.examine()
            // What was written in two groups at once may have the same bytes in both.
            #expect(try await node.status().damage?.mended ?? 0 > 0)
            #expect(try await node.results() == results)
            try await node.add("Birdle 6 4/6")
            await node.close()

            let again = try await party.open("Ada")
            #expect(try await again.results().count == 6)
            #expect(try await again.board().rows.first?.played == (board.rows.first?.played ?? 0) + 1)
            #expect(try await again.status().damage == nil)
            #expect(try await again.status().groups[0].digest != digest)
            let after = try await again.store.snapshot()
            #expect(!after.mayBeCopy && after.ownEpochs == before.ownEpochs)
            #expect(Set(after.operations.map(\.id)) == Set(before.operations.map(\.id)))
            await again.close()
        }
    }

    /// A run's name on the disk: its feed, which ends with eight bytes of chance, and its number, before the hash of what
    /// precedes it.
    @Test(arguments: [true, false])
    func `a run that has another one's name on the disk, or nobody's, costs neither`(isAnothers: Bool) async throws {
        try await NodeParty.alone { node, party in
            _ = try await node.group(.create(title: "Red"))
            for puzzle in 1...5 { try await node.add("Birdle \(puzzle) 4/6") }
            let results = try await node.results()
            let before = try await node.store.snapshot().runs
            let last = try #require(before.last)
            let number = try #require(UInt8(exactly: last.run.first))
            // So that number and count take one byte and none.
            try #require((3...127).contains(number) && last.run.count == 1)
            let previous = try #require(before.last { $0.group == last.group && $0.key != last.key })
            try #require(previous.run.first == last.run.first - 1)

            let name = [number] + last.run.before.bytes.array
            if isAnothers {
                try Self.change(name, at: 0, by: number ^ (number - 1), in: party.dataFolder("Ada"))
            } else {
                try Self.change(name, at: -4, in: party.dataFolder("Ada"))
            }
            await node.examine()
            #expect(try await node.status().damage?.mended == 1)
            #expect(try await node.results() == results)
            #expect(try await node.store.checkIntegrity().isEmpty)
            await node.close()

            let again = try await party.open("Ada")
            #expect(try await again.results() == results)
            let after = try await again.store.snapshot()
            #expect(Set(after.runs.map(\.key)) == Set(before.map(\.key)) && !after.mayBeCopy)
            #expect(try await again.status().damage == nil)
            await again.close()
        }
    }

    @Test func `what was damaged while a node did not run is named, and comes again from a friend`() async throws {
        let party = try NodeParty()
        let run = try await party.running("Ada", "Bela") { nodes in
            let (ada, bela) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            for puzzle in 1...5 { try await ada.add("Birdle \(puzzle) 4/6") }
            try await bela.join(try await ada.invite().link)
            try await bela.until { try await $0.board().rows.first?.played == 5 }
            let own = try await bela.call(.profile(.whoami), returning: ProfileReport.self).device
            let runs = try await bela.store.snapshot().runs
            return try #require(runs.first { $0.run.feed.device.description != own }).run.packed
        }
        try Self.change(run, in: party.dataFolder("Bela"))
        try await party.running("Ada", "Bela") { nodes in
            let damage = try #require(try await nodes[1].status().damage)
            #expect(damage.setAside > 0 && damage.mended == 0)
            #expect(damage.sentences.count == 2)
            try await nodes[1].until { try await $0.board().rows.first?.played == 5 }
            #expect(try await nodes[1].status().groups[0].digest == nodes[0].status().groups[0].digest)
        }
    }
}
