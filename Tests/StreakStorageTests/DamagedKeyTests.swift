import Foundation
import StreakReplication
import StreakWire
import Testing

@testable import StreakStorage

/// Damage in what names a row, so that it has another's name or one that its table's index does not know.
struct DamagedKeyTests {
    let temporary: TemporaryFolder
    let folder: DataFolder
    /// Eight runs of one record each, of this device.
    let runs: [StoredRun]
    let operations = (1...4).map { operation($0, arrival: 20 + $0) }

    init() throws {
        temporary = try TemporaryFolder()
        folder = try temporary.account()
        runs = try (1...8).map { stored(try run(first: $0, count: 1), arrival: $0) }
        var change = DurableChange()
        change.runs = runs
        change.operations = operations
        change.local.keep(OwnEpoch(group: id(1), epoch: runs[0].run.feed.epoch))
        change.settings = ["a": [1], "b": [2]]
        change.accessKeys = [StoredAccessKey(group: id(1), key: [1]), StoredAccessKey(group: id(1), key: [2])]
        for peer in 200...201 as ClosedRange<UInt64> {
            change.local.keep(Cursor(group: id(1), peer: id(peer), store: storeZero, arrival: peer))
        }
        try withStore(folder) { try $0.apply(change) }
    }

    static let changesOfKeys = [
        "first = 4 WHERE row = 5", "first = 5 WHERE row = 4", "first = 4 WHERE row > 5", "first = 1 WHERE row = 8",
        "first = first + 1 WHERE row IN (2, 5)", "first = 9 WHERE row = 8", "branch = 1 WHERE row = 5",
        "device = zeroblob(32) WHERE row = 5", "epoch_counter = 0 WHERE row = 8", "epoch_nonce = 0 WHERE row = 8",
        "group_id = zeroblob(32) WHERE row = 5", "first = 4, branch = 300 WHERE row = 5", "first = NULL WHERE row = 5",
    ]

    @Test(arguments: changesOfKeys)
    func `a start sets runs with damaged names aside, and writing goes on`(assignment: String) throws {
        try withStore(folder) { store throws in
            try store.tamperBesideIndex(of: "runs", "UPDATE runs SET \(assignment)")
        }
        try withStore(folder) { store throws in
            let state = try store.load()
            #expect(!state.damage.filter(\.isTold).isEmpty)
            // Whatever the damaged name says: this device's own feed may be the one that lost a run.
            #expect(state.snapshot.mayBeCopy)
            #expect(Set(runs.map(\.key)).isSuperset(of: state.snapshot.runs.map(\.key)))
            let kept = Set(state.snapshot.runs.map(\.key) + (try store.damageSetAside()).compactMap(\.wholeRun))
            let lost = state.damage.filter(\.isTold).count
            #expect(kept.count == runs.count - lost, "all that is whole is there")
            #expect(state.snapshot.operations == operations)
            #expect(try store.checkIntegrity().isEmpty)
            var change = DurableChange()
            change.runs = runs
            try store.apply(change)
            #expect(try store.load().snapshot.runs == runs)
            var removal = DurableChange()
            removal.removedRuns = runs.map(\.key)
            try store.apply(removal)
            #expect(try store.load().snapshot.runs.isEmpty)
            #expect(try store.checkIntegrity().isEmpty)
        }
    }

    @Test(arguments: [
        "operation = (SELECT operation FROM operations WHERE row = 1) WHERE row = 3",
        "operation = (SELECT operation FROM operations WHERE row = 4) WHERE row < 4",
        "operation = zeroblob(32) WHERE row = 3", "group_id = zeroblob(32) WHERE row = 3",
        "operation = 7 WHERE row = 3",
    ])
    func `operations with damaged names are set aside`(assignment: String) throws {
        try withStore(folder) { store throws in
            try store.tamperBesideIndex(of: "operations", "UPDATE operations SET \(assignment)")
        }
        try withStore(folder) { store throws in
            let state = try store.load()
            #expect(state.damage.count + state.snapshot.operations.count == operations.count)
            #expect(Set(operations).isSuperset(of: state.snapshot.operations) && !state.damage.isEmpty)
            #expect(state.snapshot.runs == runs)
            #expect(try store.checkIntegrity().isEmpty)
            var change = DurableChange()
            change.operations = operations
            try store.apply(change)
            #expect(try store.load().snapshot.operations == operations)
        }
    }

    /// Whole runs tell whose their feed is, also where they lie behind the damage.
    @Test(arguments: [(1, true), (8, false)])
    func `damage in another's feed may be this device's only where no whole run tells whose it is`(
        count: Int, mayBeCopy: Bool
    ) throws {
        let other = try temporary.account("other")
        var change = DurableChange()
        change.runs = Array(runs.prefix(count))
        change.local.keep(OwnEpoch(group: id(1), epoch: Epoch(counter: 7, nonce: 7)))
        try withStore(other) { store throws in
            try store.apply(change)
            try store.tamper("UPDATE runs SET packed = zeroblob(3) WHERE first = 1")
        }
        #expect(try withStore(other) { try $0.load().snapshot.mayBeCopy } == mayBeCopy)
    }

    @Test func `of two whole rows of one key the later one stays`() throws {
        let longer = stored(try run(first: 5, count: 2), arrival: 9)
        try withStore(folder) { store throws in
            try store.tamper("CREATE TABLE kept AS SELECT * FROM runs WHERE row = 5; UPDATE kept SET row = 0")
            var change = DurableChange()
            change.runs = [longer]
            try store.apply(change)
            try store.tamperBesideIndex(of: "runs", "INSERT INTO runs SELECT * FROM kept")
            try store.tamper("DROP TABLE kept; UPDATE runs SET packed = zeroblob(3) WHERE first = 8")
        }
        try withStore(folder) { store throws in
            #expect(try store.load().damage.count == 1)
            let kept = try store.load().snapshot.runs
            #expect(kept == runs.filter { ![5, 8].contains($0.run.first) } + [longer])
            #expect(try store.checkIntegrity().isEmpty)
        }
    }

    @Test(
        arguments: [
            ("settings", "UPDATE settings SET name = 'b' WHERE name = 'a'", ["b": [1]]),
            ("settings", "UPDATE settings SET name = 'c' WHERE name = 'a'", ["b": [2], "c": [1]]),
            ("access_keys", "UPDATE access_keys SET key = x'02' WHERE row = 1", ["a": [1], "b": [2]]),
            ("access_keys", "UPDATE access_keys SET key = x'07' WHERE row = 1", ["a": [1], "b": [2]]),
        ] as [(String, String, [String: [UInt8]])])
    func `a start brings order into other tables whose keys are damaged, and keeps the first of equal ones`(
        table: String, change: String, settings: [String: [UInt8]]
    ) throws {
        try withStore(folder) { try $0.tamperBesideIndex(of: table, change) }
        try expectOrder(in: table, settings: settings)
    }

    /// Names of peers in the file; a table without an index is itself in their order.
    @Test(arguments: [(200, 201), (201, 200), (200, 250)])
    func `a start brings order into cursors whose keys are damaged`(old: UInt64, new: UInt64) throws {
        func name(_ number: UInt64) -> Data { Data((id(number) as DeviceID).bytes.array) }
        var file = try Data(contentsOf: URL(fileURLWithPath: folder.databasePath))
        let place = try #require(file.range(of: name(old)))
        file.replaceSubrange(place, with: name(new))
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: folder.databasePath))
        try handle.write(contentsOf: file)
        try handle.close()
        try expectOrder(in: "cursors")
    }

    private func expectOrder(in table: String, settings: [String: [UInt8]] = ["a": [1], "b": [2]]) throws {
        try withStore(folder) { store throws in
            let state = try store.load()
            #expect(state.damage == [.row(table: table)])
            #expect(state.snapshot.settings == settings)
            #expect(state.snapshot.runs == runs && state.snapshot.operations == operations)
            #expect(try store.checkIntegrity().isEmpty)
            var change = DurableChange()
            change.settings = ["a": [1], "b": [], "c": []]
            change.accessKeys = [1, 2].map { StoredAccessKey(group: id(1), key: [$0]) }
            for peer in 200...201 as ClosedRange<UInt64> {
                change.local.keep(Cursor(group: id(1), peer: id(peer), store: storeZero, arrival: 9))
            }
            try store.apply(change)
            let snapshot = try store.load().snapshot
            #expect(snapshot.settings == ["a": [1]])
            #expect(Set(change.accessKeys).isSubset(of: snapshot.accessKeys))
            #expect(change.local.rows.allSatisfy { snapshot.local.rows[$0.key] == $0.value })
            #expect(try store.checkIntegrity().isEmpty)
        }
    }

    private let storeZero = StoreID(bytes: .zero)
}

extension StoreDamage {
    fileprivate var wholeRun: RunKey? {
        if case .runBehindDamage(let key) = self { key } else { nil }
    }
}
