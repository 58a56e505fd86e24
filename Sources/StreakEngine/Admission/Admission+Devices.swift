import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Linking machines: one of the user's machines certifies the keys of a new one.
extension Admission {
    /// How long a device link lives, in seconds.
    static let deviceLinkLifetime: Int64 = 600

    /// How long ledgers may take to arrive once the machine is certified, and how long one that was offered may stall.
    static let ledgerPatience: Duration = .seconds(60)

    mutating func linkDevice(addresses: [[Endpoint]], id: CommandID, core: inout EngineCore) {
        guard let group = core.privateGroup, core.isCurrentMember(of: group) else {
            return core.complete(id, .failed(.unknownGroup))
        }
        core.makeInvite(
            to: group, uses: 1, lifetime: Self.deviceLinkLifetime, purpose: .device, addresses: addresses,
            id: id)
    }

    mutating func receivedDeviceRequest(_ bytes: [UInt8], over link: LinkID, core: inout EngineCore) {
        guard let session = core.sessions[link], case .invite(let group, let inviteID) = session.label else { return }
        // An invite of any other group makes members, never devices.
        guard group == core.privateGroup, core.isCurrentMember(of: group), let state = core.groups[group]?.state,
            let invite = state.invite(inviteID),
            !(state.device(invite.author).map(core.isForeign) ?? true)
        else { return refuseDevice(.unknownLink, over: link, core: &core) }
        var reader = WireReader(bytes)
        guard let proof = try? DeviceProof(from: &reader), (try? reader.finish()) != nil,  // else hostile
            proof.handshakeHash == Self.binding(of: session), proof.linkKey == session.key,
            proof.isValid(inviteKey: invite.publicKey, privateGroup: group, user: core.identity.user)
        else { return refuseDevice(.invalidProof, over: link, core: &core) }
        let certificate: DeviceCertificate
        if let known = state.device(proof.device) {
            // The answer to an earlier request was lost.
            guard known.isCurrent, known.linkKey == proof.linkKey else {
                return refuseDevice(.other, over: link, core: &core)
            }
            certificate = known.certificate
        } else {
            guard !invite.isRevoked, !invite.isUsedUp else { return refuseDevice(.used, over: link, core: &core) }
            guard invite.isLive(at: core.wall.seconds) else { return refuseDevice(.expired, over: link, core: &core) }
            guard let fresh = core.identity.certificate(for: proof.consent) else {
                return refuseDevice(.tooManyDevices, over: link, core: &core)
            }
            certificate = fresh
        }
        do {
            try introduce(certificate, ending: inviteID, in: group, over: link, core: &core)
        } catch {
            var isFull = false
            if case .tooManyDevices = error { isFull = true }
            // So many operations may be about machines, revoked ones included.
            if case .tooManyOperations = error { isFull = true }
            refuseDevice(isFull ? .tooManyDevices : .other, over: link, core: &core)
        }
    }

    /// Publishes a new device in the private group, ends the invite that it came with, and publishes the device in
    /// every other group that this device is in.
    private mutating func introduce(
        _ certificate: DeviceCertificate, ending invite: OperationID, in privateGroup: GroupID, over link: LinkID,
        core: inout EngineCore
    ) throws(LedgerError) {
        if core.groups[privateGroup]?.state.device(certificate.device) == nil {
            try core.append([.addDevice(certificate), .revokeInvite(invite)], to: privateGroup)
        }
        core.publishOwnDevices(in: privateGroup)
        // Waits until all of that is on disk.
        core.persist(DurableChange(), then: [.introduceDevice(link, certificate)])
    }

    /// Hands a new device its certificate, and the keys and ledger of every group that it is in.
    mutating func introduceDevice(_ certificate: DeviceCertificate, over link: LinkID, core: inout EngineCore) {
        guard let privateGroup = core.privateGroup else { return }
        let others = core.groups.keys.filter { !core.isPrivate($0) && core.isCurrentMember(of: $0) }
        let shared = ([privateGroup] + others).filter {
            core.groups[$0]?.state.isCurrentMember(device: certificate.device) ?? false
        }.prefix(FriendMessage.maximumGroups)
        core.send(
            .friend(.deviceCertified(certificate: certificate.encoded(), groups: Array(shared))), over: link)
        for group in shared { handOver(group, over: link, core: &core) }
    }

    /// Sends the keys and the ledger of a group to a device that is in it.
    func handOver(_ group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        core.send(.welcome(group: group, accessKeys: replica.accessKeys.map { $0.key.rawBytes() }), over: link)
        core.sendOperations(replica.ledger.servedOperations, handle: replica.handle, over: link)
    }

    private mutating func refuseDevice(_ reason: DeviceRefusal, over link: LinkID, core: inout EngineCore) {
        core.send(.friend(.deviceRefused(reason)), over: link)
    }

    mutating func requestDevice(_ link: InviteLink, timeout: Duration, id: CommandID, core: inout EngineCore) {
        guard link.purpose == .device else { return core.complete(id, .failed(.deviceRefused(.unknownLink))) }
        join(link, timeout: timeout, tellers: [], command: id, core: &core)
    }

    mutating func askToBeCertified(_ attempt: JoinAttempt, over session: PeerSession, core: inout EngineCore) {
        guard let user = attempt.link.user else { return }  // every device link names one
        let proof = DeviceProof(
            inviteKey: attempt.link.secrets.inviteKey, privateGroup: attempt.link.group, user: user,
            identity: core.identity, handshakeHash: Self.binding(of: session))
        var writer = WireWriter()
        proof.write(to: &writer)
        core.send(.friend(.deviceRequested(proof: writer.bytes)), over: session.link)
    }

    private func deviceAttempt(over link: LinkID, core: EngineCore) -> JoinAttempt? {
        joins.keys.sorted().lazy.compactMap { joins[$0] }
            .first { $0.stage == .asked(link) && $0.link.purpose == .device }
    }

    mutating func receivedDeviceCertificate(
        _ bytes: [UInt8], groups: [GroupID], over link: LinkID, core: inout EngineCore
    ) {
        guard let attempt = deviceAttempt(over: link, core: core), deviceIntakes[attempt.command]?.link != link else {
            return
        }
        guard let certificate = try? DeviceCertificate(decoding: bytes), certificate.isValid(),  // else it is none
            certificate.device == core.identity.device, certificate.linkKey == core.identity.linkKey.publicKey,
            certificate.user == attempt.link.user, groups.first == attempt.link.group, Set(groups).count == groups.count
        else { return rejectDevice(attempt.command, over: link, core: &core) }
        deviceIntakes[attempt.command] = DeviceIntake(link: link, certificate: certificate, groups: groups)
        joins[attempt.command]?.answerDue = core.now.advanced(by: Self.ledgerPatience)
    }

    mutating func receivedDeviceRefusal(_ reason: DeviceRefusal, over link: LinkID, core: inout EngineCore) {
        guard let attempt = deviceAttempt(over: link, core: core) else { return }
        let endpoint = core.links.pathSummary(link)?.endpoint
        core.links.close(link, at: core.now)
        // This device may not have heard of the link yet. For any other reason, all of the user's devices would say the
        // same.
        let isFinal = reason != .unknownLink && reason != .other
        deviceIntakes[attempt.command] = nil
        // The device at the address of the link's maker knows best: there is no second opinion to wait for.
        if isFinal, let endpoint, (attempt.link.addresses.first ?? []).contains(endpoint) {
            return finishJoin(attempt.command, .failed(.deviceRefused(reason)), core: &core)
        }
        askOthers(
            attempt.command, because: .deviceRefused(reason), for: isFinal ? JoinAttempt.secondOpinion : nil,
            core: &core)
    }

    private mutating func rejectDevice(_ id: CommandID, over link: LinkID, core: inout EngineCore) {
        deviceIntakes[id] = nil
        core.links.close(link, at: core.now)
        askOthers(id, because: .ledgerRejected, for: JoinAttempt.secondOpinion, core: &core)
    }

    /// Accepts the welcome to a group of the account. False if no device is being linked over this link.
    mutating func receivedWelcomeOfDevice(
        _ group: GroupID, accessKeys: [[UInt8]], over link: LinkID, core: inout EngineCore
    ) -> Bool {
        guard let attempt = deviceAttempt(over: link, core: core) else { return false }
        let id = attempt.command
        if deviceIntakes[id]?.groups.contains(group) ?? false {
            deviceIntakes[id]?.ledgers[GroupHandle(group)] = LedgerIntake(group: group, accessKeys: accessKeys)
        }
        return true
    }

    /// Accepts a ledger that follows such a welcome. False if no device is being linked over this link.
    mutating func receivedOperationsOfDevice(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID, core: inout EngineCore
    ) -> Bool {
        guard let attempt = deviceAttempt(over: link, core: core) else { return false }
        let id = attempt.command
        guard deviceIntakes[id]?.link == link, var ledger = deviceIntakes[id]?.ledgers[handle], !ledger.isComplete
        else { return true }
        let others = deviceIntakes[id]?.ledgers.values.reduce(0) { $0 + $1.size } ?? 0
        do {
            try ledger.append(encoded, beside: others - ledger.size)
        } catch {
            rejectDevice(id, over: link, core: &core)
            return true
        }
        ledger.isComplete = isFinal
        deviceIntakes[id]?.ledgers[handle] = ledger
        if let intake = deviceIntakes[id], intake.isComplete { finishDevice(attempt, intake, core: &core) }
        return true
    }

    private mutating func finishDevice(_ attempt: JoinAttempt, _ intake: DeviceIntake, core: inout EngineCore) {
        guard let responder = core.sessions[intake.link]?.key,
            let linking = Self.linking(intake, under: attempt.link, answeredBy: responder)
        else { return rejectDevice(attempt.command, over: intake.link, core: &core) }
        deviceIntakes[attempt.command] = nil
        finishJoin(attempt.command, .deviceLinked(linking), core: &core)
    }

    /// What was handed over, if every ledger shows what the link promised: the private group belongs to the account of
    /// the link's maker, the answering device and now this machine; and in every group this machine is a device of that
    /// account.
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
                device.linkKey == intake.certificate.linkKey, !entry.namedKeys.isEmpty
            else { return nil }
            linked.append(
                DeviceLinking.Group(
                    group: group, operations: ledger.allOperations.map(\.bytes),
                    accessKeys: entry.namedKeys.reversed().map { $0.key.rawBytes() }))
        }
        return DeviceLinking(certificate: intake.certificate, groups: linked)
    }
}
