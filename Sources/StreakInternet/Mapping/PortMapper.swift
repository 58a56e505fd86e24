public import StreakWire

/// Asks the router of one network to open a port: by PCP, else by NAT-PMP, else by UPnP. The caller speaks UPnP, when an output
/// asks for it. Pure: datagrams, times and chance come in, datagrams go out.
///
/// One for IPv4, where it opens a mapping, and one for IPv6, where it opens a pinhole in the router's firewall. Links' datagrams
/// come first, then their streams at the same outside number. Every time is counted from one start and never goes back.
public struct PortMapper: Sendable {
    /// A way out of this network.
    public struct Line: Hashable, Sendable {
        /// The router's address, with its interface where it is a link-local one. The port is ignored.
        public let gateway: Endpoint
        /// The address that this machine has towards the internet, and the port at which it takes links.
        public let inside: Endpoint

        public init(gateway: Endpoint, inside: Endpoint) {
            self.gateway = Endpoint(address: gateway.address, port: PCP.port, scope: gateway.scope)
            self.inside = inside
        }
    }

    /// A port that is open.
    public struct Mapping: Hashable, Sendable {
        public let by: MappingProtocol
        public internal(set) var outside: Endpoint
        /// Whether streams come in at the same number, too.
        public internal(set) var hasTCP = false
        /// When the router closes it unless it is renewed; nil for never.
        public internal(set) var ends: Duration?
    }

    public enum Input: Sendable {
        /// The line to the internet has changed to this one. The nonce is secret, and always the same for the same line.
        case lineFound(Line, nonce: MappingNonce)
        /// There is no line now, and why; nil if none is needed.
        case lineLost(MappingFinding?)
        /// A datagram came: to the port from which requests are sent, or to the port of announcements.
        case datagramReceived([UInt8], from: Endpoint)
        /// An attempt by UPnP has ended.
        case upnpEnded(UPnPOutcome)
        /// The address at which others see this machine; nil if they do not say.
        case seen(Endpoint?)
        case deadlineReached
        /// Close everything that is open. The router is told once: a mapping that it keeps ends with its lifetime.
        case stopped
    }

    public enum Output: Hashable, Sendable {
        case send([UInt8], to: Endpoint)
        /// Asks for the port by UPnP. `upnpEnded` has to follow within 30 s. `outsidePort` is the port that it would like.
        case mapByUPnP(Line, outsidePort: UInt16)
        case unmapByUPnP(Line, outsidePort: UInt16)
        /// `mapping`, `endpoint` or `finding` has changed.
        case changed
    }

    /// When a request is sent and repeated, after the round began.
    static let sendTimes: [Duration] = [.zero, .milliseconds(250), .milliseconds(750)]
    /// When a request counts as unanswered.
    static let patience: Duration = .milliseconds(1_750)
    /// The lifetime to ask for, in seconds.
    static let lease: UInt32 = 3_600
    /// A granted lifetime outside these limits is taken for the nearest of them. So no router can make this node ask all the
    /// time, or never again.
    static let leases: ClosedRange<Duration> = .seconds(120)...(.seconds(86_400))
    /// How long after a failure everything is tried again: the longest that PCP waits (RFC 6887 §8.1.1, MRT).
    static let pause: Duration = .seconds(1_024)
    /// The shortest time between two rounds, whatever a router announces or others see.
    static let shortestRound: Duration = .seconds(10)
    /// How long witnesses may still name the address that the router had before: as long as what they said counts.
    static let formerPatience: Duration = .seconds(900)
    /// How long UPnP may take.
    static let patienceWithUPnP: Duration = .seconds(30)
    /// After what time a permanent mapping is checked.
    static let permanentCheck: Duration = .seconds(1_800)
    /// The port at which hosts receive routers' announcements.
    public static let announcementPort = PCP.announcementPort
    /// Longer datagrams are ignored.
    public static let maximumDatagramSize = PCP.maximumSize

    enum Question: Hashable {
        case pcp(MappedTransport), natPMPAddress, natPMP(MappedTransport)
    }

    enum Phase: Hashable {
        case idle
        case asking(Question, since: Duration, sent: Int)
        case waitingForUPnP(until: Duration)
        /// Waits for the next round, which renews the mapping or tries again.
        case resting(until: Duration)
    }

    private(set) var line: Line?
    private var nonce = MappingNonce(0, 0)
    var phase = Phase.idle
    private var epoch = EpochWatch()
    private var lastRound: Duration?
    private var seen: Endpoint?
    /// The outside address that the router had before its present one. Who sees this machine there has not heard from it since.
    private var former: (address: Bytes16, until: Duration)?
    private var lastAddress: Bytes16?
    /// The outside address that NAT-PMP told.
    var natPMPAddress: Endpoint?
    /// The port that is open, if one is.
    public internal(set) var mapping: Mapping?
    /// The best reason so far why this round opens no port.
    var found: MappingFinding?
    private var trouble: MappingFinding?

    public init() {}

    // MARK: What is known

    /// Where others can reach this machine through the open port; nil if they cannot.
    public var endpoint: Endpoint? {
        guard let outside = mapping?.outside else { return nil }
        guard let seen = seen?.address, seen != outside.address, seen != former?.address else { return outside }
        return nil
    }

    /// Why others cannot reach this machine; nil while they can, and while nothing is known yet.
    public var finding: MappingFinding? {
        if mapping != nil { return endpoint == nil ? .carrierNAT : nil }
        return trouble
    }

    /// When `deadlineReached` is due.
    public var nextDeadline: Duration? { [phaseDeadline, former?.until].compactMap(\.self).min() }

    private var phaseDeadline: Duration? {
        switch phase {
        case .idle: nil
        case .asking(_, let since, let sent):
            since + (sent < Self.sendTimes.count ? Self.sendTimes[sent] : Self.patience)
        case .waitingForUPnP(let until), .resting(let until): until
        }
    }

    // MARK: Inputs

    public mutating func handle(_ input: Input, at now: Duration) -> [Output] {
        let before = (mapping, endpoint, finding)
        var outputs: [Output] = []
        switch input {
        case .lineFound(let line, let nonce):
            guard line != self.line else { break }
            // The old router is out of reach. What is open there closes when its lifetime ends.
            self = PortMapper()
            (self.line, self.nonce) = (line, nonce)
            begin(at: now, &outputs)
        case .lineLost(let finding):
            self = PortMapper()
            trouble = finding
        case .datagramReceived(let bytes, let source): receive(bytes, from: source, at: now, &outputs)
        case .upnpEnded(let outcome): upnpEnded(outcome, at: now)
        case .seen(let endpoint):
            let isNew = endpoint?.address != seen?.address
            seen = endpoint
            // The router may have another address since it was asked: not all routers tell.
            if isNew, mapping != nil, self.endpoint == nil, case .resting = phase { beginAgain(at: now, &outputs) }
        case .deadlineReached: deadlineReached(at: now, &outputs)
        case .stopped: stop(&outputs)
        }
        compareAddresses(at: now, &outputs)
        if before != (mapping, endpoint, finding) { outputs.append(.changed) }
        return outputs
    }

    /// The router's new address is believed although witnesses still name the one before. Once they have seen the new one, or after
    /// as long as their word counts, the one before is as good as any other: the router may be back there.
    private mutating func compareAddresses(at now: Duration, _ outputs: inout [Output]) {
        let address = mapping?.outside.address
        if let address, address != lastAddress {
            former = lastAddress.map { ($0, now + Self.formerPatience) }
            lastAddress = address
        }
        if address != nil, seen?.address == address { former = nil }
        guard let ended = former?.until, ended <= now else { return }
        former = nil
        if endpoint == nil, case .resting = phase { beginAgain(at: now, &outputs) }
    }

    private mutating func deadlineReached(at now: Duration, _ outputs: inout [Output]) {
        guard let due = phaseDeadline, due <= now else { return }
        switch phase {
        case .idle: break
        case .asking(let question, let since, let sent) where sent < Self.sendTimes.count:
            phase = .asking(question, since: since, sent: sent + 1)
            send(question, &outputs)
        case .asking(let question, _, _): unanswered(question, at: now, &outputs)
        case .waitingForUPnP: if !keepsMapping(at: now) { fail(.noAnswer, at: now) }
        case .resting: begin(at: now, &outputs)
        }
    }

    // MARK: Rounds

    /// Begins a round: by the protocol that made the mapping, or by the first of all protocols.
    func firstQuestion(at now: Duration) -> Question? {
        guard let mapping else { return .pcp(.udp) }
        switch mapping.by {
        case .pcp: return .pcp(.udp)
        case .natPMP: return .natPMPAddress
        case .upnp: return nil
        }
    }

    mutating func begin(at now: Duration, _ outputs: inout [Output]) {
        if let ends = mapping?.ends, ends <= now { mapping = nil }
        lastRound = now
        found = nil
        if let question = firstQuestion(at: now) {
            ask(question, at: now, &outputs)
        } else {
            askUPnP(at: now, &outputs)
        }
    }

    /// Begins a round early, because the router has lost its mappings or has another address. `shortestRound` limits how often.
    mutating func beginAgain(at now: Duration, _ outputs: inout [Output]) {
        let earliest = (lastRound ?? now - Self.shortestRound) + Self.shortestRound
        if earliest <= now { begin(at: now, &outputs) } else { phase = .resting(until: earliest) }
    }

    mutating func ask(_ question: Question, at now: Duration, _ outputs: inout [Output]) {
        phase = .asking(question, since: now, sent: 1)
        send(question, &outputs)
    }

    private mutating func send(_ question: Question, lifetime: UInt32 = lease, _ outputs: inout [Output]) {
        guard let line else { return }
        let isIPv4 = line.inside.ipv4 != nil
        let anywhere = isIPv4 ? Endpoint(ipv4: 0, port: 0) : Endpoint(address: Bytes16(0, 0), port: 0)
        // Always the same outside number, because some routers keep a mapping for every number they were asked for.
        let wished = mapping?.outside ?? Endpoint(address: anywhere.address, port: line.inside.port)
        let outside = lifetime == 0 ? anywhere : wished
        switch question {
        case .pcp(let transport):
            let request = PCP.MapRequest(
                nonce: nonce, transport: transport, inside: line.inside, outside: outside, lifetime: lifetime)
            outputs.append(.send(request.encoded, to: line.gateway))
        case .natPMPAddress: outputs.append(.send(NATPMP.addressRequest, to: line.gateway))
        case .natPMP(let transport):
            let request = NATPMP.mapRequest(
                transport, insidePort: line.inside.port, outsidePort: outside.port, lifetime: lifetime)
            outputs.append(.send(request, to: line.gateway))
        }
    }

    private mutating func unanswered(_ question: Question, at now: Duration, _ outputs: inout [Output]) {
        switch question {
        case .pcp(.tcp), .natPMP(.tcp):
            mapping?.hasTCP = false
            rest(at: now)
        case .pcp(.udp), .natPMPAddress, .natPMP(.udp):
            if keepsMapping(at: now) { return }
            note(.noAnswer)
            askUPnP(at: now, &outputs)
        }
    }

    /// A renewal had no answer, but the mapping is still there: tries again after half of the remaining time.
    private mutating func keepsMapping(at now: Duration) -> Bool {
        guard let ends = mapping?.ends, ends > now else { return false }
        phase = .resting(until: min(ends, now + max(Self.leases.lowerBound / 2, (ends - now) / 2)))
        return true
    }

    /// The round has ended with a port.
    mutating func rest(at now: Duration) {
        trouble = nil
        let half = mapping?.ends.map { ($0 - now) / 2 }
        phase = .resting(until: now + (half ?? Self.permanentCheck))
    }

    /// The round has ended without one.
    mutating func fail(_ finding: MappingFinding, at now: Duration) {
        note(finding)
        mapping = nil
        trouble = found
        phase = .resting(until: now + Self.pause)
    }

    mutating func note(_ finding: MappingFinding) { found = max(found ?? finding, finding) }

    /// Why an outside endpoint is not one to tell others: its address, or only its port number.
    static func fault(of outside: Endpoint) -> MappingFinding {
        Endpoint(address: outside.address, port: .max).mayBeTold ? .portTaken : .carrierNAT
    }

    static func granted(_ lifetime: UInt32) -> Duration {
        max(leases.lowerBound, min(leases.upperBound, .seconds(Int64(lifetime))))
    }

    // MARK: UPnP

    mutating func askUPnP(at now: Duration, _ outputs: inout [Output]) {
        guard let line else { return }
        phase = .waitingForUPnP(until: now + Self.patienceWithUPnP)
        outputs.append(.mapByUPnP(line, outsidePort: mapping?.outside.port ?? line.inside.port))
    }

    private mutating func upnpEnded(_ outcome: UPnPOutcome, at now: Duration) {
        guard case .waitingForUPnP = phase else { return }
        switch outcome {
        case .failed(let finding): if !keepsMapping(at: now) { fail(finding, at: now) }
        case .mapped(let outside, let hasTCP, let lease):
            guard outside.mayBeTold else { return fail(Self.fault(of: outside), at: now) }
            let lease = lease.map { max(Self.leases.lowerBound, min(Self.leases.upperBound, $0)) }
            mapping = Mapping(by: .upnp, outside: outside, hasTCP: hasTCP, ends: lease.map { now + $0 })
            rest(at: now)
        }
    }

    // MARK: The end

    private mutating func stop(_ outputs: inout [Output]) {
        var deleted: [Question] = []
        switch phase {
        case .asking(.pcp, _, _): deleted = MappedTransport.allCases.map { .pcp($0) }
        case .asking(.natPMPAddress, _, _), .asking(.natPMP, _, _):
            deleted = MappedTransport.allCases.map { .natPMP($0) }
        case .waitingForUPnP, .resting, .idle:
            switch mapping?.by {
            case .pcp: deleted = MappedTransport.allCases.map { .pcp($0) }
            case .natPMP: deleted = MappedTransport.allCases.map { .natPMP($0) }
            case .upnp, nil: break
            }
        }
        if let line, mapping?.by == .upnp || isWaitingForUPnP {
            outputs.append(.unmapByUPnP(line, outsidePort: mapping?.outside.port ?? line.inside.port))
        }
        for question in deleted { send(question, lifetime: 0, &outputs) }
        self = PortMapper()
    }

    private var isWaitingForUPnP: Bool {
        if case .waitingForUPnP = phase { true } else { false }
    }

    // MARK: What the other file asks

    /// Whether an answer names the mapping that this one asks for.
    func isOwn(_ nonce: MappingNonce) -> Bool { nonce == self.nonce }

    /// Whether the router has started since it last said its age.
    mutating func hasRestarted(age: UInt32, at now: Duration) -> Bool { epoch.hasRestarted(age: age, at: now) }

    /// Has the router close a mapping that is of no use.
    mutating func delete(_ question: Question, _ outputs: inout [Output]) { send(question, lifetime: 0, &outputs) }
}
