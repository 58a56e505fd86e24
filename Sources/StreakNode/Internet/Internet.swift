import Logging
import NIOCore
import NIOPosix
import StreakCrypto
import StreakEngine
import StreakInternet
import StreakLinks
import StreakMembership
import StreakWire

/// Has friends on the internet find this node: it asks the routers to open a port, looks up the names that the user gave it, and
/// knows all endpoints at which others may reach this machine.
final class Internet {
    /// A setting that is 32 random bytes: what the nonces of mappings are made from. A node that crashed finds its mapping again with it,
    /// which nobody else may renew or delete.
    private static let secretSetting = "mapping-secret"
    private static let secretSize = 32
    /// How often the routes are looked over: the router may be another while the addresses are the same.
    private static let lookInterval: Duration = .seconds(30)

    /// What there is of one kind of address.
    private struct Family {
        let isIPv4: Bool
        var mapper = PortMapper()
        var sockets: RouterSockets?
        /// The address that the system uses towards the internet.
        var source: Endpoint?
    }

    private let core: NodeCore
    private let loop: NodeLoop
    private var families = [Family(isIPv4: true), Family(isIPv4: false)]
    private var isOpen = false
    private var nextLook: MonotonicInstant?
    private var named: NamedAddresses
    /// Nil before the engine was told anything in this life of the network: it may hold what was true in an earlier one.
    private var toldEndpoints: [Whereabouts.Entry]?
    private let helper: RouterHelper
    private let notices: NoticeExchange
    /// As it was when it last answered, or did not.
    private var helperState: HelperState
    private var helperPorts: [OpenedPort] = []

    init(core: NodeCore, loop: NodeLoop) {
        (self.core, self.loop) = (core, loop)
        named = NamedAddresses(Array(core.configuration.advertised.prefix(NodeConfiguration.maximumAdvertised)))
        let (clock, inbox) = (core.clock, core.inbox)
        let (program, nodes) = (HelperProgram.besideThis, NoticeExchange.keptNodes(core))
        let shared = InternetHelper(
            program: program, network: core.configuration.dht, nodes: nodes, clock: { clock.now },
            nodesFound: { inbox.put(.dht(.nodes($0))) })
        helper = RouterHelper(shared)
        helperState = program == nil ? .missing : .idle
        notices = NoticeExchange(core: core, loop: loop, helper: shared, isPresent: program != nil, nodes: nodes)
    }

    // MARK: The setting

    /// Takes the setting that the node was started with, if one was given, for the one that is remembered.
    func adoptSetting() async throws {
        guard let wanted = core.configuration.internet, InternetSetting(rawValue: wanted) != core.internetSetting else {
            return
        }
        try await remember(wanted)
    }

    private func remember(_ word: String) async throws {
        guard InternetSetting(rawValue: word) != nil else {
            throw NodeFailure.invalidSetting(name: "internet", values: InternetSetting.words)
        }
        try await loop.execute(.keepSetting(name: NodeCore.internetSetting, value: Array(word.utf8)))
    }

    func change(to word: String?, letters: Bool?, advice: Bool?) async throws -> InternetReport {
        if let letters {
            try await keep(letters, as: NodeCore.lettersSetting)
            loop.tell(.lettersChanged(letters))
        }
        if let advice { try await keep(advice, as: NodeCore.adviceSetting) }
        let before = core.internetSetting
        if let word { try await remember(word) }
        let setting = core.internetSetting
        if setting != before, core.isServing {
            if setting == .lanOnly || before == .lanOnly {
                // What may come and go is a matter of the sockets: links beyond this network end with them.
                await loop.leaveNetwork()
                try await loop.rejoinNetwork()
            } else {
                await closed()
                opened()
                loop.tell(.internetSettingChanged(setting))
            }
        }
        return report()
    }

    private func keep(_ isOn: Bool, as name: String) async throws {
        try await loop.execute(.keepSetting(name: name, value: Array((isOn ? "on" : "off").utf8)))
    }

    // MARK: Life

    /// The node takes links from now on.
    func opened() {
        guard core.isServing, core.configuration.usesInternet, core.internetSetting == .on else { return }
        isOpen = true
        helper.open()
        notices.opened()
        toldEndpoints = nil
        look()
        lookUpNames()
    }

    /// The node takes no links from now on. What routers have opened is closed, and the helper ends: one that ignores the end of
    /// its input would keep the sockets that it has inherited.
    func closed() async {
        guard isOpen else { return }
        isOpen = false
        notices.closed()
        nextLook = nil
        named.stop()
        let ports = helperPorts
        helperPorts = []
        for place in families.indices {
            for case .send(let bytes, let target) in families[place].mapper.handle(.stopped, at: now) {
                families[place].sockets?.send(bytes, to: target)
            }
            families[place].sockets?.close()
        }
        families = families.map { Family(isIPv4: $0.isIPv4) }
        await helper.unmap(ports)
        // Routers are slow: the node may take links again by now.
        if !isOpen { await helper.close() }
    }

    private var now: Duration { MonotonicInstant.zero.duration(to: core.clock.now) }

    var nextDeadline: MonotonicInstant? {
        let mappers = families.compactMap(\.mapper.nextDeadline).map { MonotonicInstant.zero.advanced(by: $0) }
        return (mappers + [nextLook, named.due, notices.nextPing].compactMap(\.self)).min()
    }

    func deadlineReached() {
        guard isOpen else { return }
        let instant = core.clock.now
        if let nextLook, nextLook <= instant { look() }
        if let due = named.due, due <= instant { lookUpNames() }
        for place in families.indices { take(.deadlineReached, at: place) }
        notices.deadlineReached()
    }

    /// What came in that is not a link's. Returns whether it was.
    func takes(_ input: NetworkInput) -> Bool {
        switch input {
        case .routerSpoke(let bytes, let source, let isIPv4):
            let place = isIPv4 ? 0 : 1
            families[place].sockets?.consumed()
            if isOpen { take(.datagramReceived(bytes, from: source), at: place) }
            return true
        case .namesFound(let found):
            namesFound(found)
            return true
        case .upnpEnded(let outcome, let ports, let state, let isIPv4):
            (helperPorts, helperState) = (ports, state)
            if isOpen { take(.upnpEnded(outcome), at: isIPv4 ? 0 : 1) }
            return true
        case .interfacesChanged:
            if isOpen {
                look()
                lookUpNames()
            }
            notices.networkChanged()
            return false
        case .dht(let answer):
            notices.take(answer)
            return true
        case .peersFound: return false
        case .datagram(let bytes, let source): return notices.takes(bytes, from: source)
        case .beacon, .streamAccepted, .streamOpened, .streamFailed, .streamBytes, .streamClosed:
            return false
        }
    }

    // MARK: Routers

    /// Looks who the routers are.
    private func look() {
        nextLook = core.clock.now.advanced(by: Self.lookInterval)
        let served = loop.ownEndpoints
        for place in families.indices {
            let route = InternetRoute.now(ipv4: families[place].isIPv4, served: served)
            families[place].source = route.source
            switch route.line {
            case .success(let line): found(line, at: place)
            case .failure(let reason): lost(reason.finding, at: place)
            }
        }
        tellEngine()
    }

    private func found(_ line: PortMapper.Line, at place: Int) {
        if families[place].sockets?.line != line {
            families[place].sockets?.close()
            let (inbox, isIPv4) = (core.inbox, families[place].isIPv4)
            do {
                families[place].sockets = try RouterSockets(line) {
                    inbox.put(.routerSpoke($0, from: $1, isIPv4: isIPv4))
                }
            } catch {
                // The address has just gone; the next look sees that.
                return lost(.noGateway, at: place)
            }
        }
        take(.lineFound(line, nonce: nonce(for: line)), at: place)
    }

    private func lost(_ finding: MappingFinding?, at place: Int) {
        families[place].sockets?.close()
        families[place].sockets = nil
        take(.lineLost(finding), at: place)
    }

    private func take(_ input: PortMapper.Input, at place: Int) {
        for output in families[place].mapper.handle(input, at: now) {
            switch output {
            case .send(let bytes, let target): families[place].sockets?.send(bytes, to: target)
            case .mapByUPnP(let line, let port): askHelper(line, port, at: place)
            case .unmapByUPnP:
                let (helper, ports) = (helper, helperPorts)
                helperPorts = []
                outsideTurns { await helper.unmap(ports) }
            case .changed: tellChange(at: place)
            }
        }
    }

    /// Asks by UPnP, in a program of its own: it takes seconds, and reads what routers write in C.
    private func askHelper(_ line: PortMapper.Line, _ port: UInt16, at place: Int) {
        let (helper, inbox, isIPv4) = (helper, core.inbox, families[place].isIPv4)
        outsideTurns {
            let (outcome, ports) = await helper.map(line, outsidePort: port)
            inbox.put(.upnpEnded(outcome, ports, await helper.state, isIPv4: isIPv4))
        }
    }

    /// Has something that takes seconds done beside the node, whose turns go on.
    private func outsideTurns(_ work: @escaping @Sendable () async -> Void) {
        _ = MultiThreadedEventLoopGroup.singleton.any().makeFutureWithTask(work)
    }

    private func tellChange(at place: Int) {
        tellEngine()
        let mapper = families[place].mapper
        let family = families[place].isIPv4 ? "IPv4" : "IPv6"
        if let endpoint = mapper.endpoint, let mapping = mapper.mapping {
            core.configuration.logger.info("\(family): port open at \(endpoint), by \(mapping.by.rawValue)")
        } else if let finding = mapper.finding {
            core.configuration.logger.info("\(family): no port open: \(finding.rawValue)")
        }
    }

    /// The same for the same line, also after a crash; unknown to everybody else.
    private func nonce(for line: PortMapper.Line) -> MappingNonce {
        var writer = WireWriter()
        writer.write(line.gateway)
        writer.write(line.inside)
        var reader = WireReader(Blake2b.keyedHash(writer.bytes, key: secret))
        // A hash has enough bytes.
        guard let high = try? reader.readUInt32(), let low = try? reader.readUInt64() else { return MappingNonce(0, 0) }
        return MappingNonce(high, low)
    }

    private var secret: [UInt8] {
        if let known = core.engine.setting(Self.secretSetting), known.count == Self.secretSize { return known }
        var entropy = SystemEntropy()
        let made = entropy.bytes(Self.secretSize)
        loop.post(.keepSetting(name: Self.secretSetting, value: made))
        return made
    }

    // MARK: Names

    private func lookUpNames() {
        let inbox = core.inbox
        named.lookUp { inbox.put(.namesFound($0)) }
    }

    private func namesFound(_ found: [String: [Endpoint]]) {
        let lost = named.take(found, at: core.clock.now, where: \.mayBeTold)
        guard isOpen else { return named.stop() }
        for name in lost {
            core.publish(
                found[name] == nil
                    ? NamedAddresses.failure(of: name)
                    : .notice(
                        "Friends are not told \(name): it leads to no address on the internet, or to a port below 1024."
                    ))
        }
        tellEngine()
    }

    // MARK: Notices

    func put(_ notice: Notice) { notices.put(notice, isOnline: isOnline) }

    func look(for key: Bytes32) { notices.look(for: key, isOnline: isOnline) }

    /// Whether there is a way to the internet at all.
    private var isOnline: Bool { families.contains { $0.source != nil } }

    // MARK: What comes of it

    /// Where others on the internet may reach this machine, as far as the node itself knows.
    private var found: [Whereabouts.Entry] {
        guard isOpen else { return [] }
        var found: [Whereabouts.Entry] = []
        func add(_ source: Whereabouts.Source, _ endpoint: Endpoint?) {
            guard let endpoint, endpoint.mayBeTold, !found.contains(where: { $0.endpoint == endpoint }) else { return }
            found.append(Whereabouts.Entry(source: source, endpoint: endpoint))
        }
        for family in families { add(.mapped, family.mapper.endpoint) }
        for family in families where !family.isIPv4 { add(.ipv6, family.source) }
        for name in named.names { for endpoint in named.endpoints[name] ?? [] { add(.named, endpoint) } }
        return found
    }

    /// Tells the engine, which tells friends, where that is another.
    private func tellEngine() {
        let found = found
        guard found != toldEndpoints else { return }
        toldEndpoints = found
        loop.tell(.ownEndpointsFound(found))
    }

    /// The engine is another one, which knows nothing yet.
    func engineRestarted() {
        toldEndpoints = nil
        if isOpen { tellEngine() }
    }

    /// Where others see this machine may be another now.
    func noteSeen() {
        guard isOpen else { return }
        take(.seen(core.engine.seenEndpoint), at: 0)
    }

    /// What is known of the way to friends in other homes.
    var observed: Observations.Internet {
        var seen = Observations.Internet(setting: core.internetSetting)
        guard isOpen else { return seen }
        seen.reach = core.engine.ownReach
        seen.isSeen = core.engine.seenEndpoint != nil
        seen.finding = families[0].mapper.finding
        seen.isHelperMissing = helperState == .missing
        seen.isDHTFailing = isOnline && notices.isFailing
        for device in core.engine.linkedDevices
        where device.path != .lan && device.openedAt.duration(to: core.clock.now) > .seconds(60) {
            seen.linkedBeyond += 1
            if device.hasDatagrams { seen.linkedByUDP += 1 }
        }
        return seen
    }

    func report() -> InternetReport {
        let open = families.first { $0.mapper.endpoint != nil }?.mapper
        let mapping = open?.mapping.map { mapping in
            InternetReport.Mapping(
                by: mapping.by.rawValue, outside: mapping.outside.description, streams: mapping.hasTCP,
                until: mapping.ends.map {
                    Timestamp(seconds: core.clock.wallTime.seconds + ($0 - now).components.seconds).text
                })
        }
        var report = InternetReport(setting: core.internetSetting.rawValue)
        (report.reach, report.mapping) = (core.engine.ownReach.rawValue, mapping)
        // It runs only as long as something is asked.
        report.letters = core.leavesLetters
        report.advice = core.givesAdvice
        report.withoutAlwaysOn = core.groupsWithoutAlwaysOn.map(core.title)
        report.helper = (helperState == .running ? .idle : helperState).rawValue
        if isOpen { report.finding = families[0].mapper.finding?.rawValue }
        report.dht = notices.report()
        report.outside = (isOpen ? core.engine.ownEndpoints : []).map {
            .init(endpoint: $0.endpoint.description, source: $0.source.word)
        }
        return report
    }
}
