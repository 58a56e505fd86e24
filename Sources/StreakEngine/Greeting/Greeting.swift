import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Hello: who is at the other end of a link, which groups both ends know, and what they may say about each.
struct Greeting: Sendable {
    /// When keepalives have to change their payload.
    private(set) var keepaliveRefresh: MonotonicInstant?

    // MARK: Links

    mutating func opened(_ session: PeerSession, core: inout EngineCore) {
        core.sessions[session.link] = session
        noteStranger(at: session.link, core: &core)
        makeRoomForStrangers(core: &core)
        announcePeer(of: session.link, core: &core)
        core.post(.linkOpened(session.link))
    }

    /// A link has closed; its session is gone.
    mutating func closed(_ session: PeerSession, core: inout EngineCore) {
        guard session.isAnnounced, let device = core.deviceID(of: session.key), core.links.link(to: session.key) == nil
        else { return }
        core.post(.peerGone(device))
        core.publish(.linkClosed(device))
    }

    /// Tells the shell about a peer once it is known who it is: when the link opens, or when the peer has been
    /// admitted.
    mutating func announcePeer(of link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link], !session.isAnnounced, let device = core.deviceID(of: session.key),
            let summary = core.links.pathSummary(link)
        else { return }
        core.sessions[link]?.isAnnounced = true
        core.publish(.linkOpened(device, via: summary.via, endpoint: summary.endpoint))
        core.post(.peerKnown(device, link))
    }

    /// How long a link to a device in no ledger may last: long enough to be admitted, or for the news to arrive.
    static let strangerPatience: Duration = .seconds(60)

    /// Links that strangers may have opened at a time, of 256 in all. Anybody with an old key, or an invite, can make
    /// up as many devices as they like.
    static let maximumStrangers = 32

    /// If strangers have opened too many links, the source that has most of them loses its oldest.
    private mutating func makeRoomForStrangers(core: inout EngineCore) {
        let strangers = core.sessions.keys.filter { link in
            guard let session = core.sessions[link] else { return false }
            return session.strangerSince != nil && !session.isInitiator
        }
        guard strangers.count > Self.maximumStrangers else { return }
        let bySource = Dictionary(grouping: strangers) { core.links.pathSummary($0)?.endpoint.network ?? .zero }
        let most = bySource.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }?.value
        if let oldest = most?.first { core.links.close(oldest, at: core.now) }
    }

    /// Closes links under old keys or invites: they take slots that members need.
    ///
    /// - Parameter joining: links over which this device joins a group.
    mutating func closeLinksOfStrangers(except joining: Set<LinkID>, core: inout EngineCore) {
        for link in core.sessions.keys {
            guard let session = core.sessions[link], let since = session.strangerSince,
                since.advanced(by: Self.strangerPatience) <= core.now
            else { continue }
            if core.member(withKey: session.key) != nil {
                noteStranger(at: link, core: &core)
            } else if joining.contains(link) {
                core.sessions[link]?.strangerSince = core.now
            } else {
                core.links.close(link, at: core.now)
            }
        }
    }

    // MARK: Groups on a link

    /// Proves to the peer which access keys this device holds; no group is named.
    mutating func greet(_ link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link] else { return }
        let replicas = core.groups.keys.filter { core.access(of: link, in: $0).contains(.proofs) }.compactMap {
            core.groups[$0]
        }
        // If not all fit, a member that was away while many keys came still shares the oldest one.
        let surest = replicas.compactMap(\.accessKeys.first) + replicas.compactMap(\.foundingKey)
        // Each once, and in an order that says nothing: else a peer could tell how many groups there are.
        var proofs: Set<Bytes16> = []
        for key in surest + replicas.flatMap({ $0.accessKeys.dropFirst() })
        where proofs.count < LinkMessage.maximumProofs {
            proofs.insert(Self.proof(key, by: core.identity.linkKey.publicKey, session: session))
        }
        core.send(.hello(store: core.store, proofs: proofs.sorted()), over: link)
    }

    /// Proves, on this link only, that the owner of the link key `prover` holds an access key.
    private static func proof(_ key: AccessKey, by prover: AgreementPublicKey, session: PeerSession) -> Bytes16 {
        let hash = Blake2b.keyedHash(session.handshakeHash + prover.rawBytes, key: key.groupProofKey, size: 16)
        return Bytes16(hash) ?? .zero
    }

    mutating func receivedHello(store: StoreID, proofs: [Bytes16], over link: LinkID, core: inout EngineCore) {
        core.sessions[link]?.store = store
        core.sessions[link]?.proofs = Set(proofs)
        recogniseGroups(on: link, core: &core)
        for group in core.groups(on: link, allowing: .accessKeys) {
            // The peer may have received a key that it lacked when it was asked.
            core.sessions[link]?.groups[group]?.askedKeys = []
            requestMissingKeys(of: group, over: link, core: &core)
        }
    }

    /// Finds the groups that the peer has proven to know, including groups that are new on this side.
    mutating func recogniseGroups(on link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link] else { return }
        let expected = expectedProofs(on: link, session, core: core)
        core.sessions[link]?.expectedProofs = expected
        let proven = Set(session.proofs.compactMap { expected[$0] })
        let found = proven.filter { session.groups[$0] == nil && core.access(of: link, in: $0).contains(.proofs) }
            .sorted()
        for group in found { core.sessions[link]?.groups[group] = PeerGroup() }
        for group in found { core.post(.groupOpened(group, link)) }
    }

    private func expectedProofs(on link: LinkID, _ session: PeerSession, core: EngineCore) -> [Bytes16: GroupID] {
        if let known = session.expectedProofs { return known }
        var expected: [Bytes16: GroupID] = [:]
        for id in core.groups.keys where core.access(of: link, in: id).contains(.proofs) {
            for key in core.groups[id]?.accessKeys ?? [] {
                expected[Self.proof(key, by: session.key, session: session)] = id
            }
        }
        return expected
    }

    /// Begins to talk about a group that both ends know, if its records may not flow between them.
    mutating func openUnauthorised(_ group: GroupID, over link: LinkID, core: inout EngineCore) {
        let access = core.access(of: link, in: group)
        if access.contains(.farewell) { core.sayFarewell(to: group, over: link) }
        if access.contains(.ending) { tellEnding(of: group, over: link, core: &core) }
        if access.contains(.introduction) { introduceThisDevice(in: group, over: link, core: &core) }
        if access.contains(.question) { askForOperations(of: group, over: link, core: &core) }
    }

    /// Shows how this device came into the private group to a device that this ledger does not know. Two machines made
    /// with the account's key know nothing of each other; each judges the other by its ledger.
    private mutating func introduceThisDevice(in group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard core.isPrivate(group), !isKnownForeign(link, core: core), let replica = core.groups[group],
            let introduction = replica.ledger.introduction(of: core.identity.device)
        else { return }
        core.sendOperations(replica.ledger.ancestry(of: introduction), handle: replica.handle, over: link)
    }

    /// Whether any ledger here says that the device at the other end is revoked, or belongs to another account.
    private func isKnownForeign(_ link: LinkID, core: EngineCore) -> Bool {
        guard let key = core.sessions[link]?.key else { return true }
        return core.groups.values.contains { replica in
            replica.state.device(linkKey: key).map { !$0.isCurrent || core.isForeign($0) } ?? false
        }
    }

    /// Asks for operations. Names those that are here only to a device that may see the ledger: anybody with an old
    /// access key can make up a device, and tips reveal who joined since.
    private mutating func askForOperations(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        let known = core.access(of: link, in: group).contains(.ledger) ? replica.namedTips : []
        core.send(.operationsRequested(replica.handle, known: known), over: link)
    }

    /// Asks once for what a peer's ledger may know more. Only members receive a digest, and this device got one although its
    /// own ledger says that it is no member, or it ceased to be one before the digest was dealt with.
    mutating func questionDigest(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard !core.isCurrentMember(of: group), core.access(of: link, in: group).contains(.question) else { return }
        askForOperations(of: group, over: link, core: &core)
    }

    /// Tells a device that was removed or revoked, or whose admission does not count, which operation did it, with its
    /// ancestors. It gets this once and nothing else; this is how it learns.
    private mutating func tellEnding(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group], let key = core.sessions[link]?.key,
            let ending = replica.ending(of: key),
            core.sessions[link]?.groups[group]?.toldEnding != ending, core.charge(.ledgerCopies, over: link)
        else { return }
        core.sessions[link]?.groups[group]?.toldEnding = ending
        core.sendOperations(replica.ledger.ancestry(of: ending), handle: replica.handle, over: link)
    }

    /// After a ledger has changed: updates keys, and who may hear of the group.
    mutating func refreshAuthorisation(of group: GroupID, core: inout EngineCore) {
        for link in core.sessions.keys {
            announcePeer(of: link, core: &core)
            noteStranger(at: link, core: &core)
            guard core.sessions[link]?.groups[group] != nil else { continue }
            let access = core.access(of: link, in: group)
            if access.contains(.records) {
                core.post(.authorised(group, link))
                core.sessions[link]?.groups[group]?.askedKeys = []
                requestMissingKeys(of: group, over: link, core: &core)
            } else {
                core.post(.unauthorised(group, link))
                if access.contains(.ending) { tellEnding(of: group, over: link, core: &core) }
            }
        }
        refreshKeepalivesSoon(core: core)
    }

    /// Notes since when a link has led to a device that is a member of no group.
    private mutating func noteStranger(at link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link] else { return }
        let account = core.member(withKey: session.key)
        core.links.setParty(account.map { .member($0) } ?? .stranger, for: link, at: core.now)
        if account != nil {
            core.sessions[link]?.strangerSince = nil
        } else if session.strangerSince == nil {
            core.sessions[link]?.strangerSince = core.now
        }
    }

    // MARK: Keepalives

    /// Keepalives are seconds apart, so several changes in a row are hashed once.
    mutating func refreshKeepalivesSoon(core: EngineCore) {
        if keepaliveRefresh == nil { keepaliveRefresh = core.now.advanced(by: .milliseconds(500)) }
    }

    mutating func refreshKeepalives(core: inout EngineCore) {
        guard let due = keepaliveRefresh, due <= core.now else { return }
        keepaliveRefresh = nil
        for link in core.sessions.keys {
            core.links.setKeepalivePayload(core.keepalivePayload(for: link), for: link)
        }
    }
}

extension EngineCore {
    /// Sixteen bytes that are equal on both ends of a link exactly when all their common groups are equal.
    func keepalivePayload(for link: LinkID) -> [UInt8] {
        var writer = WireWriter()
        for group in groups(on: link, allowing: .records) {
            writer.write(group)
            writer.write((groups[group]?.digest ?? GroupDigest(bytes: .zero)).bytes)
        }
        return Blake2b.hash(writer.bytes, size: 16)
    }
}
