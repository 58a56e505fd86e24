import Foundation
import StreakEngine
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// The recovery key, and coming back with it or from a backup.
@Suite(.timeLimit(.minutes(10))) struct AccountTests {
    @Test func `the secret stays until the key is confirmed, and is gone then`() async throws {
        try await NodeParty.alone { node, party in
            let secret = party.path("Ada/account.secret")
            let shown = try await node.call(RecoveryKeyRequest.show)
            #expect(try await !node.status().recoveryConfirmed)
            var wrong = shown.key
            wrong.replaceSubrange(wrong.startIndex...wrong.startIndex, with: wrong.hasPrefix("7") ? "8" : "7")
            await #expect(throws: NodeFailure.self) {
                try await node.call(RecoveryRequest.confirm(key: wrong))
            }
            await #expect(throws: NodeFailure.invalidRecoveryKey(reason: "it has 1 symbol instead of 56")) {
                try await node.call(RecoveryRequest.confirm(key: "A"))
            }
            #expect(FileManager.default.fileExists(atPath: secret))
            let typed = shown.key.lowercased().replacing("-", with: " ").replacing("0", with: "o")
            let report = try await node.call(
                RecoveryRequest.confirm(key: typed))
            #expect(report.recoveryConfirmed)
            #expect(!FileManager.default.fileExists(atPath: secret))
            #expect(try await node.status().recoveryConfirmed)
            await #expect(throws: NodeFailure.recoveryKeyNeeded) {
                try await node.call(RecoveryKeyRequest.show)
            }
        }
    }

    @Test func `the key of another account confirms nothing`() async throws {
        try await NodeParty.alone { node, party in
            try party.makeAccount("Ben")
            let other = try MeshNode.recoveryKey(in: party.dataFolder("Ben"))
            await #expect(throws: NodeFailure.otherRecoveryKey) {
                try await node.call(RecoveryRequest.confirm(key: other))
            }
        }
    }

    @Test func `recovering makes another device of the same account, in an empty folder only`() throws {
        let party = try NodeParty()
        let ada = try party.makeAccount("Ada")
        let key = try MeshNode.recoveryKey(in: party.dataFolder("Ada"))
        let again = try MeshNode.recoverAccount(in: party.dataFolder("new"), key: key, name: "Ada")
        #expect((again.user, again.friendCode) == (ada.user, ada.friendCode))
        #expect(again.device != ada.device)
        #expect(again.recoveryConfirmed)
        try party.makeAccount("Ben")
        #expect(throws: NodeFailure.accountExists) {
            try MeshNode.recoverAccount(in: party.dataFolder("Ben"), key: key, name: "Ada")
        }
    }

    @Test func `machines tell how they came, once they have met`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        let key = try MeshNode.recoveryKey(in: party.dataFolder("Ada"))
        let new = try MeshNode.recoverAccount(in: party.dataFolder("Ada2"), key: key, name: "Ada").device
        @Sendable func origins(_ node: MeshNode) async throws -> [String: String?] {
            let devices = try await node.call(DeviceRequest.list).devices
            return Dictionary(uniqueKeysWithValues: devices.map { ($0.device == new ? "new" : "old", $0.origin) })
        }
        try await party.running("Ada", "Ada2") { nodes in
            #expect(try await origins(nodes[0]) == ["old": "account"])
            #expect(try await origins(nodes[1]) == ["new": "recoveryKey"])
            _ = try await nodes[0].group(.create(title: "Red"))
            try await nodes[1].join(try await nodes[0].invite().link)
            for node in nodes {
                try await node.until { try await origins($0) == ["old": "account", "new": "recoveryKey"] }
            }
        }
    }

    @Test func `published results come back from a friend, and the lost device can be shut out`() async throws {
        let party = try NodeParty()
        let link = try await party.running("Ada", "Ben") { nodes in
            _ = try await nodes[1].group(.create(title: "Red"))
            let link = try await nodes[1].invite().link
            try await nodes[0].join(link)
            try await nodes[0].add("Wordle 1,700 3/6")
            try await nodes[0].add("Wordle 1,701 3/6", to: [])
            try await nodes[1].until { try await $0.board().rows.contains { $0.name == "Ada" && $0.played == 1 } }
            return link
        }
        let key = try MeshNode.recoveryKey(in: party.dataFolder("Ada"))
        try party.dataFolder("Ada").delete()
        _ = try MeshNode.recoverAccount(in: party.dataFolder("Ada2"), key: key, name: "Ada")
        try await party.running("Ben", "Ada2") { nodes in
            try await nodes[1].join(link)
            try await nodes[1].until { try await $0.results().count == 1 }
            #expect(try await nodes[1].members().count == 2)
            let devices = try await nodes[1].call(DeviceRequest.list).devices
            let lost = try #require(devices.first { !$0.this })
            #expect(devices.map { $0.sharesPrivate == $0.this } == [true, true], "the private results are apart")
            // The two have not met, so this one cannot know how the other was made.
            #expect(devices.first { $0.this }?.origin == "recoveryKey" && lost.origin == nil)
            await #expect(throws: NodeFailure.recoveryKeyNeeded) {
                try await nodes[1].call(
                    DeviceRequest.revoke(device: lost.device, key: nil))
            }
            let report = try await nodes[1].call(
                DeviceRequest.revoke(device: lost.device, key: key))
            #expect(report.devices.first { $0.device == lost.device }?.state == "revoked")
            await #expect(throws: NodeFailure.alreadyShutOut(lost.device)) {
                try await nodes[1].call(
                    DeviceRequest.revoke(device: lost.device, key: key))
            }
            // What was published under the old device still counts.
            #expect(try await nodes[1].results().count == 1)
        }
    }
}

/// What the user calls their machines.
@Suite(.timeLimit(.minutes(10))) struct MachineNameTests {
    @Test func `a name that one machine gives is known on the other, and finds the machine`() async throws {
        let party = try NodeParty()
        try await party.running("Ada") { nodes in
            try await party.link("laptop", to: nodes[0])
            try await party.running("laptop") { laptops in
                let (ada, laptop) = (nodes[0], laptops[0])
                let id = try await laptop.call(ProfileRequest.whoami).device
                try await ada.until { try await $0.call(DeviceRequest.list).devices.count == 2 }
                let named = try await ada.call(DeviceRequest.rename(device: String(id.prefix(8)), name: "Attic"))
                #expect(named.devices.map { $0.name == "Attic" } == named.devices.map { $0.device == id })
                try await laptop.until { node in
                    try await node.call(DeviceRequest.list).devices.first(where: \.this)?.name == "Attic"
                }
                _ = try await laptop.call(DeviceRequest.rename(device: "attic", name: "Cellar (2019)"))
                try await ada.until { node in
                    try await node.call(DeviceRequest.list).devices.contains { $0.name == "Cellar (2019)" }
                }
                await #expect(throws: NodeFailure.unknownDevice("Attic")) {
                    try await ada.call(DeviceRequest.rename(device: "Attic", name: "Roof"))
                }
                for name in ["", " ", String(repeating: "x", count: 41), "\u{202E}"] {
                    await #expect(throws: NodeFailure.invalidName(limit: 40)) {
                        try await ada.call(DeviceRequest.rename(device: id, name: name))
                    }
                }
                let list = try await ada.call(DeviceRequest.revoke(device: "cellar (2019)", key: nil))
                #expect(list.devices.first { $0.device == id }?.state == "revoked")
            }
        }
    }

    @Test func `a machine has its system's name until the user gives it one`() async throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        func name(_ given: String?, then new: String? = nil) async throws -> String? {
            var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: true, usesLAN: false, peers: [])
            configuration.machineName = given
            let node = try await MeshNode(opening: party.dataFolder("Ada"), configuration: configuration)
            return try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await node.run() }
                _ = try await node.ready()
                let name = try await node.call(DeviceRequest.list).devices.first?.name
                if let new { _ = try await node.call(DeviceRequest.rename(device: name ?? "", name: new)) }
                await node.close()
                group.cancelAll()
                return name
            }
        }
        #expect(try await name(nil) == nil)
        #expect(try await name("a\u{1B}[2J") == nil)
        #expect(try await name("box") == "box")
        #expect(try await name("other", then: "Desk") == "box")
        #expect(try await name("box") == "Desk")
    }
}

@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    private static let passphrase = "seven wet otters"

    private static func backup(_ node: MeshNode, to file: String) async throws -> BackupReport {
        try await node.call(BackupRequest.write(file: file, passphrase: passphrase))
    }

    @Test func `a backup goes on without a fork beside what was written since`() async throws {
        let party = try NodeParty()
        let file = party.path("backup")
        try await party.running("Ada", "Ben") { nodes in
            let (ada, ben) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await ben.join(try await ada.invite().link)
            try await ada.add("Wordle 1,700 3/6")
            #expect(try await Self.backup(ada, to: file).bytes > 1_000)
            try await ada.add("Wordle 1,701 3/6")
            try await ben.until { try await $0.board().rows.contains { $0.name == "Ada" && $0.played == 2 } }
        }
        let restored = try await MeshNode.restoreAccount(
            in: party.dataFolder("Ada2"), from: file, passphrase: Self.passphrase)
        #expect(restored.name == "Ada" && !restored.recoveryConfirmed)
        try await party.running("Ben", "Ada2") { nodes in
            let (ben, ada) = (nodes[0], nodes[1])
            try await ada.add("Wordle 1,702 3/6")
            try await ben.until { try await $0.board().rows.contains { $0.name == "Ada" && $0.played == 3 } }
            // What was lost comes back from the friend into the private results.
            try await ada.until { try await $0.results().count == 3 }
            for node in nodes {
                let engine = await node.engine
                #expect(engine.groupIDs.allSatisfy { !engine.hasFork(in: $0) })
            }
        }
    }

    @Test func `a wrong passphrase, a part of a file and another file restore nothing`() async throws {
        try await NodeParty.alone { node, party in
            let file = party.path("backup")
            _ = try await Self.backup(node, to: file)
            let bytes = try Data(contentsOf: URL(fileURLWithPath: file))
            try bytes.dropLast(40).write(to: URL(fileURLWithPath: party.path("part")))
            try Data("hello".utf8).write(to: URL(fileURLWithPath: party.path("other")))
            for (name, passphrase) in [
                ("backup", "seven dry otters"), ("part", Self.passphrase), ("other", "x"), ("none", "x"),
            ] {
                let target = party.dataFolder("target")
                await #expect(throws: NodeFailure.self, "\(name)") {
                    try await MeshNode.restoreAccount(in: target, from: party.path(name), passphrase: passphrase)
                }
                #expect(!target.hasAccount, "\(name)")
            }
        }
    }

    @Test func `a backup overwrites nothing, restores over nothing, and wants a passphrase`() async throws {
        try await NodeParty.alone { node, party in
            let file = party.path("backup")
            await #expect(throws: NodeFailure.weakPassphrase(minimum: 8)) {
                try await node.call(BackupRequest.write(file: file, passphrase: "short"))
            }
            _ = try await Self.backup(node, to: file)
            let attributes = try FileManager.default.attributesOfItem(atPath: file)
            #expect(attributes[.posixPermissions] as? Int == 0o600)
            await #expect(throws: NodeFailure.cannotWriteFile(reason: "it exists already")) {
                try await Self.backup(node, to: file)
            }
            try party.makeAccount("Ben")
            await #expect(throws: NodeFailure.accountExists) {
                try await MeshNode.restoreAccount(
                    in: party.dataFolder("Ben"), from: file, passphrase: Self.passphrase)
            }
            let left = try FileManager.default.contentsOfDirectory(atPath: party.path("Ada"))
            #expect(!left.contains { $0.contains("backup") })
        }
    }
}
