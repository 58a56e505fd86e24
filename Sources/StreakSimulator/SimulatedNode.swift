import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// One machine: a device, its disk and, while it runs, its engine.
struct SimulatedNode: Sendable {
    let index: Int
    /// Changes where the node is linked to another one's account.
    var identity: DeviceIdentity
    var accountKey: SigningSecretKey
    let endpoint: Endpoint
    /// Beacons reach the nodes of one LAN.
    let lan: Int
    /// How far the wall clock is ahead.
    var clockLead: Duration = .zero
    var store: SimulatedStore
    var backup: SimulatedStore?
    /// Nil while the node is down.
    var engine: MeshEngine?
    /// Counts starts: what was meant for an earlier life is dropped.
    var life = 0
    var startedAt: MonotonicInstant = .zero
    /// Transactions on their way to the disk, oldest first.
    var pending: [(change: DurableChange, id: ChangeID)] = []
    var lastStoredAt: MonotonicInstant = .zero
    var diskIsFull = false
    /// The earliest wake-up under way.
    var wakeAt: MonotonicInstant?
    var outcomes: [CommandID: CommandOutcome] = [:]
    var events: [EngineEvent] = []
    var sentByteCount = 0
    var acceptedStreamCount: UInt64 = 0
    /// How often the engine was woken at one instant: more than a few times means that it spins.
    var wakesAtInstant: (instant: MonotonicInstant, count: Int) = (.zero, 0)

    var isRunning: Bool { engine != nil }
}
