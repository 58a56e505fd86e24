import Foundation
import StreakStorage
import Testing

@testable import StreakNode

/// Data folders that earlier states of this program wrote. A folder is added here for each schema that was released: its node is stopped,
/// and `streakmesh.sqlite` is named `database`, `streakmesh.sqlite-confirmed` `confirmed`, because git ignores databases.
@Suite struct KeptDataFolderTests {
    private static let names = ["database": "streakmesh.sqlite", "confirmed": "streakmesh.sqlite-confirmed"]

    /// A copy that a node may write to.
    private static func copy(_ kept: String, to folder: DataFolder) throws {
        try folder.makeFolder()
        let source = try #require(Bundle.module.url(forResource: "Fixtures/\(kept)", withExtension: nil))
        for name in try FileManager.default.contentsOfDirectory(atPath: source.path) {
            let target = "\(folder.path)/\(Self.names[name] ?? name)"
            try FileManager.default.copyItem(atPath: source.appending(path: name).path, toPath: target)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: target)
        }
    }

    @Test(arguments: ["schema-5"])
    func `a folder of an earlier schema has its account, friends and results, and takes more`(kept: String) async throws
    {
        let party = try NodeParty()
        try Self.copy(kept, to: party.dataFolder("Ada"))
        let node = try await party.open("Ada")
        do {
            #expect(try await node.call(ProfileRequest.whoami).name == "Ada")
            #expect(try await node.members().map(\.name).sorted() == ["Ada", "Béla"])
            let rows = try await node.board().rows
            #expect(rows.map(\.name) == ["Ada", "Béla"] && rows.map(\.value) == [4, 3])
            #expect(try await node.add("Wordle 1,982 2/6").added.count == 1)
            #expect(try await node.board().rows.first?.value ?? 0 > 4)
        } catch {
            await node.close()
            throw error
        }
        await node.close()
    }

    @Test func `a folder of version 0_1 is refused as that, and stays as it is`() async throws {
        let party = try NodeParty()
        let folder = party.dataFolder("Ada")
        try Self.copy("0.1", to: folder)
        let before = try Data(contentsOf: URL(filePath: folder.databasePath))
        await #expect(throws: NodeFailure.earlierData) { _ = try await party.open("Ada") }
        #expect(try Data(contentsOf: URL(filePath: folder.databasePath)) == before)
    }

    @Test func `a folder of a later version is refused as that`() async throws {
        let party = try NodeParty()
        let folder = party.dataFolder("Ada")
        try Self.copy("schema-5", to: folder)
        // A migration gets a name that this version does not know, of the same length.
        let file = URL(filePath: folder.databasePath)
        var bytes = try Data(contentsOf: file)
        let (known, unknown) = (Data("changes are counted".utf8), Data("changes are guessed".utf8))
        #expect(bytes.range(of: known) != nil)
        while let place = bytes.range(of: known) { bytes.replaceSubrange(place, with: unknown) }
        try bytes.write(to: file)
        let refusal = await #expect(throws: StorageError.newerFormat) { _ = try await party.open("Ada") }
        #expect(try NodeFailure(storage: #require(refusal)) == .newerData)
    }
}
