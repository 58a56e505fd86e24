import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakNode

/// A cheer for somebody: a kind of record that only these tests know.
private struct Cheer: RecordValue {
    static let kind: UInt8 = 200
    let whom: UserID
    let text: String

    init(whom: UserID, text: String) {
        self.whom = whom
        self.text = text
    }

    init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        var reader = WireReader(subject)
        whom = try reader.readIdentifier()
        try reader.finish()
        reader = WireReader(value)
        text = try reader.readText(maximum: 16)
    }

    var recordSubject: [UInt8] { Self.recordSubject(whom) }
    var recordValue: [UInt8] {
        var writer = WireWriter()
        writer.writeText(text)
        return writer.bytes
    }

    static func recordSubject(_ whom: UserID) -> [UInt8] {
        var writer = WireWriter()
        writer.write(whom)
        return writer.bytes
    }
}

/// The same kind as a later version writes it, longer than this one reads.
private struct LaterCheer: RecordValue {
    static let kind = Cheer.kind
    let whom: UserID

    init(whom: UserID) { self.whom = whom }

    init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        var reader = WireReader(subject)
        whom = try reader.readIdentifier()
    }

    var recordSubject: [UInt8] { Cheer.recordSubject(whom) }
    var recordValue: [UInt8] {
        var writer = WireWriter()
        writer.writeText(String(repeating: "hurrah ", count: 9))
        return writer.bytes
    }
}

extension MeshNode {
    /// A user's cheer for `whom` in a group.
    fileprivate func cheer(for whom: UserID, by user: UserID, in group: GroupID) -> Cheer? {
        views[group]?.records.value(Cheer.self, subject: Cheer.recordSubject(whom), of: user)
    }

    fileprivate func write(_ draft: RecordDraft, in group: GroupID) async throws {
        _ = try await execute(.write([(group, [draft])]))
    }
}

/// The walk-through “A new kind of record” of docs/ARCHITECTURE.md: with one type, it is written, sent, shown,
/// withdrawn and kept.
@Suite(.timeLimit(.minutes(5))) struct NewRecordKindTests {
    @Test func `a kind that only this test knows goes all the way`() async throws {
        let party = try NodeParty()
        let (group, whom) = try await party.running("Ada", "Bob") { nodes in
            let (ada, bob) = (nodes[0], nodes[1])
            _ = try await ada.group(.create(title: "Red"))
            try await bob.join(try await ada.invite().link)
            let group: GroupID = try await ada.group("Red")
            let (author, whom) = await (ada.identity.user, bob.identity.user)
            try await ada.write(.value(Cheer(whom: whom, text: "well done")), in: group)
            #expect(await ada.cheer(for: whom, by: author, in: group)?.text == "well done")
            try await bob.until { await $0.cheer(for: whom, by: author, in: group)?.text == "well done" }
            #expect(await bob.cheer(for: whom, by: whom, in: group) == nil)

            // A value that cannot be read replaces the one before, at once and after everything is merged again.
            try await ada.write(.value(LaterCheer(whom: whom)), in: group)
            #expect(await ada.cheer(for: whom, by: author, in: group) == nil)
            try await bob.until { await $0.cheer(for: whom, by: author, in: group) == nil }
            await bob.rebuildViews()
            #expect(await bob.cheer(for: whom, by: author, in: group) == nil)

            try await ada.write(.value(Cheer(whom: whom, text: "again")), in: group)
            try await bob.until { await $0.cheer(for: whom, by: author, in: group)?.text == "again" }
            let withdrawal = RecordContent(withdrawing: Cheer.recordSubject(whom), of: Cheer.self)
            try await ada.write(.content(withdrawal), in: group)
            #expect(await ada.cheer(for: whom, by: author, in: group) == nil)
            try await bob.until { await $0.cheer(for: whom, by: author, in: group) == nil }

            try await ada.write(.value(Cheer(whom: author, text: "kept")), in: group)
            try await bob.until { await $0.cheer(for: author, by: author, in: group)?.text == "kept" }
            return (group, (author, whom))
        }
        for name in ["Ada", "Bob"] {
            let again = try await party.open(name)
            #expect(await again.cheer(for: whom.0, by: whom.0, in: group)?.text == "kept")
            #expect(await again.cheer(for: whom.1, by: whom.0, in: group) == nil)
            await again.close()
        }
        // Bob's node, which reads nothing of this kind, passes it on to somebody whom Ada's never meets.
        try await party.running("Bob", "Cleo") { nodes in
            let (bob, cleo) = (nodes[0], nodes[1])
            try await cleo.join(try await bob.invite().link)
            try await cleo.until { await $0.cheer(for: whom.0, by: whom.0, in: group)?.text == "kept" }
            let digest = await bob.engine.digest(of: group)
            try await cleo.until { await $0.engine.digest(of: group) == digest }
        }
    }
}
