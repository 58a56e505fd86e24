import StreakCrypto
public import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Links as they open and close, who is at the other end, and which groups the two may talk about.
extension MeshEngine {
    mutating func processLinkEvents() {
        while true {
            let (linkOutputs, events) = links.drain()
            outputs += linkOutputs.map { .link($0) }
            if events.isEmpty { return }
            for event in events { process(event) }
        }
    }

    private mutating func process(_ event: LinkEvent) {
        switch event {
        case .opened(let link, let peer, let key, let handshakeHash, let isInitiator, _):
            guard let label = LinkKeyLabel(of: key) else { return }
            opened(
                PeerSession(
                    link: link, key: peer, handshakeHash: handshakeHash, label: label, isInitiator: isInitiator))
        case .pathChanged(let link, _):
            rememberAddress(of: link)
        case .messageReceived(let link, let bytes, _):
            received(bytes, over: link)
        case .keepaliveReceived(let link, let payload):
            guard payload != keepalivePayload(for: link) else { return }
            for group in sharedGroups(on: link) { sendDigest(of: group, over: link) }
        case .closed(let link, _):
            closed(link)
        case .responderShown(let dial, let peer, let credential, let key):
            judge(credential, of: peer, under: key, dial: dial)
        case .dialFailed:
            break
        case .dropped(let reason):
            publish(.dropped(reason))
        }
    }

    private mutating func opened(_ session: PeerSession) {
        sessions[session.link] = session
        noteStranger(at: session.link)
        makeRoomForStrangers()
        announcePeer(of: session.link)
        if case .invite = session.label, let attempt = joinAttempt(under: session) {
            askToJoin(attempt, over: session)
        } else if case .friendCode = session.label {
            // Both may share groups, and find each other only now.
            if session.isInitiator { askForFriendship(over: session) }
            greet(session.link)
        } else {
            greet(session.link)
        }
    }

    /// Tells of a peer once it is known who it is: when its link opens, or when it has been admitted.
    mutating func announcePeer(of link: LinkID) {
        guard let session = sessions[link], !session.isAnnounced, let device = deviceID(of: session.key),
            let summary = links.pathSummary(link)
        else { return }
        sessions[link]?.isAnnounced = true
        dialler.linkOpened(to: device, at: now)
        publish(.linkOpened(device, via: summary.via, endpoint: summary.endpoint))
        rememberAddress(of: link)
    }

    /// The account of a link key that is a current member's in any group that this device has to do with.
    private func member(withKey key: AgreementPublicKey) -> UserID? {
        for id in groups.keys where takesPart(in: id) {
            if let device = groups[id]?.state.device(linkKey: key), device.isCurrent { return device.user }
        }
        return nil
    }

    /// How long a link may lead to somebody who is in no ledger: long enough to be admitted, or to be heard of.
    static let strangerPatience: Duration = .seconds(60)

    /// Links at a time that strangers have opened: whoever has an old key, or an invite, can make up as many devices as it
    /// likes, and there are 256 links in all.
    static let maximumStrangers = 32

    /// Where too many strangers have opened links, the source that has most of them gives up its oldest.
    private mutating func makeRoomForStrangers() {
        let strangers = sessions.keys.filter { link in
            guard let session = sessions[link] else { return false }
            return session.strangerSince != nil && !session.isInitiator
        }
        guard strangers.count > Self.maximumStrangers else { return }
        let bySource = Dictionary(grouping: strangers) { links.pathSummary($0)?.endpoint.network ?? .zero }
        let most = bySource.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value
        if let oldest = most?.first { links.close(oldest, at: now) }
    }

    /// Links under keys of old, or of invites, cost slots that members need.
    mutating func closeLinksOfStrangers() {
        for link in sessions.keys {
            guard let session = sessions[link], let since = session.strangerSince,
                since.advanced(by: Self.strangerPatience) <= now
            else { continue }
            let isJoining = joins.keys.sorted().contains { joins[$0]?.stage.link == link }
            if member(withKey: session.key) != nil {
                noteStranger(at: link)
            } else if isJoining {
                sessions[link]?.strangerSince = now
            } else {
                links.close(link, at: now)
            }
        }
    }

    private mutating func closed(_ link: LinkID) {
        rumours.linkClosed(link)
        guard let session = sessions.removeValue(forKey: link) else { return }
        for group in session.groups.keys.sorted() { presence[group]?.closed(link, at: now) }
        for group in session.groups.keys.sorted() where session.groups[group]?.round != nil {
            if let device = deviceID(of: session.key) { publish(.syncEnded(group, device)) }
            roundEnded(of: group)
        }
        guard session.isAnnounced, let device = deviceID(of: session.key), links.link(to: session.key) == nil
        else { return }
        dialler.linkClosed(to: device, at: now)
        publish(.linkClosed(device))
    }

    /// The device that has this link key in any group.
    func deviceID(of key: AgreementPublicKey) -> DeviceID? {
        for id in groups.keys {
            if let device = groups[id]?.state.device(linkKey: key) { return device.device }
        }
        return nil
    }

    /// Keeps where a device answered. Where a stream alone was accepted, the far port says nothing.
    private mutating func rememberAddress(of link: LinkID) {
        guard let session = sessions[link], let summary = links.pathSummary(link),
            summary.hasDatagrams || session.isInitiator, let device = deviceID(of: session.key)
        else { return }
        let address = RememberedAddress(device: device, endpoint: summary.endpoint, lastAnswered: wall.seconds)
        guard dialler.remember(address) else { return }
        var change = DurableChange()
        change.addresses = [address]
        persist(change)
    }

    /// Tells every peer that this node goes, and lets go of what is under way. The engine is not used afterwards.
    public mutating func closeLinks(at instant: MonotonicInstant) -> [EngineOutput] {
        now = max(now, instant)
        for link in sessions.keys { links.close(link, at: now) }
        let closing = links.drain().outputs
        return closing.map { .link($0) }
    }

    /// The number of the next stream that this engine dials; a successor on the same sockets goes on from it.
    public var nextStream: UInt64 {
        get { links.nextStream }
        set { links.nextStream = newValue }
    }

    // MARK: Groups on a link

    /// Proves to the peer which access keys this device holds; no group is named.
    mutating func greet(_ link: LinkID) {
        guard let session = sessions[link] else { return }
        let replicas = groups.keys.filter { speaks(of: $0, over: link) }.compactMap { groups[$0] }
        // Where not all fit in, a member that was away while many keys came still shares the oldest.
        let surest = replicas.compactMap(\.accessKeys.first) + replicas.compactMap(\.foundingKey)
        let proofs = (surest + replicas.flatMap { $0.accessKeys.dropFirst() }).prefix(LinkMessage.maximumProofs)
            .map { Self.proof($0, by: identity.linkKey.publicKey, session: session) }
        send(.hello(store: store, proofs: proofs), over: link)
    }

    /// Shows that whoever has the link key `prover` holds an access key, on this link only.
    private static func proof(_ key: AccessKey, by prover: AgreementPublicKey, session: PeerSession) -> Bytes16 {
        let hash = Blake2b.keyedHash(session.handshakeHash + prover.rawBytes, key: key.groupProofKey, size: 16)
        return Bytes16(hash) ?? .zero
    }

    private mutating func receivedHello(store: StoreID, proofs: [Bytes16], over link: LinkID) {
        sessions[link]?.store = store
        sessions[link]?.proofs = Set(proofs)
        recogniseGroups(on: link)
        for group in sharedGroups(on: link) {
            // The peer may have come to a key that it did not have when it was asked.
            sessions[link]?.groups[group]?.askedKeys = []
            requestMissingKeys(of: group, over: link)
        }
    }

    /// Finds the groups that the peer has proven to know, new ones of this side among them.
    mutating func recogniseGroups(on link: LinkID) {
        guard let session = sessions[link] else { return }
        let expected = expectedProofs(on: link, session)
        sessions[link]?.expectedProofs = expected
        let proven = Set(session.proofs.compactMap { expected[$0] })
        let found = proven.filter { session.groups[$0] == nil && speaks(of: $0, over: link) }.sorted()
        for group in found { sessions[link]?.groups[group] = PeerGroup() }
        for group in found { openGroup(group, over: link) }
    }

    private func expectedProofs(on link: LinkID, _ session: PeerSession) -> [Bytes16: GroupID] {
        if let known = session.expectedProofs { return known }
        var expected: [Bytes16: GroupID] = [:]
        for id in groups.keys where speaks(of: id, over: link) {
            for key in groups[id]?.accessKeys ?? [] {
                expected[Self.proof(key, by: session.key, session: session)] = id
            }
        }
        return expected
    }

    /// Begins to talk about a group that both sides know: with a member the digest, with a stranger its ledger.
    private mutating func openGroup(_ group: GroupID, over link: LinkID) {
        notePresence(of: group)
        guard !isAuthorised(link, in: group) else { return sendDigest(of: group, over: link) }
        guard !farewells.contains(group) else { return sayFarewell(to: group, over: link) }
        let device = standing(of: link, in: group)
        switch device?.standing {
        case .current?:
            if let device, isShutOut(device, of: group) { return }
            // From a member this device hears why it is in no more, or that it is again.
            askForOperations(of: group, over: link)
        case nil:
            // A stranger, who perhaps knows more.
            tellRemoval(of: group, over: link)
            introduceItself(in: group, over: link)
            askForOperations(of: group, over: link)
        case .removed, .revoked:
            tellRemoval(of: group, over: link)
        }
    }

    /// Asks for operations, and says which are here only where the ledger knows the peer: whoever has an old access key can make
    /// up a device, and tips tell who came in since.
    private mutating func askForOperations(of group: GroupID, over link: LinkID) {
        guard let replica = groups[group] else { return }
        let isKnown = standing(of: link, in: group)?.isCurrent ?? false
        send(.operationsRequested(replica.handle, known: isKnown ? replica.namedTips : []), over: link)
    }

    /// Only a member is told a digest. Where this device's ledger says that it is none, and not that the peer is in no more, the
    /// peer's says more; it is asked once for every digest.
    private mutating func askWhyTold(_ digest: GroupDigest, of group: GroupID, over link: LinkID) {
        guard !isCurrentMember(of: group), !farewells.contains(group),
            sessions[link]?.groups[group]?.digest != digest, mayKnowMore(link, of: group)
        else { return }
        askForOperations(of: group, over: link)
    }

    /// Whether the peer may be asked for a ledger: a stranger, a member, or another device of this account.
    func mayKnowMore(_ link: LinkID, of group: GroupID) -> Bool {
        guard let device = standing(of: link, in: group) else { return true }
        return device.isCurrent || leadsToOwnDevice(link)
    }

    /// Tells a device that was removed or revoked, or let in by an admission that does not count, what did it and what led
    /// there, once: all that it gets, and how it learns.
    private mutating func tellRemoval(of group: GroupID, over link: LinkID) {
        guard let replica = groups[group], let key = sessions[link]?.key, let ending = replica.ending(of: key),
            sessions[link]?.groups[group]?.toldRemoval != ending
        else { return }
        sessions[link]?.groups[group]?.toldRemoval = ending
        sendOperations(replica.ledger.ancestry(of: ending), handle: replica.handle, over: link)
    }

    private func standing(of link: LinkID, in group: GroupID) -> GroupState.Device? {
        guard let session = sessions[link] else { return nil }
        return groups[group]?.state.device(linkKey: session.key)
    }

    /// Whether the ledger lets a group's data flow on a link: both ends are current members, and both proved its key.
    func isAuthorised(_ link: LinkID, in group: GroupID) -> Bool {
        isCurrentMember(of: group) && isPeerCurrent(link, in: group)
    }

    /// Whether the device at the other end is a current member and has proven the group's key.
    func isPeerCurrent(_ link: LinkID, in group: GroupID) -> Bool {
        guard sessions[link]?.groups[group] != nil, let device = standing(of: link, in: group), device.isCurrent else {
            return false
        }
        return !isShutOut(device, of: group)
    }

    func isCurrentMember(of group: GroupID) -> Bool {
        groups[group]?.state.isCurrentMember(device: identity.device) ?? false
    }

    /// Whether this device has to do with a group: as a member, or as one who left and has not been heard yet.
    func takesPart(in group: GroupID) -> Bool { isCurrentMember(of: group) || farewells.contains(group) }

    /// Whether this device answers under a group's keys: also where it was removed, for a removal may be annulled, and only
    /// others know. Whoever has left, and was heard, is silent.
    func listens(in group: GroupID) -> Bool {
        if takesPart(in: group) { return true }
        guard let state = groups[group]?.state else { return false }
        guard let device = state.device(identity.device) else { return exclusion(from: group) != nil }
        return !state.removedUsers.contains { $0.user == device.user && $0.hasLeft }
    }

    /// Whether a group is owned up to on a link. Machines of one account tell each other also of groups that it has left: one
    /// of them may have come back.
    private func speaks(of group: GroupID, over link: LinkID) -> Bool { listens(in: group) || leadsToOwnDevice(link) }

    /// Whether a current device of this account is at the other end, of a group that this device is in, too.
    private func leadsToOwnDevice(_ link: LinkID) -> Bool {
        guard let key = sessions[link]?.key else { return false }
        return groups.keys.contains { group in
            guard isCurrentMember(of: group), let device = groups[group]?.state.device(linkKey: key) else {
                return false
            }
            return device.isCurrent && device.user == identity.user
        }
    }

    /// The groups that may be talked about on a link.
    func sharedGroups(on link: LinkID) -> [GroupID] {
        (sessions[link]?.groups.keys.sorted() ?? []).filter { isAuthorised(link, in: $0) }
    }

    /// The links on which a group may be talked about.
    func links(sharing group: GroupID) -> [LinkID] {
        sessions.keys.filter { isAuthorised($0, in: group) }
    }

    /// After a ledger has changed: keys, and who may hear of it.
    mutating func refreshAuthorisation(of group: GroupID) {
        refreshKeys()
        notePresence(of: group)
        for link in sessions.keys {
            announcePeer(of: link)
            noteStranger(at: link)
            guard sessions[link]?.groups[group] != nil else { continue }
            if isAuthorised(link, in: group) {
                sendDigest(of: group, over: link)
                // What the peer told before this node's ledger knew it was kept, and not acted on.
                compareSoon(group, over: link)
                sessions[link]?.groups[group]?.askedKeys = []
                requestMissingKeys(of: group, over: link)
            } else {
                if let device = endRoundWithStranger(over: link, in: group) { publish(.syncEnded(group, device)) }
                if takesPart(in: group) || leadsToOwnDevice(link) { tellRemoval(of: group, over: link) }
            }
        }
        refreshKeepalivesSoon()
    }

    /// Gives up an exchange with a device that may hear nothing more of the group.
    private mutating func endRoundWithStranger(over link: LinkID, in group: GroupID) -> DeviceID? {
        guard let session = sessions[link], session.groups[group]?.round != nil else { return nil }
        sessions[link]?.groups[group]?.round = nil
        roundEnded(of: group)
        return deviceID(of: session.key)
    }

    /// Notes since when a link leads to a member of no group.
    private mutating func noteStranger(at link: LinkID) {
        guard let session = sessions[link] else { return }
        let account = member(withKey: session.key)
        links.setParty(account.map { .member($0) } ?? .stranger, for: link, at: now)
        if account != nil {
            sessions[link]?.strangerSince = nil
        } else if session.strangerSince == nil {
            sessions[link]?.strangerSince = now
        }
    }

    /// Sixteen bytes that are equal on both ends of a link exactly when all groups they share are.
    func keepalivePayload(for link: LinkID) -> [UInt8] {
        var writer = WireWriter()
        for group in sharedGroups(on: link) {
            writer.write(group)
            writer.write((groups[group]?.digest ?? GroupDigest(bytes: .zero)).bytes)
        }
        return Blake2b.hash(writer.bytes, size: 16)
    }

    /// Keepalives come seconds apart at the least: what changes in a burst is hashed once.
    mutating func refreshKeepalivesSoon() {
        if keepaliveRefresh == nil { keepaliveRefresh = now.advanced(by: .milliseconds(500)) }
    }

    mutating func refreshKeepalives() {
        keepaliveRefresh = nil
        for link in sessions.keys { links.setKeepalivePayload(keepalivePayload(for: link), for: link) }
    }

    // MARK: Messages

    private mutating func received(_ bytes: [UInt8], over link: LinkID) {
        guard sessions[link] != nil else { return }
        let message: LinkMessage
        do {
            message = try LinkMessage(decoding: bytes)
        } catch {
            publish(.messageRefused(error))
            return
        }
        switch message {
        case .hello(let store, let proofs):
            receivedHello(store: store, proofs: proofs, over: link)
        case .joinRequested(let certificate, let proof):
            guard takeRequest(of: link) else { return }
            receivedJoinRequest(certificate: certificate, proof: proof, over: link)
        case .welcome(let group, let accessKeys):
            receivedWelcome(group, accessKeys: accessKeys, over: link)
        case .joinRefused(let reason):
            receivedJoinRefusal(reason, over: link)
        case .friend(let message):
            receivedFriendMessage(message, over: link)
        case .rumourAcknowledged(let name):
            rumours.acknowledged(Rumours.Key(name: name, link: link))
        case .operations(let handle, let operations, let isFinal):
            receivedOperations(operations, isFinal: isFinal, group: handle, over: link)
        case .operationsRequested(let handle, let known):
            answerOperations(known: known, group: handle, over: link)
        // What only a current member may say.
        case .digest(let handle, let digest, let arrival, let count, let clock):
            if let group = provenGroup(handle, over: link) {
                noteTold(digest, count: count, clock: clock, of: group, over: link)
                askWhyTold(digest, of: group, over: link)
            }
            guard let group = authorisedGroup(handle, over: link, orKeeping: digest, arrival: arrival) else { return }
            receivedDigest(digest, arrival: arrival, of: group, over: link)
        case .tipsRequested(let handle, let store, let arrival):
            guard let group = authorisedGroup(handle, over: link) else { return }
            answerTips(store: store, arrival: arrival, of: group, over: link)
        case .tips(let handle, let tips):
            guard let group = authorisedGroup(handle, over: link) else { return }
            receivedTips(tips, of: group, over: link)
        case .runsRequested(let handle, let wanted):
            guard let group = authorisedGroup(handle, over: link) else { return }
            answerRuns(wanted, of: group, over: link)
        case .runs(let handle, let runs, let isFinal, let isComplete):
            guard let group = authorisedGroup(handle, over: link) else { return }
            receivedRuns(runs, isFinal: isFinal, isComplete: isComplete, of: group, over: link)
        case .rumour(let handle, let run):
            guard let group = authorisedGroup(handle, over: link) else { return }
            receivedRumour(run, of: group, over: link)
        case .accessKeysRequested(let handle, let hashes):
            guard let group = authorisedGroup(handle, over: link) else { return }
            answerAccessKeys(hashes, of: group, over: link)
        case .accessKeys(let handle, let keys):
            guard let group = authorisedGroup(handle, over: link) else { return }
            receivedAccessKeys(keys, of: group)
        case .presence(let handle, let entries):
            // Kept also of a peer that this node's ledger does not know yet; routes lead over current members only.
            guard let group = provenGroup(handle, over: link) else { return }
            receivedPresence(entries, of: group, over: link)
        }
    }

    /// Whether one more request to be let in, certified or befriended is looked at: each costs signature checks.
    mutating func takeRequest(of link: LinkID) -> Bool { sessions[link]?.takeRequest(at: now) ?? false }

    /// The group a handle names on this link, if its data may flow; a stranger's digest is kept for when it may.
    private mutating func authorisedGroup(
        _ handle: GroupHandle, over link: LinkID, orKeeping digest: GroupDigest? = nil, arrival: UInt64 = 0
    ) -> GroupID? {
        guard let group = provenGroup(handle, over: link) else { return nil }
        if isAuthorised(link, in: group) { return group }
        if let digest {
            sessions[link]?.groups[group]?.digest = digest
            sessions[link]?.groups[group]?.arrival = arrival
        }
        return nil
    }

    func provenGroup(_ handle: GroupHandle, over link: LinkID) -> GroupID? {
        sessions[link]?.groups.keys.sorted().first { GroupHandle($0) == handle }
    }
}
