import StreakCrypto
import StreakLinks
public import StreakMembership
import StreakReplication
public import StreakWire

/// What a newly linked device starts with: to be stored before an engine is made of it.
public struct DeviceLinking: Sendable, Equatable {
    public struct Group: Sendable, Equatable {
        public let group: GroupID
        /// Parents first, the founding one before all.
        public let operations: [[UInt8]]
        /// Oldest first, as `Snapshot` wants them.
        public let accessKeys: [[UInt8]]
    }

    /// Of the keys that the machine has made itself.
    public let certificate: DeviceCertificate
    /// The private group first.
    public let groups: [Group]
}

/// A ledger that arrives after a welcome, and is believed only once it is checked as a whole.
struct LedgerIntake: Sendable {
    /// What one sender may have this device hold in memory, in bytes.
    static let maximumSize = 64 << 20

    let group: GroupID
    /// Newest first, as welcomes have them.
    let accessKeys: [AccessKey]
    private(set) var ledger: Ledger?
    private(set) var size = 0
    var isComplete = false

    init(group: GroupID, accessKeys: [[UInt8]]) {
        self.group = group
        self.accessKeys = accessKeys.compactMap { try? AccessKey(rawBytes: $0) }  // each has 32 bytes as decoded
    }

    /// - Parameter otherSize: what other ledgers of the sender take up already.
    mutating func take(_ encoded: [[UInt8]], beside otherSize: Int = 0) throws(LedgerError) {
        for bytes in encoded {
            size += bytes.count
            guard size + otherSize <= Self.maximumSize else { throw .tooLarge(size: size + otherSize) }
            let operation: SignedOperation
            do { operation = try SignedOperation(decoding: bytes) } catch { throw .malformed(error) }
            if ledger == nil {
                guard operation.id.bytes == group.bytes else { throw .notFounding }
                ledger = try Ledger(founding: operation)
            } else {
                _ = try ledger?.insert(operation, withinLimits: false)
            }
        }
    }

    /// The keys that the ledger names.
    var namedKeys: [AccessKey] {
        let hashes = ledger?.state.accessKeyHashes ?? []
        return accessKeys.filter { hashes.contains($0.hash) }
    }
}

/// A machine that was certified and waits for the ledgers.
struct DeviceIntake: Sendable {
    let link: LinkID
    let certificate: DeviceCertificate
    let groups: [GroupID]
    var ledgers: [GroupHandle: LedgerIntake] = [:]

    var isComplete: Bool { ledgers.count == groups.count && ledgers.values.allSatisfy(\.isComplete) }
}

/// Linking devices: one of the user's devices certifies the keys of a new machine.
extension MeshEngine {
    /// How long a device link is good, in seconds.
    public static let deviceLinkLifetime: Int64 = 600
    /// How long the ledgers may take once the machine is certified.
    private static let ledgerPatience: Duration = .seconds(60)

    // MARK: The device that is there

    mutating func linkDevice(id: CommandID) {
        guard let group = privateGroup, isCurrentMember(of: group) else {
            return complete(id, .failed(.unknownGroup))
        }
        makeInvite(to: group, uses: 1, lifetime: Self.deviceLinkLifetime, purpose: .device, id: id)
    }

    mutating func receivedDeviceRequest(_ bytes: [UInt8], over link: LinkID) {
        guard let session = sessions[link], case .invite(let group, let inviteID) = session.label,
            takeRequest(of: link)
        else { return }
        // An invite of any other group makes members, never devices.
        guard group == privateGroup, isCurrentMember(of: group), let state = groups[group]?.state,
            let invite = state.invite(inviteID), !(state.device(invite.author).map { isShutOut($0, of: group) } ?? true)
        else { return refuseDevice(.unknownLink, over: link) }
        var reader = WireReader(bytes)
        guard let proof = try? DeviceProof(from: &reader), (try? reader.finish()) != nil,  // else hostile
            proof.handshakeHash == Self.binding(of: session), proof.linkKey == session.key,
            proof.isValid(inviteKey: invite.publicKey, privateGroup: group, user: identity.user)
        else { return refuseDevice(.invalidProof, over: link) }
        let certificate: DeviceCertificate
        if let known = state.device(proof.device) {
            // The answer to an earlier request was lost.
            guard known.isCurrent, known.linkKey == proof.linkKey else { return refuseDevice(.other, over: link) }
            certificate = known.certificate
        } else {
            guard !invite.isRevoked, !invite.isUsedUp else { return refuseDevice(.used, over: link) }
            guard invite.isLive(at: wall.seconds) else { return refuseDevice(.expired, over: link) }
            guard let fresh = identity.certificate(for: proof.consent) else {
                return refuseDevice(.tooManyDevices, over: link)
            }
            certificate = fresh
        }
        do {
            try introduce(certificate, ending: inviteID, in: group, over: link)
        } catch {
            if case .tooManyDevices = error {
                refuseDevice(.tooManyDevices, over: link)
            } else {
                refuseDevice(.other, over: link)
            }
        }
    }

    /// Publishes a new device in the private group, ends the invite that it came with, and publishes it wherever else
    /// this device is in.
    private mutating func introduce(
        _ certificate: DeviceCertificate, ending invite: OperationID, in privateGroup: GroupID, over link: LinkID
    ) throws(LedgerError) {
        if groups[privateGroup]?.state.device(certificate.device) == nil {
            try append([.addDevice(certificate), .revokeInvite(invite)], to: privateGroup)
        }
        for group in groups.keys where !isPrivate(group) && isCurrentMember(of: group) {
            guard groups[group]?.state.device(certificate.device) == nil else { continue }
            // A group that takes no more devices goes on without this one.
            try? append([.addDevice(certificate)], to: group)
        }
        // Waits for all that to be on disk.
        persist(DurableChange(), then: [.introduceDevice(link, certificate)])
    }

    mutating func append(_ bodies: [OperationBody], to group: GroupID) throws(LedgerError) {
        var change = DurableChange()
        var added: [SignedOperation] = []
        for body in bodies {
            guard let operation = try groups[group]?.ledger.draft(body, by: identity, at: wall.seconds) else { return }
            added += try insert(operation, in: group, change: &change)
        }
        ledgerChanged(group, change: change, then: [.passOnOperations(group, added, except: nil)])
    }

    /// Hands a new device its certificate, and keys and ledger of every group that it is in.
    mutating func introduceDevice(_ certificate: DeviceCertificate, over link: LinkID) {
        guard let privateGroup else { return }
        let others = groups.keys.filter { !isPrivate($0) && isCurrentMember(of: $0) }
        let shared = ([privateGroup] + others).filter {
            groups[$0]?.state.isCurrentMember(device: certificate.device) ?? false
        }.prefix(FriendMessage.maximumGroups)
        send(
            .friend(.deviceCertified(certificate: certificate.encoded(), groups: Array(shared))), over: link)
        for group in shared {
            guard let replica = groups[group] else { continue }
            send(.welcome(group: group, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }), over: link)
            sendOperations(replica.ledger.servedOperations, handle: replica.handle, over: link)
        }
    }

    private mutating func refuseDevice(_ reason: DeviceRefusal, over link: LinkID) {
        send(.friend(.deviceRefused(reason)), over: link)
    }

    // MARK: The new machine

    mutating func requestDevice(_ link: InviteLink, timeout: Duration, id: CommandID) {
        guard link.purpose == .device else { return complete(id, .failed(.deviceRefused(.unknownLink))) }
        join(link, timeout: timeout, command: id)
    }

    mutating func askToBeCertified(_ attempt: JoinAttempt, over session: PeerSession) {
        guard let user = attempt.link.user else { return }  // every device link names one
        let proof = DeviceProof(
            inviteKey: attempt.link.secrets.inviteKey, privateGroup: attempt.link.group, user: user,
            identity: identity, handshakeHash: Self.binding(of: session))
        var writer = WireWriter()
        proof.write(to: &writer)
        send(.friend(.deviceRequested(proof: writer.bytes)), over: session.link)
    }

    private func deviceAttempt(over link: LinkID) -> JoinAttempt? {
        joins.keys.sorted().lazy.compactMap { joins[$0] }
            .first { $0.stage == .asked(link) && $0.link.purpose == .device }
    }

    mutating func receivedDeviceCertificate(_ bytes: [UInt8], groups: [GroupID], over link: LinkID) {
        guard let attempt = deviceAttempt(over: link), deviceIntakes[attempt.command]?.link != link else { return }
        guard let certificate = try? DeviceCertificate(decoding: bytes), certificate.isValid(),  // else it is none
            certificate.device == identity.device, certificate.linkKey == identity.linkKey.publicKey,
            certificate.user == attempt.link.user, groups.first == attempt.link.group, Set(groups).count == groups.count
        else { return rejectDevice(attempt.command, over: link) }
        deviceIntakes[attempt.command] = DeviceIntake(link: link, certificate: certificate, groups: groups)
        joins[attempt.command]?.answerDue = now.advanced(by: Self.ledgerPatience)
    }

    mutating func receivedDeviceRefusal(_ reason: DeviceRefusal, over link: LinkID) {
        guard let attempt = deviceAttempt(over: link) else { return }
        let endpoint = links.pathSummary(link)?.endpoint
        links.close(link, at: now)
        // This device may not have heard of the link yet; of all else each of the user's devices would say the same.
        let isFinal = reason != .unknownLink && reason != .other
        deviceIntakes[attempt.command] = nil
        // Who answers where the link's maker is knows best: there is no second opinion to wait for.
        if isFinal, let endpoint, (attempt.link.addresses.first ?? []).contains(endpoint) {
            return finishJoin(attempt.command, .failed(.deviceRefused(reason)))
        }
        askOthers(
            attempt.command, because: .deviceRefused(reason), for: isFinal ? JoinAttempt.secondOpinion : nil)
    }

    private mutating func rejectDevice(_ id: CommandID, over link: LinkID) {
        deviceIntakes[id] = nil
        links.close(link, at: now)
        askOthers(id, because: .ledgerRejected, for: JoinAttempt.secondOpinion)
    }

    /// Takes the welcome into a group of the account. False where no device is being linked over this link.
    mutating func receivedWelcomeOfDevice(_ group: GroupID, accessKeys: [[UInt8]], over link: LinkID) -> Bool {
        guard let attempt = deviceAttempt(over: link) else { return false }
        let id = attempt.command
        if deviceIntakes[id]?.groups.contains(group) ?? false {
            deviceIntakes[id]?.ledgers[GroupHandle(group)] = LedgerIntake(group: group, accessKeys: accessKeys)
        }
        return true
    }

    /// Takes a ledger that follows such a welcome. False where no device is being linked over this link.
    mutating func receivedOperationsOfDevice(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID
    ) -> Bool {
        guard let attempt = deviceAttempt(over: link) else { return false }
        let id = attempt.command
        guard deviceIntakes[id]?.link == link, var ledger = deviceIntakes[id]?.ledgers[handle], !ledger.isComplete
        else { return true }
        let others = deviceIntakes[id]?.ledgers.values.reduce(0) { $0 + $1.size } ?? 0
        do {
            try ledger.take(encoded, beside: others - ledger.size)
        } catch {
            rejectDevice(id, over: link)
            return true
        }
        ledger.isComplete = isFinal
        deviceIntakes[id]?.ledgers[handle] = ledger
        if let intake = deviceIntakes[id], intake.isComplete { finishDevice(attempt, intake) }
        return true
    }

    private mutating func finishDevice(_ attempt: JoinAttempt, _ intake: DeviceIntake) {
        guard let responder = sessions[intake.link]?.key,
            let linking = Self.linking(intake, under: attempt.link, answeredBy: responder)
        else { return rejectDevice(attempt.command, over: intake.link) }
        deviceIntakes[attempt.command] = nil
        finishJoin(attempt.command, .deviceLinked(linking))
    }

    /// What was handed over, if every ledger shows what the link promised: the private group is of one account, the
    /// link's maker's, the answerer's and now this machine's; and in every group this machine is a device of it.
    static func linking(
        _ intake: DeviceIntake, under link: InviteLink, answeredBy responder: AgreementPublicKey
    ) -> DeviceLinking? {
        let user = intake.certificate.user
        guard let own = intake.ledgers[GroupHandle(link.group)]?.ledger?.state,
            intake.ledgers[GroupHandle(link.group)]?.ledger?.privateUser == user,
            let invite = own.invite(publicKey: link.secrets.inviteKey.publicKey), invite.author == link.inviter,
            own.isCurrentMember(device: link.inviter), own.device(linkKey: responder)?.isCurrent ?? false
        else { return nil }
        var linked: [DeviceLinking.Group] = []
        for group in intake.groups {
            guard let entry = intake.ledgers[GroupHandle(group)], entry.group == group, let ledger = entry.ledger,
                let device = ledger.state.device(intake.certificate.device), device.isCurrent, device.user == user,
                device.certificate == intake.certificate, !entry.namedKeys.isEmpty
            else { return nil }
            linked.append(
                DeviceLinking.Group(
                    group: group, operations: ledger.allOperations.map(\.bytes),
                    accessKeys: entry.namedKeys.reversed().map { $0.key.rawBytes() }))
        }
        return DeviceLinking(certificate: intake.certificate, groups: linked)
    }
}
