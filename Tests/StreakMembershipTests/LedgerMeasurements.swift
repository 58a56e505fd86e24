import Foundation
import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// Measurements without pass or fail: STREAKMESH_MEASURE=1 swift test -c release -Xswiftc -enable-testing --filter
/// LedgerMeasurements.
@Suite(.enabled(if: ProcessInfo.processInfo.environment["STREAKMESH_MEASURE"] == "1"), .serialized)
struct LedgerMeasurements {
    private func milliseconds(_ body: () throws -> Void) rethrows -> Double {
        let clock = ContinuousClock()
        let start = clock.now
        try body()
        return Double((clock.now - start) / .microseconds(1)) / 1_000
    }

    @Test(arguments: OperationBody.Kind.allCases)
    func `five thousand operations by a liar`(kind: OperationBody.Kind) throws {
        guard kind != .found else { return }
        let flood = try Flood(of: kind, count: 5_000)
        let inserting = flood.insertionTime
        let resolving = milliseconds { _ = flood.ledger.state }
        print("5,000 \(kind): insert \(inserting) ms, resolve \(resolving) ms")
    }

    /// Two kinds in turn: one can make the other expensive.
    @Test(
        arguments: [
            [.leave, .invite], [.leave, .admit], [.revokeDevice, .admit], [.revokeInvite, .admit], [.leave, .request],
            [.addDevice, .revokeDevice], [.invite, .admit], [.leave, .revokeDevice], [.setRole, .transfer],
        ] as [[OperationBody.Kind]])
    func `four thousand operations each of two kinds`(kinds: [OperationBody.Kind]) throws {
        let flood = try Flood(of: kinds, count: 7_900)
        let resolving = milliseconds { _ = flood.ledger.state }
        print("7,900 \(kinds[0]), \(kinds[1]): insert \(flood.insertionTime) ms, resolve \(resolving) ms")
    }
}

/// A group in which one member lies five thousand times, on forks of its chain, because a chain has only a thousand
/// numbers.
struct Flood {
    private(set) var ledger: Ledger
    private(set) var insertionTime = 0.0
    let liar = Person(6)
    let honest = [Person(1), Person(2), Person(4)]

    init(of kind: OperationBody.Kind, count: Int, branchLength: Int = 900) throws {
        try self.init(of: [kind], count: count, branchLength: branchLength)
    }

    /// - Parameters:
    ///   - kinds: used in turn.
    ///   - branchLength: the number of operations after which the liar begins another branch.
    init(of kinds: [OperationBody.Kind], count: Int, branchLength: Int = 900) throws {
        var group = try TestGroup(founder: honest[0])
        try group.admit(liar, honest[1], honest[2])
        let invite = try group.invite(by: honest[0])
        var invites = [try group.invite(by: liar)]
        while invites.count < 4 { invites.append(try group.invite(by: liar)) }
        let heads = group.ledger.heads
        let start = group.last(of: liar.device)
        group.ledger.rules.verified = VerifiedOperations()
        // Measures the flood that no budget stops.
        group.ledger.rules.budget.ofMember = 1 << 40
        group.ledger.rules.budget.ofPlain = .init(size: 1 << 40, end: 1 << 40)
        let phone = liar.anotherDevice(99, certifiedBy: liar.identity)
        let first = group.claim(honest[1].identity, invite)
        // Itself, repeatedly, on as many handshakes.
        var claims: [JoinClaim] = []
        for index in 0..<16 as Range<UInt8> { claims.append(group.claim(liar.identity, invite, handshake: index)) }
        let revocation = DeviceRevocation(
            accountKey: liar.accountKey, group: group.ledger.group,
            cut: DeviceCut(device: liar.device, lastOperation: start?.id ?? .none, feeds: []),
            accessKeyHash: group.freshHash())
        let signature = liar.identity.signingKey.signature(for: [])
        var previous = start
        let clock = ContinuousClock()
        for index in 0..<count {
            if index.isMultiple(of: branchLength) { previous = start }
            let body: OperationBody =
                switch kinds[index % kinds.count] {
                case .found, .rename: .rename("Mine \(index)")
                case .invite: .invite(group.freshSecrets().terms(maximumUses: 0, expiresAt: TestGroup.now + 9))
                case .revokeInvite: .revokeInvite(invites[index % 4].id)
                case .request: .request(first)
                case .admit: .admit(kinds.count > 1 ? claims[index / 2 % 16] : first)
                case .addDevice: .addDevice(phone.certificate)
                case .revokeDevice: .revokeDevice(revocation)
                case .setRole: .setRole(RoleChange(user: liar.user, change: index.isMultiple(of: 2) ? .admin : .heir))
                case .transfer: .transfer(Transfer(newOwner: liar.user, cuts: []))
                case .remove: group.removal(of: honest[1], upTo: nil)
                case .leave:
                    .leave(
                        Departure(
                            erases: false,
                            cuts: [DeviceCut(device: liar.device, lastOperation: start?.id ?? .none, feeds: [])]))
                case .settings: .settings(GroupSettings(whoMayInvite: .owner))
                }
            let operation = Self.unsigned(
                LedgerOperation(
                    group: group.ledger.group, author: liar.device, number: (previous?.operation.number ?? 0) + 1,
                    previous: previous?.id ?? .none,
                    parents: Array(Set((index.isMultiple(of: 3) ? heads : []) + (previous.map { [$0.id] } ?? []))),
                    time: TestGroup.now + Int64(index), body: body),
                signature)
            group.ledger.rules.verified?.insert(operation.id)
            let before = clock.now
            _ = try group.ledger.insert(operation)
            insertionTime += Double((clock.now - before) / .microseconds(1)) / 1_000
            previous = operation
        }
        ledger = group.ledger
    }

    /// Treats operations as signed: five thousand signatures would take longer than the measured work.
    private static func unsigned(_ operation: LedgerOperation, _ signature: Signature) -> SignedOperation {
        let bytes = operation.encoded() + signature.rawBytes
        return SignedOperation(
            id: OperationID(bytes: .hash(of: bytes)), operation: operation, bytes: bytes)
    }
}
