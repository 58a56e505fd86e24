import Foundation
import StreakWire
import Testing

@testable import StreakMembership

/// Laws for arbitrary operations.
///
/// 300 random graphs; 30,000 with STREAKMESH_NIGHTLY=1, best in a release build (`swift test -c release -Xswiftc
/// -enable-testing --filter LedgerLaws`, about five minutes). A failure prints its seed. STREAKMESH_SEED replays that
/// one, or a range (1-3000).
struct LedgerLaws {
    private static let shardCount: UInt64 = 10

    private static func seeds(ofShard shard: UInt64) -> [UInt64] {
        let environment = ProcessInfo.processInfo.environment
        var range: ClosedRange<UInt64> = 1...(environment["STREAKMESH_NIGHTLY"] == "1" ? 30_000 : 300)
        let ends = (environment["STREAKMESH_SEED"] ?? "").split(separator: "-").compactMap { UInt64($0) }
        if let first = ends.first, let last = ends.last, first <= last { range = first...last }
        return range.filter { $0 % shardCount == shard }
    }

    @Test(arguments: 0..<shardCount)
    func `random graphs break no law`(shard: UInt64) throws {
        for seed in Self.seeds(ofShard: shard) {
            for violation in try ResolverLaws.violations(seed: seed) { Issue.record("\(violation)") }
        }
    }

    /// Graphs that once revealed a bug: a naming concurrent with a demotion protected the naming for ever (282); a
    /// member that left again after its removal gave the use of its invite to another (9255, 10157, 25907, 2849,
    /// 11830), or undid its earlier admissions (13717); an admission without knowledge of a departure changed what the
    /// departure kept (2574).
    @Test(arguments: [282, 2_574, 2_849, 9_255, 10_157, 11_830, 13_717, 25_907] as [UInt64])
    func `graphs that broke a law once break none now`(seed: UInt64) throws {
        #expect(try ResolverLaws.violations(seed: seed, isSecondEdition: false) == [])
        #expect(try ResolverLaws.violations(seed: seed) == [])
    }

    /// Second edition: an admin's device left and was revoked for it, and then anybody's admission of the admin ended
    /// the admin's powers, even past a cut (19251, 29424) or by another admin (28402); a member that left and was then
    /// removed by an admin voided what its departure had kept of it as an admin (11119).
    @Test(arguments: [11_119, 19_251, 28_402, 29_424] as [UInt64])
    func `graphs with revocations that broke a law once break none now`(seed: UInt64) throws {
        #expect(try ResolverLaws.violations(seed: seed) == [])
    }

    @Test func `every operation that random graphs are made of is there`() throws {
        var kinds: Set<OperationBody.Kind> = []
        var counting: Set<OperationBody.Kind> = []
        for seed in 1...20 as ClosedRange<UInt64> {
            let random = try RandomLedger(seed: seed)
            for operation in random.operations {
                kinds.insert(operation.operation.body.kind)
                if random.ledger.refusal(of: operation.id) == nil { counting.insert(operation.operation.body.kind) }
            }
        }
        #expect(kinds == Set(OperationBody.Kind.allCases))
        #expect(counting == kinds)
    }

    @Test(arguments: 1...5 as ClosedRange<UInt64>)
    func `two ledgers exchange what the other lacks by tips`(seed: UInt64) throws {
        var random = try RandomLedger(seed: seed)
        let all = random.ledger.allOperations
        var sides = [try random.fresh(), try random.fresh()]
        for operation in all.dropFirst() {
            for index in 0...1 where Int.random(in: 0..<10, using: &random.generator) > 0 {
                let isComplete = operation.operation.parents.allSatisfy(sides[index].contains)
                if isComplete { _ = try sides[index].insert(operation) }
            }
        }
        for _ in 0..<8 {
            for (from, to) in [(0, 1), (1, 0)] {
                for operation in sides[from].operations(missingFrom: sides[to].namedTips) {
                    guard case .pending(let missing) = try sides[to].insert(operation) else { continue }
                    // The other branch of a forked chain, which tips alone do not show, is requested by name.
                    for other in missing.flatMap(sides[from].ancestry) { _ = try sides[to].insert(other) }
                }
            }
        }
        // Idle operations need not reach both.
        #expect(sides[0].servedOperations == sides[1].servedOperations, "seed \(seed)")
        #expect(sides[0].state == sides[1].state && sides[0].countingTips == sides[1].countingTips, "seed \(seed)")
        #expect(sides.map(\.pendingCount) == [0, 0], "seed \(seed)")
        #expect(sides[0].operations(missingFrom: sides[1].namedTips).isEmpty, "seed \(seed)")
    }
}
