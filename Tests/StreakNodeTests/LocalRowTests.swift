import StreakCrypto
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire
import Testing

@testable import StreakEngine
@testable import StreakNode

/// Every type of a row, in the tables of a store.
struct LocalRowTests {
    @Test func `every type of row fits its table, and is the same after a restart`() throws {
        let party = try NodeParty()
        try party.makeAccount("Ada")
        let folder = party.dataFolder("Ada")
        let rows = try Self.rows()
        var change = DurableChange()
        for row in rows { Self.keep(row, in: &change.local) }
        let store = try Store(opening: folder, newStoreID: MeshNode.newStoreID)
        try store.apply(change)
        try store.close()
        let again = try Store(opening: folder, newStoreID: MeshNode.newStoreID)
        let local = try again.snapshot().local
        #expect(local.rows.merging(change.local.rows) { $1 } == local.rows)
        #expect(Set(change.local.rows.map(\.key.table)) == Set(LocalTable.allCases))
        for row in rows { Self.expectSame(row, in: local) }
        try again.close()
    }

    private static func keep(_ row: some LocalRow, in local: inout LocalRows) { local.keep(row) }

    private static func expectSame<Row: LocalRow>(_ row: Row, in local: LocalRows) {
        var read = LocalRows()
        var written = LocalRows()
        for known in local.all(Row.self) { read.keep(known) }
        written.keep(row)
        #expect(read.rows.merging(written.rows) { $1 } == read.rows, "\(row)")
    }

    private static func rows() throws -> [any LocalRow] {
        var entropy = SeededEntropy(seed: 1)
        let identity = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        let (user, group) = (identity.user, GroupID(bytes: Bytes32(1, 2, 3, 4)))
        let operation = OperationID(bytes: Bytes32(5, 6, 7, 8))
        let stages: [FriendRequests.Stage] = [.looking, .pending, .declined, .joining(link: "link")]
        let decisions: [FriendRequests.Decision] = [.none, .declined, .approved(group, link: "link")]
        let codes = try (0..<4 as Range<UInt64>).map { try FriendCode(of: UserID(bytes: Bytes32($0, 1, 1, 1))) }
        let sent = zip(stages, codes).map { stage, code in
            let keys = FriendCodeKeys(code: code, root: .generate(from: &entropy))
            return FriendRequests.Sent(
                keys: keys, name: "Ada", askedAt: 7, stage: stage, owner: stage == .looking ? nil : identity.certificate
            )
        }
        let received = zip(decisions, 0..<3 as Range<UInt64>).map { decision, number in
            FriendRequests.Received(
                user: UserID(bytes: Bytes32(number, 1, 1, 1)), name: "Bea", code: codes[0],
                linkKey: identity.certificate.linkKey, askedAt: 0, receivedAt: -1, decision: decision)
        }
        let rows: [any LocalRow] = [
            KeptInvite(group: group, invite: user.bytes.array, text: "link"), Farewell(group: group),
            Denial(group: group, user: user, invite: operation), AwaitedApproval(group: group),
            HeldReturn.Row(group: group, friend: user, offeredAt: -1), BlockedUser(user: user, name: ""),
            NotedEnding(group: group, operation: operation, notedAt: 9, isDismissed: true),
            KnownCode(user: user, code: codes[0]), OwnEpoch(group: group, epoch: Epoch(counter: 3, nonce: .max)),
            Cursor(group: group, peer: identity.device, store: StoreID(bytes: Bytes16(1, 2)), arrival: 5),
        ]
        return rows + sent.map { $0 as any LocalRow } + received.map { $0 as any LocalRow }
    }
}
