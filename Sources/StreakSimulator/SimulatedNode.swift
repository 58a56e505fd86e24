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
    /// The router that it is behind, and the address that it has outside.
    let router: AddressTranslation?
    let outerAddress: Bytes16
    /// How far the wall clock was ahead at `clockSetAt`, and what it has gained every second since.
    var clockLead: Duration = .zero
    var clockDrift: Duration = .zero
    var clockSetAt: MonotonicInstant = .zero
    var store: SimulatedStore
    var backup: SimulatedStore?
    /// Nil while the node is down, or lies.
    var engine: MeshEngine? { didSet { isHonest = engine != nil } }
    /// The hostile program that runs in the engine's place.
    var liar: Liar? { didSet { isLying = liar != nil } }
    /// Which of the two runs; stored, for to ask an optional that large costs a copy of it.
    private(set) var isHonest = false
    private(set) var isLying = false
    /// Counts starts: what was meant for an earlier life is dropped.
    var life = 0
    var startedAt: MonotonicInstant = .zero
    /// Transactions on their way to the disk, oldest first.
    var pending: [(change: DurableChange, id: ChangeID)] = []
    var lastStoredAt: MonotonicInstant = .zero
    var diskIsFull = false
    var diskForgets = false
    /// Whether the disk may lack what was confirmed, and what peers still have: a restored, copied or damaged one.
    var isAged = false
    /// After how many more outputs the process ends, and when it starts anew then.
    var outputsToLive: Int?
    var restartDelay: Duration = .zero
    /// The earliest wake-up under way.
    var wakeAt: MonotonicInstant?
    var outcomes: [CommandID: CommandOutcome] = [:]
    /// Groups that the node was told it is in no more.
    var lostGroups: Set<GroupID> = []
    var sentByteCount = 0
    /// Of those, how many before the lies began.
    var sentByteCountBeforeLies = 0
    var acceptedStreamCount: UInt64 = 0
    /// How often the engine was woken at one instant: more than a few times means that it spins.
    var wakesAtInstant: (instant: MonotonicInstant, count: Int) = (.zero, 0)

    var isRunning: Bool { isHonest || isLying }

    /// Gives an input to the program that runs. Returns what it wants done, and when it wants to be woken; both in the
    /// program's own time.
    mutating func handle(
        _ input: EngineInput, at instant: MonotonicInstant, wallTime: WallTime
    ) -> (outputs: [EngineOutput], deadline: MonotonicInstant?) {
        if isHonest {
            let outputs = engine?.handle(input, at: instant, wallTime: wallTime) ?? []
            return (outputs, engine?.nextDeadline)
        }
        let outputs =
            switch input {
            case .link(let input): liar?.handle(input, at: instant, wallTime: wallTime)
            case .deadlineReached: liar?.handle(.deadlineReached, at: instant, wallTime: wallTime)
            default: Optional<[LinkOutput]>.none
            }
        return ((outputs ?? []).map { .link($0) }, liar?.nextDeadline)
    }
}
