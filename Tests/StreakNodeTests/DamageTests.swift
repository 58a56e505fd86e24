import Foundation
import StreakReplication
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// Bytes that change on the disk beneath a node.
@Suite(.timeLimit(.minutes(10))) struct DamageTests {
    /// Changes the middle byte of these bytes, wherever they stand in a data folder.
    private static func change(_ bytes: [UInt8], in folder: DataFolder) throws {
        var places = 0
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name.contains("sqlite") {
            let handle = try FileHandle(forUpdating: URL(fileURLWithPath: folder.path + "/" + name))
            var file = try handle.readToEnd() ?? Data()
            while let place = file.range(of: Data(bytes)) {
                let changed = place.lowerBound + bytes.count / 2
                file[changed] ^= 1
                try handle.seek(toOffset: UInt64(changed))
                try handle.write(contentsOf: [file[changed]])
                // Changing a byte before them leaves them as they are.
                file[place.lowerBound] ^= 1
                places += 1
            }
            try handle.close()
        }
        #expect(places > 0)
    }

    @Test func `what was damaged while a node did not run is named, and comes again from a friend`() async throws {
        let party = try NodeParty()
        let run = try await party.running("Ada", "Bela") { nodes in
            let (ada, bela) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            for puzzle in 1...5 { try await ada.add("Birdle \(puzzle) 4/6") }
            try await bela.join(try await ada.invite().link)
            try await bela.until { try await $0.board().rows.first?.played == 5 }
            let own = try await bela.call(ProfileRequest.whoami).device
            let runs = try await bela.store.snapshot().runs
            return try #require(runs.first { $0.run.feed.device.description != own }).run.packed
        }
        try Self.change(run, in: party.dataFolder("Bela"))
        try await party.running("Ada", "Bela") { nodes in
            let damage = try #require(try await nodes[1].status().damage)
            #expect(damage.setAside > 0)
            #expect(damage.sentences.count == 2)
            try await nodes[1].until { try await $0.board().rows.first?.played == 5 }
            #expect(try await nodes[1].status().groups[0].digest == nodes[0].status().groups[0].digest)
        }
    }
}
