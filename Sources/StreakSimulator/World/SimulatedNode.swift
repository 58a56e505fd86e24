import StreakCrypto
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// One machine: a device, its disk and, while it runs, its engine.
struct SimulatedNode: Sendable {
    /// Where a node is on the network.
    struct Site: Sendable {
        /// The node's own address. Inside a home, others see another one unless the home has global addresses.
        var endpoint: Endpoint
        /// Beacons reach the nodes of one LAN.
        let lan: Int
        /// Nil for a node that has no router.
        let home: Int?
    }

    let index: Int
    /// Changes if the node is linked to another node's account.
    var identity: DeviceIdentity
    var accountKey: SigningSecretKey
    var site: Site
    /// The endpoint at which everybody can reach it, if its router has opened a port.
    var openEndpoint: Endpoint?
    /// When nodes of the DHT are asked where they see it, and when they were last.
    var witnessesDue: MonotonicInstant = .zero
    var witnessesAskedAt: MonotonicInstant = .zero
    /// The addresses that its user has named since it started.
    var namedEndpoints: [Endpoint] = []
    /// Its user's setting for the internet.
    var internetSetting = InternetSetting.on
    var leavesLetters = true
    /// How far the wall clock was ahead at `clockSetAt`, and how much it has gained every second since.
    var clockLead: Duration = .zero
    var clockDrift: Duration = .zero
    var clockSetAt: MonotonicInstant = .zero
    var store: SimulatedStore
    var backup: SimulatedStore?
    /// The running engine, in a list of at most one, so that it can be inspected without a copy.
    private var engines: [MeshEngine] = []
    private var liars: [Liar] = []
    /// Nil while the node is down or lies. It is a copy, which costs as much as handling a datagram; for frequent
    /// checks use `ask`.
    var engine: MeshEngine? {
        get { engines.first }
        set { engines = newValue.map { [$0] } ?? [] }
    }
    /// The hostile program that runs in the engine's place.
    var liar: Liar? {
        get { liars.first }
        set { liars = newValue.map { [$0] } ?? [] }
    }
    /// Counts starts. Events for an earlier life are dropped.
    var life = 0
    var startedAt: MonotonicInstant = .zero
    /// Transactions not on disk yet, oldest first.
    var pending: [(change: DurableChange, id: ChangeID)] = []
    var lastStoredAt: MonotonicInstant = .zero
    var diskIsFull = false
    var diskForgets = false
    /// Whether the disk may lack confirmed results that peers still have, because it was restored, copied or damaged.
    var isAged = false
    /// How many more outputs until the process ends, and when it then restarts.
    var outputsToLive: Int?
    var restartDelay: Duration = .zero
    /// The earliest pending wake-up.
    var wakeAt: MonotonicInstant?
    var outcomes: [CommandID: CommandOutcome] = [:]
    /// Groups that the node was told it is no longer in.
    var lostGroups: Set<GroupID> = []
    var sentByteCount = 0
    /// How many of those before the lies began.
    var sentByteCountBeforeLies = 0
    /// When it dialled or knocked beyond its network during the last second, and the most of that in any second.
    var dials: [MonotonicInstant] = []
    var mostDials = 0
    var acceptedStreamCount: UInt64 = 0
    /// Open streams that strangers have opened.
    var strangersStreams: Set<StreamID> = []
    /// How often the engine woke up at one instant; more than a few times means that it spins.
    var wakesAtInstant: (instant: MonotonicInstant, count: Int) = (.zero, 0)

    var endpoint: Endpoint { site.endpoint }

    /// Whether the engine runs, not the hostile program.
    var isHonest: Bool { !engines.isEmpty }
    var isLying: Bool { !liars.isEmpty }
    var isRunning: Bool { isHonest || isLying }

    init(
        index: Int, identity: DeviceIdentity, accountKey: SigningSecretKey, site: Site, clockLead: Duration,
        store: SimulatedStore
    ) {
        self.index = index
        self.identity = identity
        self.accountKey = accountKey
        self.site = site
        self.clockLead = clockLead
        self.store = store
    }

    /// Inspects the engine in place; nil if there is none.
    func ask<Answer>(_ question: (borrowing MeshEngine) -> Answer) -> Answer? {
        engines.isEmpty ? nil : question(engines[0])
    }

    /// Gives an input to the running program. Returns its outputs and its next wake-up, in the program's own time.
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
            case .beaconReceived, .listening, .networkChanged, .command, .codeDerived, .changeStored,
                .internetSettingChanged, .ownEndpointsFound, .seenFromOutside, .lettersChanged, .noticeFound,
                .noticeSearched, .putNoticeFailed:
                [EngineOutput]()
            }
        return (outputs, liars[0].nextDeadline)
    }
}
