import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Linking a second machine of one user, and what does not link.
struct DeviceLinkingTests {
    /// Node 0 with a private group and a shared one, node 1 a friend in that, node 2 a new machine.
    private struct Household {
        var network = EngineNetwork()
        let club: GroupID

        init() throws {
            try network.add(1, hasPrivateGroup: true)
            try network.add(2, hasPrivateGroup: true)
            try network.add(3)
            club = try network.joinGroup(0, [1])
        }

        var privateGroup: GroupID? { network.nodes[0].engine.privateGroup }

        mutating func deviceLink(of node: Int = 0) throws -> InviteLink {
            guard case .invite(_, let text)? = network.command(.linkDevice, at: node) else {
                throw EngineNetwork.SetUpFailure()
            }
            return try InviteLink(parsing: text, purpose: .device)
        }

        mutating func request(_ link: InviteLink, at node: Int = 2) -> CommandOutcome? {
            network.command(.requestDevice(link, timeout: .seconds(20)), at: node)
        }
    }

    @Test func `a new machine becomes a device in every group, and works with what it was given`() throws {
        var household = try Household()
        let link = try household.deviceLink()
        guard case .deviceLinked(let linking)? = household.request(link) else {
            Issue.record("not linked")
            return
        }
        let machine = household.network.nodes[2].identity
        let user = household.network.nodes[0].user
        #expect(linking.certificate.user == user)
        #expect(linking.certificate.device == machine.device)
        #expect(linking.groups.map(\.group) == [household.privateGroup, household.club])
        #expect(linking.groups.allSatisfy { $0.accessKeys.count == 1 })
        for group in linking.groups.map(\.group) {
            let state = household.network.nodes[0].engine.state(of: group)
            #expect(state?.device(machine.device)?.user == user)
        }
        // The friend has heard of it. Both accept the new device, started from what it was given.
        household.network.run(for: .seconds(2))
        #expect(
            household.network.nodes[1].engine.state(of: household.club)?.isCurrentMember(device: machine.device) == true
        )
        household.network.nodes[2].isOn = false
        let linked = try household.network.add(linked: linking, of: machine)
        household.network.run(for: .seconds(10))
        #expect(household.network.nodes[linked].engine.groupIDs.count == 2)
        for node in [0, 1] {
            let digest = household.network.nodes[node].engine.digest(of: household.club)
            #expect(digest == household.network.nodes[linked].engine.digest(of: household.club))
        }
        let devices = household.network.nodes[linked].engine.linkedDevices.map(\.device)
        #expect(devices == [0, 1].map { household.network.nodes[$0].identity.device }.sorted())
    }

    @Test func `a used link makes no second device`() throws {
        var household = try Household()
        let link = try household.deviceLink()
        guard case .deviceLinked? = household.request(link) else {
            Issue.record("not linked")
            return
        }
        let stranger = try household.network.add(4)
        #expect(household.request(link, at: stranger) == .failed(.deviceRefused(.used)))
        let state = household.privateGroup.flatMap { household.network.nodes[0].engine.state(of: $0) }
        #expect(state?.devices.count == 2)
    }

    @Test func `the same machine asks again after a lost answer, and gets the same certificate`() throws {
        var household = try Household()
        let link = try household.deviceLink()
        guard case .deviceLinked(let first)? = household.request(link) else {
            Issue.record("not linked")
            return
        }
        household.network.restart(2)
        guard case .deviceLinked(let second)? = household.request(link) else {
            Issue.record("not linked again")
            return
        }
        #expect(first == second)
    }

    @Test func `an expired link makes no device`() throws {
        var household = try Household()
        let link = try household.deviceLink()
        // The machine's own clock is stopped, as a thief's may be. The account's device decides.
        household.network.run(for: .seconds(Int(MeshEngine.deviceLinkLifetime) + 1))
        #expect(household.request(link) == .failed(.linkExpired))
        var thief = DeviceThief(link: link, network: household.network)
        #expect(thief.ask(&household.network, answer: 0) == [.friend(.deviceRefused(.expired))])
        let state = household.privateGroup.flatMap { household.network.nodes[0].engine.state(of: $0) }
        #expect(state?.devices.count == 1)
    }

    @Test(arguments: DeviceThief.Trick.allCases)
    func `a proof for other keys, another handshake or another purpose makes no device`(
        trick: DeviceThief.Trick
    ) throws {
        var household = try Household()
        let link = try household.deviceLink()
        var thief = DeviceThief(link: link, network: household.network)
        thief.trick = trick
        let answers = thief.ask(&household.network, answer: 0)
        let isRefused = answers.contains(.friend(.deviceRefused(.invalidProof)))
        let isCertified = answers.contains { if case .friend(.deviceCertified) = $0 { true } else { false } }
        #expect(isRefused == (trick != .none))
        #expect(isCertified == (trick == .none))
    }

    @Test func `an invite of a shared group makes no devices, and a device link no members`() throws {
        var household = try Household()
        let network = household.network
        guard
            case .invite(_, let text)? = household.network.command(
                .invite(household.club, uses: 0, lifetime: 3_600), at: 1)
        else { throw EngineNetwork.SetUpFailure() }
        // A member of the club turns its invite into a device link, to become a device of the account that answers.
        let invite = try InviteLink(parsing: text)
        let forged = InviteLink(
            seed: invite.seed, group: invite.group, expiresAt: invite.expiresAt, title: "x",
            addresses: [[network.nodes[0].endpoint]], identity: network.nodes[1].identity, purpose: .device)
        #expect(household.request(forged) == .failed(.deviceRefused(.unknownLink)))
        // Somebody with a device link tries to become a member of the private group.
        let device = try household.deviceLink()
        let joining = InviteLink(
            seed: device.seed, group: device.group, expiresAt: device.expiresAt, title: "x",
            addresses: device.addresses, identity: network.nodes[1].identity)
        let outcome = household.network.command(.join(joining, timeout: .seconds(5)), at: 1)
        #expect(outcome == .failed(.joinRefused(.unknownInvite)))
        #expect(
            household.network.command(.join(device, timeout: .seconds(5)), at: 1)
                == .failed(.deviceRefused(.unknownLink)))
        let state = household.privateGroup.flatMap { household.network.nodes[0].engine.state(of: $0) }
        #expect(state?.members.count == 1)
    }

    @Test func `neither kind of link can be turned into the other`() throws {
        var household = try Household()
        let device = try household.deviceLink()
        guard
            case .invite(_, let invite)? = household.network.command(
                .invite(household.club, uses: 0, lifetime: 3_600), at: 0)
        else { throw EngineNetwork.SetUpFailure() }
        #expect(throws: InviteLinkError.notALink) { _ = try InviteLink(parsing: device.text) }
        #expect(throws: InviteLinkError.notALink) { _ = try InviteLink(parsing: invite, purpose: .device) }
        #expect(throws: InviteLinkError.malformed(.trailingBytes(count: 32))) {
            _ = try InviteLink(parsing: device.text.replacingPurpose("device", with: "join"))
        }
        #expect(throws: InviteLinkError.malformed(.truncated(needed: 64, available: 32))) {
            _ = try InviteLink(parsing: invite.replacingPurpose("join", with: "device"), purpose: .device)
        }
        #expect(try InviteLink(parsing: device.alphanumericText, purpose: .device) == device)
    }

    @Test func `a link of somebody else's account, or of no private group, is not answered for`() throws {
        var household = try Household()
        // Signed by a stranger over the victim's private group: the invite is not in the ledger.
        let group = try #require(household.privateGroup)
        let forged = InviteLink(
            seed: Bytes16(1, 2), group: group, expiresAt: EngineNetwork.wall / 1_000 + 500, title: "x",
            addresses: [[household.network.nodes[0].endpoint]], identity: household.network.nodes[1].identity,
            purpose: .device)
        #expect(household.request(forged) == .failed(.nobodyReachable))
        #expect(household.network.nodes[2].engine.groupIDs.isEmpty)
        // A node without a private group makes no links.
        #expect(household.network.command(.linkDevice, at: 2) == .failed(.unknownGroup))
    }

    @Test func `what a certifier shows that was revoked, or is of another account, is not taken`() throws {
        for trick in DeviceCertifier.Trick.allCases {
            var certifier = try DeviceCertifier(trick)
            let linking = certifier.linking()
            #expect((linking != nil) == (trick == .none), "\(trick)")
        }
    }
}

extension String {
    fileprivate func replacingPurpose(_ old: String, with new: String) -> String {
        "streakmesh://" + new + "/" + dropFirst("streakmesh://".count + old.count + 1)
    }
}

/// Somebody with a device link and a link layer of their own, who sends what an honest machine would not.
struct DeviceThief {
    enum Trick: CaseIterable {
        case none, otherLinkKey, otherHandshake, otherGroup, joinProof, wrongSeed, otherAccount, extraByte
    }

    var trick = Trick.none
    private let link: InviteLink
    private let identity: DeviceIdentity
    private var links: Links
    private var entropy = SeededEntropy(seed: 661)
    private let endpoint = Endpoint(ipv4: 0x0A00_0063, port: 9_999)
    private var now: MonotonicInstant

    init(link: InviteLink, network: EngineNetwork) {
        self.link = link
        now = network.now
        let account = SigningSecretKey.generate(from: &entropy)
        identity = DeviceIdentity.create(accountKey: account, from: &entropy)
        links = Links(staticKey: identity.linkKey)
    }

    private func proof(binding: [UInt8]) -> [UInt8] {
        var entropy = SeededEntropy(seed: 662)
        let account = SigningSecretKey.generate(from: &entropy)
        let other = DeviceIdentity.create(accountKey: account, from: &entropy)
        var hash = Blake2b.hash(binding, size: 64)
        if trick == .otherHandshake { hash[0] ^= 1 }
        let seed = trick == .wrongSeed ? Bytes16(5, 5) : link.seed
        let secrets = InviteSecrets(seed: seed)
        var writer = WireWriter()
        if trick == .joinProof {
            JoinProof(inviteKey: secrets.inviteKey, group: link.group, identity: identity, handshakeHash: hash)
                .write(to: &writer)
        } else {
            DeviceProof(
                inviteKey: secrets.inviteKey,
                privateGroup: trick == .otherGroup ? Forged.otherGroup : link.group,
                user: trick == .otherAccount ? identity.user : link.user ?? identity.user,
                identity: trick == .otherLinkKey ? other : identity, handshakeHash: hash
            ).write(to: &writer)
        }
        return writer.bytes + (trick == .extraByte ? [0] : [])
    }

    /// The answers.
    mutating func ask(_ network: inout EngineNetwork, answer node: Int) -> [LinkMessage] {
        var heard: [LinkMessage] = []
        let key = EngineCore.linkKey(
            of: link.secrets.presharedKey, label: .invite(link.group, OperationID(bytes: .zero)))
        links.dial(
            peer: nil, key: key, to: network.nodes[node].endpoint, usesStreams: false, at: now, entropy: &entropy)
        for _ in 0..<40 {
            let (outputs, events) = links.drain()
            for event in events {
                switch event {
                case .opened(let id, _, _, let binding, _, _):
                    let message = LinkMessage.friend(.deviceRequested(proof: proof(binding: binding)))
                    links.send(message.encoded, over: id, as: .reliable, at: now)
                case .messageReceived(_, let bytes, _):
                    if let message = try? LinkMessage(decoding: bytes) { heard.append(message) }
                default: break
                }
            }
            for case .sendDatagram(let bytes, _, _) in outputs {
                for answer in network.deliver(bytes, from: endpoint, to: node, letting: .milliseconds(1)) {
                    links.handle(
                        .datagramReceived(answer, from: network.nodes[node].endpoint), at: now, entropy: &entropy)
                }
            }
            now = now.advanced(by: .milliseconds(20))
            for answer in network.wait(until: now) {
                links.handle(
                    .datagramReceived(answer, from: network.nodes[node].endpoint), at: now, entropy: &entropy)
            }
            links.handle(.deadlineReached, at: now, entropy: &entropy)
        }
        return heard.filter { if case .hello = $0 { false } else { true } }
    }
}

/// Ledgers that a lying certifier may show, as the new machine judges them.
struct DeviceCertifier {
    enum Trick: CaseIterable { case none, revoked, notAdded, otherAccount, shared, withoutKeys }

    private let trick: Trick
    private var entropy = SeededEntropy(seed: 4)
    private let account: SigningSecretKey
    private let old: DeviceIdentity
    private let machine: DeviceIdentity

    init(_ trick: Trick) throws {
        self.trick = trick
        account = SigningSecretKey.generate(from: &entropy)
        old = DeviceIdentity.create(accountKey: account, from: &entropy)
        let other = SigningSecretKey.generate(from: &entropy)
        machine = DeviceIdentity.create(accountKey: other, from: &entropy)
    }

    mutating func linking() -> DeviceLinking? {
        do { return try show() } catch { return nil }
    }

    private mutating func show() throws -> DeviceLinking? {
        let time: Int64 = 1_795_000_000
        let made = try PrivateGroup(accountKey: account)
        let key = made.accessKey
        let shared = try Ledger.found(title: "P", identity: old, accessKey: key, at: time, entropy: &entropy)
        var ledger = try Ledger(founding: trick == .shared ? shared : made.founding)
        if trick != .shared { _ = try ledger.insert(ledger.draft(.addDevice(old.certificate), by: old, at: time)) }
        let secrets = InviteSecrets.generate(from: &entropy)
        let terms = secrets.terms(maximumUses: 1, expiresAt: time + 600)
        let invite = try ledger.draft(.invite(terms), by: old, at: time)
        _ = try ledger.insert(invite)
        let certificate = try certify()
        if trick != .notAdded, trick != .otherAccount {
            _ = try ledger.insert(ledger.draft(.addDevice(certificate), by: old, at: time))
        }
        if trick == .revoked {
            let second = AccessKey.generate(from: &entropy)
            let cut = DeviceCut(
                device: old.device, lastOperation: ledger.longestTip(of: old.device) ?? .none, feeds: [])
            let revocation = DeviceRevocation(
                accountKey: account, group: ledger.group, cut: cut, accessKeyHash: second.hash)
            _ = try ledger.insert(ledger.draft(.revokeDevice(revocation), by: old, at: time))
        }
        let link = InviteLink(
            seed: secrets.seed, group: ledger.group, expiresAt: time + 600, title: "P", addresses: [],
            identity: old, purpose: .device)
        var intake = DeviceIntake(link: LinkID(1), certificate: certificate, groups: [ledger.group])
        var entry = LedgerIntake(
            group: ledger.group, accessKeys: trick == .withoutKeys ? [] : [key.key.rawBytes()])
        try entry.append(ledger.allOperations.map(\.bytes))
        entry.isComplete = true
        intake.ledgers[GroupHandle(ledger.group)] = entry
        return Admission.linking(intake, under: link, answeredBy: old.linkKey.publicKey)
    }

    private mutating func certify() throws -> DeviceCertificate {
        if trick == .otherAccount {
            let other = SigningSecretKey.generate(from: &entropy)
            return DeviceCertificate(
                accountKey: other, device: machine.consent(to: UserID(other.publicKey)))
        }
        guard let certificate = old.certificate(for: machine.consent(to: old.user)) else {
            throw EngineNetwork.SetUpFailure()
        }
        return certificate
    }
}
