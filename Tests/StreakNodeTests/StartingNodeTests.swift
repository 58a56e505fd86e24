import StreakStorage
import Testing

@testable import StreakNode

/// A node that is started before there is an account.
@Suite(.timeLimit(.minutes(10))) struct StartingNodeTests {
    /// Starts a node in a folder and runs it for as long as `body` takes.
    private static func starting(
        _ folder: DataFolder, _ body: @Sendable (StartingNode) async throws -> Void
    ) async throws {
        let node = StartingNode(
            in: folder,
            configuration: NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: true, usesLAN: false, peers: []))
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            do {
                try await body(node)
            } catch {
                await node.close()
                group.cancelAll()
                throw error
            }
            await node.close()
            group.cancelAll()
        }
    }

    private static func name(_ node: StartingNode) async throws -> String {
        try await node.call(ProfileRequest.whoami).name
    }

    @Test func `without an account it says so; once one is made it runs`() async throws {
        let party = try NodeParty()
        try await Self.starting(party.dataFolder("new")) { node in
            try await node.openIfPossible()
            await #expect(throws: NodeFailure.noAccount) { try await Self.name(node) }
            var events = node.events().makeAsyncIterator()
            await #expect(throws: NodeFailure.invalidName(limit: 40)) { try await node.makeAccount(.new(name: " ")) }
            let profile = try await node.makeAccount(.new(name: "Ada"))
            #expect(profile.name == "Ada" && !profile.recoveryConfirmed)
            let opened = try #require(await node.opened())
            #expect(try await opened.ready().hasPrefix("127.0.0.1:"))
            #expect(try await Self.name(node) == "Ada")
            // Earlier subscribers hear of it.
            _ = try await node.call(GroupRequest.create(title: "Red"))
            #expect(await events.next() != nil)
            await #expect(throws: NodeFailure.accountExists) { try await node.makeAccount(.new(name: "Eve")) }
        }
    }

    @Test(arguments: [(nil, "on"), ("off", "off"), ("lan-only", "lan-only")] as [(String?, String)])
    func `a new account begins with the setting of the internet that was chosen for it`(
        chosen: String?, setting: String
    ) async throws {
        let party = try NodeParty()
        try await Self.starting(party.dataFolder("new")) { node in
            await #expect(throws: NodeFailure.invalidSetting(name: "internet", values: InternetReport.settings)) {
                try await node.makeAccount(.new(name: "Ada", internet: "sometimes"))
            }
            _ = try await node.makeAccount(.new(name: "Ada", internet: chosen))
            #expect(try await node.call(InternetRequest.show).setting == setting)
        }
    }

    @Test func `an account that a command made meanwhile is opened`() async throws {
        let party = try NodeParty()
        try await Self.starting(party.dataFolder("Ada")) { node in
            await #expect(throws: NodeFailure.noAccount) { try await Self.name(node) }
            try party.makeAccount("Ada")
            #expect(try await Self.name(node) == "Ada")
        }
    }

    @Test func `of several calls at once all are answered, whichever opens the account`() async throws {
        let party = try NodeParty()
        try await Self.starting(party.dataFolder("Ada")) { node in
            try party.makeAccount("Ada")
            async let first = Self.name(node)
            async let second = Self.name(node)
            async let third = Self.name(node)
            #expect(try await [first, second, third] == ["Ada", "Ada", "Ada"])
        }
    }

    @Test func `of two that make an account at once the second is refused`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        let file = party.path("ada.backup")
        let node = try await party.open("Ada")
        _ = try await node.call(
            BackupRequest.write(file: file, passphrase: "secret words"))
        await node.close()
        try await Self.starting(party.dataFolder("copy")) { node in
            let origin = AccountOrigin.backup(file: file, passphrase: "secret words")
            let outcomes = await withTaskGroup(of: String.self) { group in
                for _ in 0..<2 {
                    group.addTask {
                        do {
                            return try await node.makeAccount(origin).name
                        } catch {
                            return "\(error)"
                        }
                    }
                }
                return await group.reduce(into: []) { $0.append($1) }
            }
            // The second may come while the first is at work, or when it is done.
            let refusals = ["\(NodeFailure.accountUnderWay)", "\(NodeFailure.accountExists)"]
            #expect(outcomes.count { $0 == "Ada" } == 1 && outcomes.count(where: refusals.contains) == 1)
        }
    }

    @Test func `it comes back by the recovery key, and by a backup`() async throws {
        let party = try NodeParty()
        let ada = try party.makeAccount("Ada")
        let key = try MeshNode.recoveryKey(in: party.dataFolder("Ada"))
        try await Self.starting(party.dataFolder("paper")) { node in
            await #expect(throws: NodeFailure.self) { try await node.makeAccount(.recoveryKey("ABCD", name: "Ada")) }
            let back = try await node.makeAccount(.recoveryKey(key, name: "Ada"))
            #expect(back.user == ada.user && back.device != ada.device)
        }
        let file = party.path("ada.backup")
        let node = try await party.open("Ada")
        _ = try await node.call(
            BackupRequest.write(file: file, passphrase: "secret words"))
        await node.close()
        try await Self.starting(party.dataFolder("copy")) { node in
            await #expect(throws: NodeFailure.self) {
                try await node.makeAccount(.backup(file: file, passphrase: "other words"))
            }
            let back = try await node.makeAccount(.backup(file: file, passphrase: "secret words"))
            #expect(back.user == ada.user)
        }
    }

    @Test func `a link makes it another machine of the same user`() async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            let ada = try await nodes[0].call(ProfileRequest.whoami)
            let link = try await nodes[0].call(DeviceLinkRequest.make).link
            try await Self.starting(party.dataFolder("laptop")) { node in
                let laptop = try await node.makeAccount(.machine(link: link))
                #expect(laptop.user == ada.user && laptop.device != ada.device)
            }
        }
    }

    @Test func `closed before there is an account, it ends`() async throws {
        let party = try NodeParty()
        try await Self.starting(party.dataFolder("new")) { node in
            await node.close()
            #expect(await node.opened() == nil)
            await #expect(throws: NodeFailure.stopping) { try await node.makeAccount(.new(name: "Ada")) }
            await #expect(throws: NodeFailure.stopping) { try await Self.name(node) }
        }
        #expect(!party.dataFolder("new").hasAccount)
    }
}
