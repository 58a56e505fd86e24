import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine
@testable import StreakLinks

/// How much of a node strangers, former members and lying members can use: a share, never all.
struct EngineStrangerTests {
    private func linkKey(_ key: AccessKey, of party: EngineNetwork) -> LinkKey {
        LinkKey(presharedKey: key.linkPresharedKey, tagKey: key.tagKey, label: .access(party.group, index: 0))
    }

    private func identity(_ seed: UInt64) -> DeviceIdentity {
        var entropy = SeededEntropy(seed: seed)
        return DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
    }

    private func accessKey(of party: EngineNetwork) throws -> AccessKey {
        try #require(party.nodes[0].engine.core.groups[party.group]?.accessKeys.first)
    }

    // MARK: Streams

    @Test func `over a stream a key that is none of the group's gets not a byte`() throws {
        var party = try EngineNetwork.friends(2)
        var intruder = Intruder(Forged.stranger, target: 0)
        let key = linkKey(AccessKey.generate(from: &party.entropy), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        #expect(!intruder.dial(key, peer: peer, overStream: true, in: &party))
        #expect(intruder.receivedByteCount == 0 && intruder.closedStreamCount == 1)
        // The right one is answered.
        var member = Intruder(party.nodes[1].engine.identity, target: 0, seed: 9)
        let isOpen = member.dial(linkKey(try accessKey(of: party), of: party), peer: peer, overStream: true, in: &party)
        #expect(isOpen && member.receivedByteCount > 0)
    }

    @Test func `half a message on a stream is waited for five seconds, and answered by closing`() throws {
        var party = try EngineNetwork.friends(2)
        let id = party.openStream(from: Intruder.endpoint, to: 0)
        party.sendStream(id, [0, 134, 1, 1, 0, 0], to: 0)
        party.run(for: .milliseconds(4_900))
        #expect(!party.closedStreams.contains(id))
        party.run(for: .milliseconds(200))
        #expect(party.closedStreams.contains(id) && party.takeStreamBytes(id).isEmpty)
    }

    @Test func `a stranger that holds all the streams it may keeps no member out`() throws {
        var party = try EngineNetwork.friends(2)
        for address in 0..<4 as Range<UInt32> {
            for _ in 0..<20 { _ = party.openStream(from: Endpoint(ipv4: 0x0A00_0100 + address, port: 1), to: 0) }
        }
        #expect(party.nodes[0].engine.core.links.streams.count == LinkLimits().maximumWaitingStreams)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        var member = Intruder(
            party.nodes[1].engine.identity, target: 0, seed: 9, endpoint: Endpoint(ipv4: 0x0A00_0200, port: 1))
        let isOpen = member.dial(linkKey(try accessKey(of: party), of: party), peer: peer, overStream: true, in: &party)
        #expect(isOpen)
    }

    @Test func `a stranger with an address for each stream keeps no member out`() throws {
        var party = try EngineNetwork.friends(2)
        let limit = LinkLimits().maximumWaitingStreams
        let streams = (0..<UInt32(limit)).map { address in
            party.openStream(from: Endpoint(ipv4: 0x0A00_0100 + address, port: 1), to: 0)
        }
        #expect(party.nodes[0].engine.core.links.streams.count == limit)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        var member = Intruder(
            party.nodes[1].engine.identity, target: 0, seed: 9, endpoint: Endpoint(ipv4: 0x0A00_0200, port: 1))
        let isOpen = member.dial(linkKey(try accessKey(of: party), of: party), peer: peer, overStream: true, in: &party)
        #expect(isOpen)
        // Only one had to be closed, the one that had waited longest.
        #expect(streams.filter(party.closedStreams.contains) == [streams[0]])
    }

    @Test func `handshakes under an old key that nobody goes on with keep no member out`() throws {
        var party = try EngineNetwork.friends(2)
        let key = linkKey(try accessKey(of: party), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        for number in 0..<64 as Range<UInt64> {
            var intruder = Intruder(
                identity(3_000 + number), target: 0, seed: 3_000 + number,
                endpoint: Endpoint(ipv4: 0x0A00_0100 + UInt32(number % 4), port: UInt16(1_000 + number)))
            intruder.knock(key, peer: peer, in: &party)
        }
        let waiting = party.nodes[0].engine.core.links.streams.values.count { $0.introduction != nil }
        #expect(waiting == LinkLimits().maximumWaitingStreams, "they were answered")
        var member = Intruder(
            party.nodes[1].engine.identity, target: 0, seed: 9, endpoint: Endpoint(ipv4: 0x0A00_0200, port: 1))
        #expect(member.dial(key, peer: peer, overStream: true, rounds: 10, in: &party))
    }

    @Test func `of streams that wait those go first that have shown no key`() throws {
        var party = try EngineNetwork.friends(2)
        let key = linkKey(try accessKey(of: party), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        let limit = LinkLimits().maximumWaitingStreams
        func address(_ number: Int) -> UInt32 { 0x0A00_0100 + UInt32(number % 4) }
        for number in 0..<limit / 2 {
            var newcomer = Intruder(
                identity(3_000 + UInt64(number)), target: 0, seed: 3_000 + UInt64(number),
                endpoint: Endpoint(ipv4: address(number), port: UInt16(1_000 + number)))
            newcomer.knock(key, peer: peer, in: &party)
        }
        let silent = (limit / 2..<limit).map { party.openStream(from: Endpoint(ipv4: address($0), port: 1), to: 0) }
        _ = party.openStream(from: Endpoint(ipv4: 0x0A00_0200, port: 1), to: 0)
        let streams = party.nodes[0].engine.core.links.streams
        #expect(streams.count == limit && streams.values.count { $0.introduction != nil } == limit / 2)
        #expect(silent.filter(party.closedStreams.contains) == [silent[0]])
    }

    @Test func `one link holds a few streams, however many its peer opens and does not finish`() throws {
        var party = try EngineNetwork.friends(2)
        let key = linkKey(try accessKey(of: party), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        let mallory = identity(4_000)
        // One seed: all streams have the nonces of one link.
        for port in 0..<70 as Range<UInt16> {
            var intruder = Intruder(
                mallory, target: 0, seed: 4_000, endpoint: Endpoint(ipv4: 0x0A00_0063, port: 1_000 + port))
            #expect(intruder.dial(key, peer: peer, overStream: true, rounds: 5, in: &party))
        }
        #expect(party.nodes[0].engine.core.sessions.values.count { $0.key == mallory.linkKey.publicKey } == 1)
        #expect(party.nodes[0].engine.core.links.streams.count <= LinkLimits().maximumStreamsPerLink)
        var member = Intruder(
            party.nodes[1].engine.identity, target: 0, seed: 9, endpoint: Endpoint(ipv4: 0x0A00_0200, port: 1))
        #expect(member.dial(key, peer: peer, overStream: true, rounds: 10, in: &party))
    }

    @Test func `strangers with an old key hold their share of the streams, and members all of theirs`() throws {
        var party = try EngineNetwork.friends(2)
        let key = linkKey(try accessKey(of: party), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        // The member below is the only one with its keys.
        party.partition([[0], [1]])
        // Somebody else is about to be admitted, from another address.
        var newcomer = Intruder(identity(4_999), target: 0, seed: 1, endpoint: Endpoint(ipv4: 0x0A00_0400, port: 1))
        #expect(newcomer.dial(key, peer: peer, overStream: true, rounds: 10, in: &party))
        for number in 0..<100 as Range<UInt64> {
            // Two streams of each of many devices.
            var intruder = Intruder(
                identity(5_000 + number / 2), target: 0, seed: 5_000 + number / 2,
                endpoint: Endpoint(ipv4: 0x0A00_0100 + UInt32(number % 9), port: UInt16(1_000 + number)))
            #expect(intruder.dial(key, peer: peer, overStream: true, rounds: 5, in: &party))
        }
        let links = party.nodes[0].engine.core.links
        #expect(links.streams.values.count { $0.link != nil } == LinkLimits().maximumStrangerStreams)
        let isKept = links.streams.values.contains { $0.endpoint == Endpoint(ipv4: 0x0A00_0400, port: 1) }
        #expect(isKept, "who has one stream gives up none")
        var member = Intruder(
            party.nodes[1].engine.identity, target: 0, seed: 9, endpoint: Endpoint(ipv4: 0x0A00_0200, port: 1))
        #expect(member.dial(key, peer: peer, overStream: true, rounds: 10, in: &party))
        #expect(party.nodes[0].engine.core.links.streams.countedStreams == 1)
    }

    @Test func `an account with many devices does not hold the streams of all members`() throws {
        var limits = LinkLimits()
        limits.maximumStreams = 4
        var party = EngineNetwork(accounts: [0, 1, 2, 2, 2, 2, 2], linkLimits: limits)
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        for index in 1...2 { try party.join(index, by: link) }
        let devices = party.nodes[3...].map(\.identity)
        for device in devices { try party.addDevice(device.certificate, at: 2) }
        party.run(for: .seconds(2))
        // As above.
        party.partition([[0], Array(1...6)])
        let key = linkKey(try accessKey(of: party), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        for (number, device) in ([party.nodes[2].engine.identity] + devices).enumerated() {
            var hoarder = Intruder(
                device, target: 0, seed: 6_000 + UInt64(number),
                endpoint: Endpoint(ipv4: 0x0A00_0063, port: UInt16(1_000 + number)))
            _ = hoarder.dial(key, peer: peer, overStream: true, rounds: 10, in: &party)
        }
        #expect(party.nodes[0].engine.core.links.streams.countedStreams == 4)
        var member = Intruder(
            party.nodes[1].engine.identity, target: 0, seed: 9, endpoint: Endpoint(ipv4: 0x0A00_0200, port: 1))
        #expect(member.dial(key, peer: peer, overStream: true, rounds: 10, in: &party))
        let links = party.nodes[0].engine.core.links
        let isKept = links.streams.values.contains { $0.endpoint == Endpoint(ipv4: 0x0A00_0200, port: 1) }
        #expect(isKept && links.streams.countedStreams == 4)
        // It gave up the newest of its own; what others already use goes on.
        let ports = links.streams.values.map(\.endpoint).filter { $0 == Endpoint(ipv4: 0x0A00_0063, port: $0.port) }
        #expect(ports.map(\.port).sorted() == [1_000, 1_001, 1_002])
    }

    // MARK: Beacons

    @Test func `a stranger that shouts beacons from one address does not drown members`() throws {
        var party = try EngineNetwork.friends(2)
        party.run(for: .seconds(400))
        var entropy = SeededEntropy(seed: 5)
        for _ in 0..<1_000 { _ = party.call(entropy.bytes(Beacon.size), from: Intruder.endpoint, letting: .zero) }
        let content = Beacon.Content(
            kind: .query, port: 7_420, linkKey: party.nodes[1].engine.identity.linkKey.publicKey)
        let wall = WallTime(milliseconds: EngineNetwork.wall + party.now.nanoseconds / 1_000_000)
        let hour = Beacon.hourKey(try accessKey(of: party).beaconKey, hour: Beacon.hour(of: wall))
        let heard = party.call(
            Beacon.make([(hour, content)], entropy: &entropy), from: Endpoint(ipv4: 0x0A00_0300, port: 7_420))
        #expect(!heard.answers.isEmpty || !heard.dials.isEmpty)
    }

    // MARK: Links

    @Test func `an ex-member with an old key and any number of made-up devices takes up a share of the links`() throws {
        var party = try EngineNetwork.friends(2)
        let key = linkKey(try accessKey(of: party), of: party)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        // Somebody else is about to be admitted, from another address.
        var newcomer = Intruder(
            identity(1_999), target: 0, seed: 1_999, endpoint: Endpoint(ipv4: 0x0A00_0400, port: 1))
        #expect(newcomer.dial(key, peer: peer, in: &party))
        for number in 0..<40 as Range<UInt64> {
            var intruder = Intruder(
                identity(2_000 + number), target: 0, seed: 2_000 + number,
                endpoint: Endpoint(ipv4: 0x0A00_0063, port: UInt16(1_000 + number)))
            #expect(intruder.dial(key, peer: peer, in: &party))
        }
        #expect(party.nodes[0].engine.core.sessions.count <= Greeting.maximumStrangers + 1)
        #expect(party.isLinked(0, 1))
        let isKept = party.nodes[0].engine.core.sessions.values.contains { $0.key == identity(1_999).linkKey.publicKey }
        #expect(isKept, "who has one link gives up none")
    }

    // MARK: What is asked for again and again

    @Test func `an ex-member is told what removed it a few times, and then never again`() throws {
        var party = try EngineNetwork.friends(2)
        let key = try accessKey(of: party)
        let ex = party.nodes[1].engine.identity
        #expect(party.command(.remove(party.group, party.user(1)), at: 0) == .done)
        party.run(for: .seconds(2))
        party.partition([[0], [1]])
        party.run(for: .seconds(400))
        var intruder = Intruder(ex, target: 0)
        let peer = party.nodes[0].engine.identity.linkKey.publicKey
        #expect(intruder.dial(linkKey(key, of: party), peer: peer, in: &party))
        intruder.greet([key], in: &party)
        let once = intruder.heardOperations.count
        for _ in 0..<60 { intruder.say(.operationsRequested(party.handle, known: []), in: &party) }
        #expect(once > 0)
        // One that the ex-member heard itself, and three that the budget regains in a minute.
        let most = ChargedWork.ledgerCopies.burst
        #expect((most - 1...most + 3).contains(intruder.heardOperations.count / once))
        #expect(party.refusedWork(0).contains(.ledgerCopies))
        // A new link does not restore the budget.
        var again = Intruder(ex, target: 0, seed: 668)
        #expect(again.dial(linkKey(key, of: party), peer: peer, in: &party))
        again.greet([key], in: &party)
        #expect(again.heardOperations.isEmpty)
    }

    @Test func `endless hellos are compared with known proofs, and new keys count all the same`() throws {
        var party = try EngineNetwork.friends(2)
        let group = party.group
        let link = try #require(party.nodes[0].engine.core.sessions.keys.first)
        let proofs = try #require(party.nodes[0].engine.core.sessions[link]?.proofs)
        #expect(party.nodes[0].engine.core.sessions[link]?.expectedProofs?.count == 1)
        let hello = LinkMessage.hello(store: StoreID(bytes: Bytes16(6, 6)), proofs: Array(proofs))
        party.corrupt(0) { engine in
            engine.core.sessions[link]?.groups[group] = nil
            engine.core.sessions[link]?.expectedProofs = [:]
        }
        party.say(hello, from: 1, to: 0)
        #expect(party.nodes[0].engine.core.sessions[link]?.groups[group] == nil)
        party.corrupt(0) { $0.core.keysAreStale = true }
        party.say(hello, from: 1, to: 0)
        #expect(party.nodes[0].engine.core.sessions[link]?.groups[group] != nil)
    }

    @Test func `a newcomer that proves nothing again and again is soon not looked at`() throws {
        var party = EngineNetwork(accounts: [0, 1])
        party.group = try party.found(by: 0)
        let link = try party.invite(by: 0)
        let key = EngineCore.linkKey(
            of: link.secrets.presharedKey, label: .invite(link.group, OperationID(bytes: .zero)))
        let mallory = identity(77)
        // Over one link, then over another as somebody else: the address counts.
        for seed in [78, 79] as [UInt64] {
            var intruder = Intruder(identity(seed), target: 0, seed: seed)
            #expect(intruder.dial(key, peer: nil, in: &party))
            party.run(for: .seconds(2))
            let now = party.now
            party.corrupt(0) { engine in
                engine.core.budget = PeerAbuseBudget(pace: RecordPace())
                let isPaid = engine.core.budget.charge(
                    .requests, ChargedWork.requests.burst, to: .source(Intruder.endpoint), at: now)
                #expect(isPaid)
            }
            intruder.join(by: link, as: mallory, handshake: [1], in: &party)
            #expect(!intruder.heard.contains(.joinRefused(.invalidProof)))
            #expect(party.refusedWork(0) == [.requests])
            party.run(for: .seconds(1))
            intruder.join(by: link, as: mallory, handshake: [1], in: &party)
            #expect(intruder.heard.count { $0 == .joinRefused(.invalidProof) } == 1)
        }
    }

    @Test func `what a peer lets gather without taking it is bounded, and costs it the link`() throws {
        var limits = LinkLimits()
        limits.maximumQueuedByteCount = 64 << 10
        var party = EngineNetwork(accounts: [0, 1], linkLimits: limits)
        party.group = try party.found(by: 0)
        try party.join(1, by: party.invite(by: 0))
        party.run(for: .seconds(2))
        party.partition([[0], [1]])
        // What a node sends for a request of a hundred bytes.
        let message = LinkMessage.operations(
            party.handle, Array(repeating: [UInt8](repeating: 0, count: 8_000), count: 5), isFinal: false)
        var sent = 0
        party.corrupt(0) { engine in
            guard let link = engine.core.sessions.keys.first else { return }
            while engine.core.links.peer(of: link) != nil, sent < 2_000 {
                engine.core.send(message, over: link)
                sent += 1
            }
        }
        #expect((400...425).contains(sent), "\(sent)")
    }

    @Test func `a member that repeats itself without end loses its link`() throws {
        var party = try EngineNetwork.friends(2)
        let run = Forged.run(by: party.nodes[1].engine.identity, in: party.group)
        for _ in 1...2 { party.hearRumour(run) }
        #expect(party.linkCount == 1)
        party.corrupt(0) { engine in
            guard let link = engine.core.sessions.keys.first else { return }
            // As after four million of them.
            let isPaid = engine.core.charge(.redundantRecords, ChargedWork.redundantRecords.burst, over: link)
            #expect(isPaid)
        }
        party.hearRumour(run)
        #expect(party.linkCount == 0)
    }

    @Test func `runs that have no place here are not unpacked, and cost the link in the end`() throws {
        var party = try EngineNetwork.friends(2)
        let run = Forged.run(by: party.nodes[1].engine.identity, in: party.group)
        let misplaced = Run(
            feed: run.feed, first: 9, before: run.before, signature: run.signature, packed: [0xFF], count: 4_096)
        let most = ChargedWork.redundantRecords.burst / PeerAbuseBudget.misplacedWeight
        for _ in 0..<most { party.hearRumour(misplaced) }
        #expect(party.linkCount == 1)
        party.hearRumour(misplaced)
        #expect(party.linkCount == 0)
        party.run(for: .milliseconds(1))
        #expect(party.refusals(0).isEmpty, "else it were malformed")
    }

    @Test func `an answer longer than the window ends the link, and what was taken before stays`() throws {
        var party = try EngineNetwork.friends(2)
        let group = party.group
        let run = Forged.run(by: party.nodes[1].engine.identity, in: group)
        let long = Run(
            feed: run.feed, first: 9, before: run.before, signature: run.signature,
            packed: [UInt8](repeating: 0, count: ProtocolLimits.maximumRunSize), count: 1)
        party.corrupt(0) { engine in
            guard let link = engine.core.sessions.keys.first else { return }
            var round = SyncRound(comparesAll: true, deadline: engine.core.now.advanced(by: .seconds(9)))
            round.stage = .awaitingRuns
            engine.sync.peers[link, group]?.round = round
            let runs = Array(repeating: long, count: SyncRound.maximumAnswerSize / ProtocolLimits.maximumRunSize)
            engine.sync.receivedRuns(runs, isFinal: false, isComplete: true, of: group, over: link, core: &engine.core)
        }
        #expect(party.linkCount == 1)
        party.corrupt(0) { engine in
            guard let link = engine.core.sessions.keys.first else { return }
            engine.sync.receivedRuns(
                [run, long], isFinal: false, isComplete: true, of: group, over: link, core: &engine.core)
        }
        #expect(party.linkCount == 0)
        #expect(party.nodes[0].engine.core.groups[group]?.feeds[run.feed]?.mainTip.number == UInt64(run.count))
    }

    @Test func `a member that sends forged runs without end loses its link`() throws {
        var party = try EngineNetwork.friends(2)
        let run = Forged.run(by: party.nodes[1].engine.identity, in: party.group)
        var packed = run.packed
        packed[packed.count - 1] ^= 1
        let forged = Run(
            feed: run.feed, first: 1, before: run.before, signature: run.signature, packed: packed, count: run.count)
        let most = ChargedWork.forgedRuns.burst
        for _ in 0..<most { party.hearRumour(forged) }
        #expect(party.linkCount == 1)
        party.hearRumour(forged)
        #expect(party.linkCount == 0)
        party.run(for: .seconds(200))
        #expect(party.refusals(0).count == most + 1 && party.refusedWork(0) == [.forgedRuns])
        #expect(party.linkCount == 1)
        // A new link restores nothing. Only time does: one run a second.
        for _ in 0..<(most - 10) { party.hearRumour(forged) }
        #expect(party.linkCount == 0)
    }
}

extension EngineNetwork {
    /// How many links the first node still has.
    fileprivate var linkCount: Int {
        nodes[0].engine.core.sessions.keys.count { nodes[0].engine.core.links.peer(of: $0) != nil }
    }

    /// Lets the first node hear a rumour of the second, without the time that a link takes.
    fileprivate mutating func hearRumour(_ rumour: Run) {
        let group = group
        corrupt(0) { engine in
            guard let link = engine.core.sessions.keys.first else { return }
            engine.rumours.receivedRumour(rumour, of: group, over: link, core: &engine.core)
        }
    }
}
