import StreakCrypto
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

@testable import StreakEngine
@testable import StreakSimulator

extension FuzzTarget {
    /// The engine under any sequence of inputs, and over any store.
    static let engineTargets: [FuzzTarget] = [
        FuzzTarget("engine", engine),
        FuzzTarget("snapshot", snapshot),
    ]

    @Sendable private static func engine(_ bytes: [UInt8]) throws {
        var world = try FuzzWorld.ready.get()
        var source = ByteSource(bytes)
        var steps = 0
        while !source.isEmpty, steps < 200 {
            steps += 1
            world.step(&source)
        }
        try world.check()
    }

    /// A store whose rows are whole, and hold whatever the bytes say.
    @Sendable private static func snapshot(_ bytes: [UInt8]) throws {
        let world = try FuzzWorld.ready.get()
        var source = ByteSource(bytes)
        var snapshot = world.store.snapshot
        while !source.isEmpty { damage(&snapshot, &source) }
        var engine = MeshEngine(
            snapshot: snapshot, identity: world.engine.identity, entropy: SeededEntropy(seed: 1),
            wallTime: WallTime(milliseconds: FuzzWorld.wall))
        var now = MonotonicInstant.zero
        let wall = WallTime(milliseconds: FuzzWorld.wall)
        let address = Endpoint(ipv4: 0x0A00_0001, port: 7_420)
        _ = engine.handle(.listening(port: 7_420, addresses: [address], usesDiscovery: true), at: now, wallTime: wall)
        for number in 0..<20 {
            _ = engine.handle(.changeStored(ChangeID(number: UInt64(number))), at: now, wallTime: wall)
            guard let deadline = engine.nextDeadline else { break }
            now = max(now, deadline)
            _ = engine.handle(.deadlineReached, at: now, wallTime: wall)
        }
        for group in engine.groupIDs {
            _ = engine.digest(of: group)
            _ = engine.mergedRecords(of: group)
        }
        _ = (engine.sentFriendRequests, engine.receivedFriendRequests, engine.blockedUsers, engine.offeredReturns)
    }

    private static func damage(_ snapshot: inout Snapshot, _ source: inout ByteSource) {
        switch source.choice(of: 10) {
        case 0:
            guard let name = source.element(of: snapshot.settings.keys.sorted() + settingNames) else { return }
            snapshot.settings[name] = source.piece()
        case 1:
            guard !snapshot.operations.isEmpty else { return }
            let index = source.choice(of: snapshot.operations.count)
            let old = snapshot.operations[index]
            snapshot.operations[index] = StoredOperation(
                group: old.group, id: old.id, bytes: source.piece(), arrival: source.number())
        case 2: snapshot.operations.removeFirst(min(snapshot.operations.count, source.choice(of: 4)))
        case 3:
            guard !snapshot.runs.isEmpty else { return }
            let index = source.choice(of: snapshot.runs.count)
            let old = snapshot.runs[index]
            let run = Run(
                feed: old.run.feed, first: source.flag() ? old.run.first : source.number() >> 44 | 1,
                before: old.run.before, signature: old.run.signature, packed: source.piece(),
                count: 1 + Int(source.short()) % Run.maximumCount)
            snapshot.runs[index] = StoredRun(
                group: old.group, branch: source.byte(), run: run, after: old.after, arrival: source.number())
        case 4: snapshot.runs.removeFirst(min(snapshot.runs.count, source.choice(of: 4)))
        case 5:
            let group = snapshot.accessKeys.first?.group ?? GroupID(bytes: .zero)
            let epoch = Epoch(counter: UInt32(truncatingIfNeeded: source.number()), nonce: source.number())
            snapshot.local.keep(OwnEpoch(group: group, epoch: epoch))
        case 6:
            let group = snapshot.accessKeys.first?.group ?? GroupID(bytes: .zero)
            snapshot.accessKeys.append(StoredAccessKey(group: group, key: source.piece()))
        case 7:
            let endpoint = Endpoint(
                address: Bytes16(source.number(), source.number()), port: source.short(), scope: UInt32(source.short()))
            let device = DeviceID(bytes: Bytes32(source.number(), 0, 0, 0))
            let answered = Int64(bitPattern: source.number())
            snapshot.addresses.append(RememberedAddress(device: device, endpoint: endpoint, lastAnswered: answered))
        case 8:
            guard let table = source.element(of: LocalTable.allCases) else { return }
            let known = snapshot.local.rows.filter { $0.key.table == table }.map(\.value)
            var row = known.min { "\($0)" < "\($1)" } ?? []
            for _ in 0..<source.choice(of: 12) { row.append(value(from: &source)) }
            if !row.isEmpty { row[source.choice(of: row.count)] = value(from: &source) }
            snapshot.local.keep(row, in: table)
        default:
            snapshot.nextArrival = source.number()
            snapshot.mayBeCopy = source.flag()
            for cursor in snapshot.local.all(Cursor.self).sorted(by: { ($0.group, $0.peer) < ($1.group, $1.peer) }) {
                snapshot.local.keep(
                    Cursor(group: cursor.group, peer: cursor.peer, store: cursor.store, arrival: source.number()))
            }
        }
    }

    private static func value(from source: inout ByteSource) -> RowValue {
        switch source.choice(of: 4) {
        case 0: .null
        case 1: .number(Int64(bitPattern: source.number()))
        case 2: .text(source.text())
        default: .bytes(source.flag() ? source.take(32) : source.piece())
        }
    }

    /// Those that an engine keeps by itself, besides what the snapshot holds.
    private static let settingNames = [EngineCore.epochsRenewedSetting, FriendRequests.ownSetting, "endpoints"]
}
