import StreakCrypto
import StreakEngine
import StreakLinks
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
    /// What runs, in lists of one or none, so that a node can be looked at without a copy of it.
    private var engines: [MeshEngine] = []
    private var liars: [Liar] = []
    /// Nil while the node is down, or lies. A copy, which costs as much as what an engine does with a datagram: whoever looks
    /// often asks.
    var engine: MeshEngine? {
        get { engines.first }
        set { engines = newValue.map { [$0] } ?? [] }
    }
    /// The hostile program that runs in the engine's place.
    var liar: Liar? {
        get { liars.first }
        set { liars = newValue.map { [$0] } ?? [] }
    }
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

    /// Whether the engine runs, or the hostile program.
    var isHonest: Bool { !engines.isEmpty }
    var isLying: Bool { !liars.isEmpty }
    var isRunning: Bool { isHonest || isLying }

    init(
        index: Int, identity: DeviceIdentity, accountKey: SigningSecretKey, endpoint: Endpoint, lan: Int,
        router: AddressTranslation?, outerAddress: Bytes16, clockLead: Duration, store: SimulatedStore
    ) {
        self.index = index
        self.identity = identity
        self.accountKey = accountKey
        self.endpoint = endpoint
        self.lan = lan
        self.router = router
        self.outerAddress = outerAddress
        self.clockLead = clockLead
        self.store = store
    }

    /// What the engine says, looked at in place; nil while there is none.
    func ask<Answer>(_ question: (borrowing MeshEngine) -> Answer) -> Answer? {
        engines.isEmpty ? nil : question(engines[0])
    }

    /// Gives an input to the program that runs. Returns what it wants done, and when it wants to be woken; both in the
    /// program's own time.
    mutating func handle(
        _ input: EngineInput, at instant: MonotonicInstant, wallTime: WallTime
    ) -> (outputs: [EngineOutput], deadline: MonotonicInstant?) {
        if isHonest {
            let outputs = engines[0].handle(input, at: instant, wallTime: wallTime)
            return (outputs, engines[0].nextDeadline)
        }
        guard isLying else { return ([], nil) }
        let outputs =
            switch input {
            case .link(let input): liars[0].handle(input, at: instant, wallTime: wallTime)
            case .deadlineReached: liars[0].handle(.deadlineReached, at: instant, wallTime: wallTime)
            case .beaconReceived, .listening, .networkChanged, .command, .codeDerived, .changeStored: [LinkOutput]()
            }
        return (outputs.map { .link($0) }, liars[0].nextDeadline)
    }
}
