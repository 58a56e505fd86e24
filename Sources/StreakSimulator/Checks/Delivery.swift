import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension Figures {
    /// How many results reach friends in time who have laptops at home that are open in the evening.
    ///
    /// Each member plays once a day while the laptop is open: 1.5 to 3.5 hours in the evening, at about the same time every day, and
    /// one day in four in the morning. Who opens it at five may never meet who does at ten. Routers get another address every 30
    /// days on average; of those that open no port, 84 % are steady.
    public struct Delivery: Sendable {
        /// How the members' machines find each other.
        public enum Means: String, CaseIterable, Sendable {
            /// Nothing tells addresses or opens ports. One home in twenty has an open port.
            case nothing
            /// Some routers open ports. Nobody tells addresses.
            case mapping
            /// Some routers open ports. All tell their addresses and knock.
            case meeting
            /// The same, and notices in the DHT.
            case notices
            /// The same, and letters in them.
            case letters
            /// All of that, and one friend has a machine that is always on.
            case lettersAndFriend
            /// Meeting without the DHT, and one friend has a machine that is always on, and reachable. Nobody looks at results there.
            case alwaysOnFriend
            /// Every machine is reachable at an address that never changes.
            case everybodyReachable

            fileprivate var internetSetting: InternetSetting {
                switch self {
                case .nothing, .mapping: .off
                case .meeting, .notices, .letters, .lettersAndFriend, .alwaysOnFriend, .everybodyReachable: .on
                }
            }

            fileprivate var usesDHT: Bool {
                switch self {
                case .notices, .letters, .lettersAndFriend: true
                case .nothing, .mapping, .meeting, .alwaysOnFriend, .everybodyReachable: false
                }
            }

            /// Whether members who are online always find each other, even when every address has changed.
            fileprivate var findsEverybody: Bool { usesDHT || self == .everybodyReachable }

            fileprivate var leavesLetters: Bool { self == .letters || self == .lettersAndFriend }

            fileprivate var hasFriend: Bool { self == .alwaysOnFriend || self == .lettersAndFriend }
        }

        /// Pairs in which the other member's machine had the result within an hour of its writing, and within a day.
        public struct Count: Sendable, Equatable {
            public internal(set) var withinHour: Int
            public internal(set) var withinDay: Int

            fileprivate init(of delays: [Duration]) {
                withinHour = delays.count { $0 <= Delivery.hour }
                withinDay = delays.count { $0 <= Delivery.day }
            }

            fileprivate static func + (left: Self, right: Self) -> Self {
                var sum = left
                sum.withinHour += right.withinHour
                sum.withinDay += right.withinDay
                return sum
            }
        }

        /// Pairs of a result and another member.
        public struct Figure: Sendable {
            public internal(set) var pairs = 0
            public internal(set) var delivered = Count(of: [])
            /// The most that these people and routers allow (`PossibleDelivery`). Nil for means by which members who are
            /// online may fail to find each other.
            public internal(set) var possible: Count?

            public init() {}

            public static func + (left: Self, right: Self) -> Self {
                var sum = left
                sum.pairs += right.pairs
                sum.delivered = left.delivered + right.delivered
                sum.possible = right.possible.map { (left.possible ?? Count(of: [])) + $0 }
                return sum
            }
        }

        /// One group, and the means that it has.
        public struct Setting: Sendable {
            public var members: Int
            /// The share of members whose router opens a port, 0 to 1.
            public var reachableShare: Double
            public var means: Means

            public init(members: Int, reachableShare: Double, means: Means) {
                self.members = members
                self.reachableShare = reachableShare
                self.means = means
            }
        }

        private static let day: Duration = .seconds(86_400)
        private static let hour: Duration = .seconds(3_600)
        /// How long an address lasts on average, in days.
        private static let daysOfAddress = 30.0
        private static let steadyShare = 0.84
        private static let reachableWithoutMeans = 0.05
        /// How long a DHT keeps an item (BEP 44).
        private static let letterLifetime = hour * 2

        private enum Action {
            case open(Int)
            case play(Int)
            case close(Int)
            case changeAddress(Int)
        }

        private var simulation: Simulation
        private let setting: Setting
        /// Who lives how, in which home: the same for all means of a seed, so that their figures can be compared.
        private var random: SimulatedRandom
        /// When each member opens the laptop in the evening, give or take half an hour.
        private var evenings: [Duration] = []
        private var actions: [(instant: MonotonicInstant, action: Action)] = []
        private var homes: [PossibleDelivery.Home] = []

        /// Lets a group live for some days; on the last one nobody plays.
        ///
        /// - Throws: the reason if the group cannot be founded or a node fails, as text.
        public static func figure(of setting: Setting, days: Int, seed: UInt64) throws(CrowdFailure) -> Figure {
            var delivery = try Delivery(setting, seed: seed)
            return try delivery.live(for: days)
        }

        private init(_ setting: Setting, seed: UInt64) throws(CrowdFailure) {
            self.setting = setting
            random = SimulatedRandom(seed: ~seed)
            let extra = setting.means.hasFriend ? 1 : 0
            simulation = try Crowd(nodes: setting.members + extra, seed: seed).simulation
            simulation.network.profile = .dsl
            simulation.network.dht.state = setting.means.usesDHT ? .ordinary : .cut
            for index in simulation.nodes.indices {
                simulation.nodes[index].store.forgetAddresses()
                simulation.nodes[index].internetSetting = setting.means.internetSetting
                simulation.nodes[index].leavesLetters = setting.means.leavesLetters
                settle(index)
                // The friend takes nothing from what is chance for the members.
                evenings.append(isAlwaysOn(index) ? .zero : hours(17, 22))
            }
            tellReachable()
        }

        private var isReachableForever: Bool { setting.means == .everybodyReachable }

        private func isAlwaysOn(_ index: Int) -> Bool { index == setting.members }

        private mutating func hours(_ low: Double, _ high: Double) -> Duration {
            Self.hour * (low + (high - low) * random.fraction())
        }

        private mutating func settle(_ index: Int) {
            guard !isAlwaysOn(index) else {
                homes.append(.open)
                return simulation.settle(index, at: .home(index, .openingPorts))
            }
            let share = setting.means == .nothing ? Self.reachableWithoutMeans : setting.reachableShare
            let isReachable = random.fraction() < share
            let isSteady = random.fraction() < Self.steadyShare
            let keepsPort = random.fraction() < 0.5
            let place: Scenario.Place
            if isReachableForever {
                place = .internet
                homes.append(.open)
            } else if isReachable {
                place = .home(index, .openingPorts)
                homes.append(.open)
            } else if isSteady {
                place = .home(index, keepsPort ? .keepingPort : .steadyPort)
                homes.append(.steady)
            } else {
                place = .home(index, .changingPort)
                homes.append(.changing)
            }
            simulation.settle(index, at: place)
        }

        /// Whoever is reachable at first is known to all, as from an invite link.
        private mutating func tellReachable() {
            for index in simulation.nodes.indices {
                guard let endpoint = simulation.reachableEndpoint(of: index) else { continue }
                var change = DurableChange()
                change.addresses = [
                    RememberedAddress(
                        device: simulation.nodes[index].identity.device, endpoint: endpoint,
                        lastAnswered: simulation.wallTime(of: index).seconds)
                ]
                for other in simulation.nodes.indices where other != index {
                    simulation.nodes[other].store.apply(change)
                }
            }
        }

        // MARK: Days

        private mutating func live(for days: Int) throws(CrowdFailure) -> Figure {
            let start = simulation.now
            for index in simulation.nodes.indices {
                for day in 0..<days {
                    plan(day: start.advanced(by: Self.day * day), of: index, isLast: day == days - 1)
                }
                planMoves(of: index, until: start.advanced(by: Self.day * days), from: start)
            }
            // Actions of one instant stay in the order in which they were planned.
            let ordered = actions.enumerated().sorted {
                ($0.element.instant, $0.offset) < ($1.element.instant, $1.offset)
            }.map(\.element)
            simulation.visibility = VisibilityMeter()
            simulation.visibility?.leftOut = [setting.members]
            var possible = PossibleDelivery(
                homes: homes, letterLifetime: setting.means.leavesLetters ? Self.letterLifetime : nil)
            var figure = Figure()
            for (instant, action) in ordered {
                simulation.run(for: max(.zero, simulation.now.duration(to: instant)))
                figure.pairs += perform(action)
                switch action {
                case .open(let index): possible.opened(index, at: simulation.now)
                case .close(let index): possible.closed(index, at: simulation.now)
                case .play(let index): possible.wrote(index, at: simulation.now)
                case .changeAddress: break
                }
            }
            if let failure = simulation.failure { throw CrowdFailure(reason: failure.reason) }
            figure.delivered = Count(of: simulation.visibility?.delays ?? [])
            if setting.means.findsEverybody {
                figure.possible = Count(of: possible.delays(leavingOut: [setting.members]))
            }
            return figure
        }

        private mutating func plan(day: MonotonicInstant, of index: Int, isLast: Bool) {
            guard !isAlwaysOn(index) else { return actions.append((day, .open(index))) }
            var sessions: [(start: Duration, length: Duration)] = []
            if random.happens(with: 0.25) { sessions.append((hours(7, 9), hours(0.25, 1))) }
            sessions.append((evenings[index] + hours(-0.5, 0.5), hours(1.5, 3.5)))
            for session in sessions {
                actions.append((day.advanced(by: session.start), .open(index)))
                actions.append((day.advanced(by: session.start + session.length), .close(index)))
            }
            guard !isLast else { return }
            // At any moment at which the laptop is open, but not in its last minute.
            var moment = sessions.reduce(.zero) { $0 + $1.length - .seconds(60) } * random.fraction()
            for session in sessions {
                if moment < session.length - .seconds(60) {
                    return actions.append((day.advanced(by: session.start + moment + .seconds(5)), .play(index)))
                }
                moment -= session.length - .seconds(60)
            }
        }

        private mutating func planMoves(of index: Int, until end: MonotonicInstant, from start: MonotonicInstant) {
            // Without memory: in each hour as likely as in any other.
            var instant = start
            while true {
                let chance = 1 / (24 * Self.daysOfAddress)
                instant = instant.advanced(by: Self.hour)
                guard instant < end else { return }
                if random.happens(with: chance), !isReachableForever {
                    actions.append((instant, .changeAddress(index)))
                }
            }
        }

        /// Returns how many members are to see a result that was written.
        private mutating func perform(_ action: Action) -> Int {
            switch action {
            case .open(let index): simulation.start(index)
            case .close(let index):
                simulation.closePorts(of: index)
                // The lid is closed: nobody is told.
                simulation.stop(index)
            case .changeAddress(let index): simulation.changeAddresses(of: [index])
            case .play(let index):
                simulation.write(by: index, onlyNew: true)
                return setting.members - 1
            }
            return 0
        }
    }
}
