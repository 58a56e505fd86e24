public import StreakCrypto
public import StreakLinks
public import StreakMembership
public import StreakReplication
package import StreakWire

/// Everything a node decides, and nothing it does.
///
/// A pure state machine. `handle` takes one input and the time, and returns what to do, in order. The shell performs
/// the outputs in that order. What depends on a stored change comes out only after `changeStored`.
///
/// The engine only routes; machines decide. Each machine has state of its own, and they share the core. A machine calls
/// no other: it posts work, and `perform` hands that on once the machine has returned, first in first out.
public struct MeshEngine: Sendable {
    var core: EngineCore
    var greeting = Greeting()
    var sync = Sync()
    var rumours = Rumours()
    var admission: Admission
    var friends: Friends
    var reachability: Reachability
    var notices = Notices()

    /// Starts from what a store holds. `runsLeftOut` names stored runs that do not fit; peers will send them again.
    public init(
        snapshot: Snapshot, identity: DeviceIdentity, entropy: any EntropySource, wallTime: WallTime,
        linkLimits: LinkLimits = LinkLimits(), recordPace: RecordPace = RecordPace()
    ) {
        self.init(
            snapshot: snapshot, identity: identity, entropy: entropy, wallTime: wallTime, linkLimits: linkLimits,
            recordPace: recordPace, ledgers: [:])
    }

    /// The same, with ledgers that were checked before and match the store. A thousand engines in one process then need
    /// not check the same operations a thousand times.
    package init(
        snapshot: Snapshot, identity: DeviceIdentity, entropy: any EntropySource, wallTime: WallTime,
        linkLimits: LinkLimits = LinkLimits(), recordPace: RecordPace = RecordPace(), ledgers: [GroupID: Ledger]
    ) {
        core = EngineCore(
            snapshot: snapshot, identity: identity, entropy: entropy, wallTime: wallTime, linkLimits: linkLimits,
            recordPace: recordPace, ledgers: ledgers)
        admission = Admission(core: &core)
        core.restorePlaces(snapshot)
        friends = Friends(core: &core)
        reachability = Reachability(snapshot: snapshot, core: &core)
        refreshKeys()
    }

    /// The engine's one entry: takes an input with an instant and a wall-clock reading, and returns everything to do.
    /// Instants never go back; wall-clock readings may.
    public mutating func handle(
        _ input: EngineInput, at instant: MonotonicInstant, wallTime: WallTime
    ) -> [EngineOutput] {
        core.now = max(core.now, instant)
        core.wall = wallTime
        core.persistStart()
        switch input {
        case .link(let input):
            if case .datagramReceived(let bytes, let endpoint) = input,
                reachability.handleBeacon(bytes, from: endpoint, core: &core)
            {
                break
            }
            core.links.handle(input, at: core.now, entropy: &core.entropy)
        case .beaconReceived(let bytes, let endpoint):
            _ = reachability.handleBeacon(bytes, from: endpoint, core: &core)
        case .listening(let port, let addresses, let usesDiscovery):
            reachability.keepOwnEndpoints(addresses, core: &core)
            reachability.startNetwork(port: port, usesDiscovery: usesDiscovery, core: &core)
        case .networkChanged(let addresses):
            reachability.keepOwnEndpoints(addresses, core: &core)
            lookForEverybody()
            notices.networkChanged(at: core.now)
        case .command(let id, let command):
            carryOut(command, id: id)
        case .internetSettingChanged(let setting):
            reachability.change(setting, core: &core)
            notices.reconsider()
        case .ownEndpointsFound(let entries): reachability.found(entries, core: core)
        case .seenFromOutside(let endpoint, let witness): reachability.seen(at: endpoint, by: witness, core: core)
        case .lettersChanged(let leavesLetters): notices.leavesLetters = leavesLetters
        case .noticeFound(let value, let key): notices.found(value, at: key, core: &core)
        case .noticeSearched(let key): notices.searched(key, core: &core)
        case .putNoticeFailed: notices.putFailed(core: core)
        case .codeDerived(let user, let code):
            friends.codeDerived(code, of: user, core: &core)
        case .changeStored(let change):
            core.stored(change)
        case .deadlineReached:
            core.links.handle(.deadlineReached, at: core.now, entropy: &core.entropy)
        }
        route()
        runTimers()
        processLinkEvents()
        core.sendQueued()
        processLinkEvents()
        core.sessions.refresh()
        sync.peers.refresh()
        defer { core.outputs = [] }
        return core.outputs
    }

    /// When `deadlineReached` is due next; nil if nothing waits for time to pass.
    public var nextDeadline: MonotonicInstant? {
        var candidates = [
            core.links.nextDeadline, core.sessions.deadline, rumours.nextDeadline, sync.nextDeadline,
            reachability.nextDeadline, notices.nextDeadline, greeting.keepaliveRefresh, admission.nextDeadline,
            core.network.isStarted ? friends.nextDeadline : nil,
        ]
        for group in core.groups.values { candidates.append(group.nextRelease(at: core.now, wall: core.wall)) }
        return candidates.compactMap { $0 }.min()
    }

    /// Tells every peer that this node stops. The engine is not used afterwards.
    public mutating func closeLinks(at instant: MonotonicInstant) -> [EngineOutput] {
        core.now = max(core.now, instant)
        for link in core.sessions.keys { core.links.close(link, at: core.now) }
        return core.links.drain().outputs.map { .link($0) }
    }

    // MARK: Routing

    private mutating func runTimers() {
        rumours.runTimers(core: &core)
        route()
        sync.runTimers(core: &core)
        route()
        for group in core.groups.keys { core.releaseQuarantined(of: group) }
        greeting.refreshKeepalives(core: &core)
        if core.sessions.areDue(at: core.now) {
            greeting.closeLinksOfStrangers(except: admission.joiningLinks, core: &core)
        }
        admission.runTimers(core: &core)
        route()
        friends.runTimers(offeredPairs: admission.offeredPairs(of: core.identity.user), core: &core)
        route()
        reachability.runTimers(core: &core)
        route()
        notices.runTimers(
            Notices.Surroundings(
                isAllowed: reachability.own.setting == .on, table: reachability.whereabouts,
                presence: reachability.presence, joining: admission.joining), core: &core)
    }

    /// Hands on the machines' work until none is left.
    private mutating func route() {
        if core.keysAreStale { refreshKeys() }
        while let work = core.takePosted() {
            perform(work)
            if core.keysAreStale { refreshKeys() }
        }
    }

    private mutating func refreshKeys() {
        reachability.refreshKeys(joining: admission.beaconSources, friends: friends.beaconSources, core: &core)
    }

    mutating func lookForEverybody() {
        reachability.lookForMembers(core: core)
        friends.lookAgain(core: core)
    }

    /// Which machine does which work. Where several are named, they run in that order.
    private mutating func perform(_ work: Work) {
        switch work {
        case .complete(let id, let outcome): core.complete(id, outcome)
        case .publish(let event):
            if case .ledgerChanged = event { friends.ledgerChanged() }
            core.publish(event)
        case .ownCommandEnded(let id, let outcome): friends.joinEnded(id, outcome, core: &core)

        case .linkOpened(let link):
            if admission.linkOpened(link, core: &core) { return }
            friends.linkOpened(link, core: &core)
            greeting.greet(link, core: &core)
        case .peerKnown(let device, let link): reachability.peerKnown(device, over: link, core: &core)
        case .peerGone(let device):
            reachability.peerGone(device, core: &core)
            notices.reconsider()
        case .greet(let link):
            greeting.greet(link, core: &core)
            reachability.greeted(link, core: &core)
        case .keysGained:
            for link in core.sessions.keys { greeting.recogniseGroups(on: link, core: &core) }
        case .groupOpened(let group, let link):
            notices.reconsider()
            sync.opened(group, over: link)
            reachability.notePresence(of: group, core: core)
            reachability.tellWhereabouts(over: link, again: false, core: &core)
            if core.access(of: link, in: group).contains(.records) {
                if core.isPrivate(group) || core.sessions[link]?.offeredGroups[group] != nil {
                    core.offerGroupsOnceStored()
                }
                sync.sendDigest(of: group, over: link, core: &core)
            } else {
                greeting.openUnauthorised(group, over: link, core: &core)
                // The peer that let this device in is no member any more, so nothing of the group will come from it.
                admission.completeJoins(of: group, over: link, core: &core)
            }
        case .authorised(let group, let link):
            notices.reconsider()
            if core.isPrivate(group) { core.offerGroupsOnceStored() }
            reachability.tellWhereabouts(over: link, again: false, core: &core)
            sync.sendDigest(of: group, over: link, core: &core)
            // What the peer reported before this node's ledger knew it was kept, but not acted on.
            sync.compareSoon(group, over: link, core: core)
        case .unauthorised(let group, let link):
            // What was still to come may say that this device is in after all: another revocation that keeps its link.
            if sync.endRound(over: link, in: group, core: &core) {
                greeting.questionDigest(of: group, over: link, core: &core)
            }

        case .authorise(let group):
            notices.reconsider()
            reachability.notePresence(of: group, core: core)
            reachability.membersChanged(core: &core)
            greeting.refreshAuthorisation(of: group, core: &core)
        case .digestMoved(let group):
            core.publishDigest(of: group)
            greeting.refreshKeepalivesSoon(core: core)
            sync.changed(group, core: core)
        case .groupDropped(let group):
            notices.reconsider()
            sync.groupDropped(group)
            reachability.membersChanged(core: &core)
        case .groupLost(let group):
            notices.reconsider()
            sync.groupLost(group, core: &core)
            reachability.membersChanged(core: &core)
        case .tellAccount(let group):
            core.tellRevocations(in: group)
            core.publishOwnDevices(in: group)
            core.offerGroupsOnceStored()
        case .offerGroups: admission.offerGroups(core: &core)
        case .sayFarewell(let group):
            for link in core.sessions.keys { core.sayFarewell(to: group, over: link) }

        case .pushRun(let group, let run, let source):
            notices.wrote(run, core: core)
            rumours.push(run, in: group, except: source, presence: reachability.presence[group], core: &core)
        case .acknowledgeRumour(let name, let link):
            core.sendDatagram(LinkMessage.rumourAcknowledged(name).encoded, over: link)
        case .passOnOperations(let group, let operations, let source):
            sync.passOn(operations, in: group, except: source, core: &core)
        case .announceSoon(let group, let source): sync.announceSoon(group, except: source, core: core)
        case .tellDigest(let group, let link): sync.sendDigest(of: group, over: link, core: &core)
        case .startRound(let group, let link):
            sync.startRound(over: link, group: group, comparingAll: false, core: &core)
        case .resumeRound(let group, let link, let turn): sync.resumeLater(group, over: link, at: turn)
        case .continueRound(let link, let group): sync.continueRound(link, group, core: &core)
        case .roundEnded(let group, let link): admission.completeJoins(of: group, over: link, core: &core)

        case .join(let link, let id, let pair, let endpoints):
            join(link, timeout: .seconds(60), pair: pair, command: id)
            for endpoint in endpoints { admission.dialForJoining(id, at: endpoint, core: &core) }
        case .cancelJoin(let id): admission.cancel(id)
        case .joinSighted(let group, let endpoint): admission.memberSighted(of: group, at: endpoint, core: &core)
        case .endpointDue(let endpoint): admission.dialForJoining(at: endpoint, core: &core)
        case .welcome(let link, let group): admission.welcome(to: group, over: link, core: &core)
        case .refuseJoin(let link, let reason): admission.refuseJoin(reason, over: link, core: &core)
        case .introduceDevice(let link, let certificate):
            admission.introduceDevice(certificate, over: link, core: &core)
        case .addressHeard(let device, let endpoint): reachability.heard(device, at: endpoint, core: core)
        case .inviterFound(let id, let endpoint): admission.dialForJoining(id, at: endpoint, core: &core)
        case .whereaboutsFound(let bytes): reachability.foundWhereabouts(bytes, core: &core)
        case .letterFound(let bytes, let group):
            if rumours.receivedLetter(bytes, in: group, core: &core) { notices.readLetter() }
        case .addressAnswered(let address): reachability.answered(address)
        case .lookForMembers: reachability.lookForMembers(core: core)

        case .ownerAsked(let link, let owner): admission.ownerAsked(owner, over: link, core: core)
        case .returnDeclined(let friend): friends.returnDeclined(by: friend, core: &core)
        case .friendBeacon(let content, let code, let hourKey, let endpoint):
            friends.handleFriendBeacon(content, under: code, hourKey: hourKey, from: endpoint, core: &core)
        case .answerFriend(let user): friends.answerFriend(user, core: &core)
        }
    }

    // MARK: Links

    private mutating func processLinkEvents() {
        while true {
            let (linkOutputs, events) = core.links.drain()
            core.outputs += linkOutputs.map { .link($0) }
            if events.isEmpty { return }
            for event in events {
                process(event)
                route()
            }
        }
    }

    private mutating func process(_ event: LinkEvent) {
        switch event {
        case .opened(let link, let peer, let key, let handshakeHash, let isInitiator, _):
            guard let label = LinkKeyLabel(of: key) else { return }
            let session = PeerSession(
                link: link, key: peer, handshakeHash: handshakeHash, label: label, isInitiator: isInitiator)
            greeting.opened(session, core: &core)
        case .pathChanged(let link, _):
            reachability.rememberAddress(of: link, core: &core)
            reachability.tellWhereabouts(over: link, again: false, core: &core)
        case .messageReceived(let link, let bytes, _): received(bytes, over: link)
        case .keepaliveReceived(let link, let payload):
            guard payload != core.keepalivePayload(for: link), core.beginAnswer(over: link) else {
                return
            }
            for group in core.groups(on: link, allowing: .records) {
                sync.sendDigest(of: group, over: link, core: &core)
            }
            core.endAnswer()
        case .closed(let link, _):
            rumours.linkClosed(link)
            guard let session = core.sessions.removeValue(forKey: link) else { return }
            reachability.closed(session, core: core)
            sync.closed(link, of: session.key, core: &core)
            greeting.closed(session, core: &core)
        case .responderShown(let dial, let peer, let credential, let key):
            friends.credentialShown(credential, of: peer, under: key, dial: dial, core: &core)
        case .dialFailed: break
        case .dropped(let reason): core.publish(.dropped(reason))
        }
    }

    private mutating func received(_ bytes: [UInt8], over link: LinkID) {
        guard core.sessions[link] != nil else { return }
        do {
            let message = try LinkMessage(decoding: bytes)
            let group = message.handle.flatMap { core.provenGroup($0, over: link) }
            guard mayPeerSend(message, of: group, over: link), core.beginAnswer(to: message, over: link) else {
                return
            }
            receive(message, of: group, over: link)
            core.endAnswer(to: message, of: group)
        } catch {
            core.publish(.messageRefused(error))
        }
    }

    /// Whether the peer of a link may send a message. `group` is the group that the message names, if both ends know
    /// it.
    private mutating func mayPeerSend(_ message: LinkMessage, of group: GroupID?, over link: LinkID) -> Bool {
        switch message.sender {
        case .anybody, .asked, .askedOrOwnMachine, .proverAskedOrOwnMachine: true
        case .asker: core.charge(.requests, over: link)
        case .prover: group != nil
        case .allowedOfAny(let flow): !core.groups(on: link, allowing: flow).isEmpty
        case .allowed(let flow): group.map { core.access(of: link, in: $0).isSuperset(of: flow) } ?? false
        }
    }

    private mutating func receive(_ message: LinkMessage, of group: GroupID?, over link: LinkID) {
        switch message {
        case .hello(let store, let proofs):
            greeting.receivedHello(store: store, proofs: proofs, over: link, core: &core)
        case .joinRequested(let certificate, let proof):
            admission.receivedJoinRequest(certificate: certificate, proof: proof, over: link, core: &core)
        case .welcome(let group, let accessKeys):
            admission.receivedWelcome(group, accessKeys: accessKeys, over: link, core: &core)
        case .joinRefused(let reason): admission.receivedJoinRefusal(reason, over: link, core: &core)
        case .friend(let message): receive(message, over: link)
        case .rumourAcknowledged(let name): rumours.acknowledged(name, over: link)
        case .operations(let handle, let operations, let isFinal):
            if admission.takesOperations(operations, isFinal: isFinal, handle: handle, over: link, core: &core) {
                return
            }
            guard let group else { return }
            sync.receivedOperations(operations, isFinal: isFinal, of: group, over: link, core: &core)
        case .operationsRequested(_, let known):
            if let group { sync.answerOperations(known: known, of: group, over: link, core: &core) }
        case .presence(_, let entries):
            // Also kept for a peer that this node's ledger does not know yet; routes lead over current members only.
            if let group { reachability.receivedPresence(entries, of: group, over: link, core: &core) }
        case .whereabouts(let told): reachability.receivedWhereabouts(told, over: link, core: &core)
        case .seenAt(let endpoint): reachability.receivedSeen(at: endpoint, over: link, core: &core)
        case .digest(_, let digest, let arrival, let count, let clock):
            guard let group else { return }
            sync.digestReported(digest, count: count, clock: clock, of: group, over: link, core: &core)
            if sync.peers[link, group]?.digest != digest { greeting.questionDigest(of: group, over: link, core: &core) }
            if core.access(of: link, in: group).contains(.records) {
                sync.receivedDigest(digest, arrival: arrival, of: group, over: link, core: &core)
            } else {
                sync.keepDigest(digest, arrival: arrival, of: group, over: link)
            }
        case .tipsRequested(_, let store, let arrival):
            if let group { sync.answerTips(store: store, arrival: arrival, of: group, over: link, core: &core) }
        case .tips(_, let tips):
            if let group { sync.receivedTips(tips, of: group, over: link, core: &core) }
        case .runsRequested(_, let wanted):
            if let group { sync.answerRuns(wanted, of: group, over: link, core: &core) }
        case .runs(_, let runs, let isFinal, let isComplete):
            guard let group else { return }
            sync.receivedRuns(runs, isFinal: isFinal, isComplete: isComplete, of: group, over: link, core: &core)
        case .rumour(_, let run):
            if let group { rumours.receivedRumour(run, of: group, over: link, core: &core) }
        case .accessKeysRequested(_, let hashes):
            if let group { greeting.answerAccessKeys(hashes, of: group, over: link, core: &core) }
        case .accessKeys(_, let keys):
            if let group { greeting.receivedAccessKeys(keys, of: group, core: &core) }
        }
    }

    private mutating func receive(_ message: FriendMessage, over link: LinkID) {
        switch message {
        case .deviceRequested(let proof): admission.receivedDeviceRequest(proof, over: link, core: &core)
        case .deviceCertified(let certificate, let groups):
            admission.receivedDeviceCertificate(certificate, groups: groups, over: link, core: &core)
        case .deviceRefused(let reason): admission.receivedDeviceRefusal(reason, over: link, core: &core)
        case .friendRequested(let bytes): friends.receivedFriendRequest(bytes, over: link, core: &core)
        case .friendAnswered(let bytes): friends.receivedFriendAnswer(bytes, over: link, core: &core)
        }
    }
}
