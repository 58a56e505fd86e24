import StreakCrypto
import StreakMembership
import StreakReplication
public import StreakWire

/// What the two devices of one account on a link have said of their private groups.
struct PrivateGroupTalk: Sendable {
    struct Naming: Equatable, Sendable {
        let group: GroupID
        /// Whether a device that the account has given up is in it.
        let holdsRevoked: Bool
        /// The account's words, as they are on the wire.
        let revocations: [[UInt8]]
    }

    /// What the other device was told last.
    var told: Naming?
    /// What it said last, of what was looked at.
    var heard: Naming?
    /// What it has said since. The newest alone counts, so nothing is lost where more is said than looked at.
    var unread: Naming?
    /// What of that is looked at: it costs signature checks, and may cost a hand-over.
    var readings = TokenBucket(.costlyWork)
    /// The group of the other device on account of which it was let into this one's.
    var answered: GroupID?
    /// The group that the other device has given this one a place in.
    var offered: GroupID?
    /// That group's ledger, as it comes.
    var intake: LedgerIntake?
    /// Whether this device was to move on account of the other one, and was not allowed to just then.
    var isPutOff = false
}

/// One account, one private group (Protocol/friends.md §7). A machine that was made by the recovery key has one of its own;
/// where it meets another device of its account, one of the two lets the other in.
extension MeshEngine {
    /// Whether a group is kept by this account's devices among themselves, now or once.
    public func isPrivate(_ group: GroupID) -> Bool {
        group == privateGroup || formerPrivateGroups.contains(group)
    }

    /// Whether a device may hear nothing of a private group though that group's ledger knows nothing against it: it is another
    /// account's, or the account has given it up elsewhere, and only the recovery key could say so here.
    func isShutOut(_ device: GroupState.Device, of group: GroupID) -> Bool {
        isPrivate(group) && isForeign(device)
    }

    /// Whether the account has given this device up, by any ledger that it holds.
    public var isShutOut: Bool { isRevokedAnywhere(identity.certificate) }

    /// Whether a device is no machine of this account, or none any more, whatever one ledger says.
    func isForeign(_ device: GroupState.Device) -> Bool {
        device.user != identity.user || isRevokedAnywhere(device.certificate)
    }

    /// The certificate of another device of this account at the other end of a link: current in a group that both are in, and
    /// revoked nowhere.
    func ownDevice(over link: LinkID) -> DeviceCertificate? {
        guard let key = sessions[link]?.key else { return nil }
        for group in groups.keys.sorted() where isCurrentMember(of: group) {
            guard let device = groups[group]?.state.device(linkKey: key), device.isCurrent,
                device.user == identity.user, device.device != identity.device,
                !isRevokedAnywhere(device.certificate)
            else { continue }
            return device.certificate
        }
        return nil
    }

    /// Whether another account's device, or one that this account has given up, is in a private group.
    func holdsRevoked(_ state: GroupState?) -> Bool {
        state?.devices.contains { $0.isCurrent && $0.device != identity.device && isForeign($0) } ?? false
    }

    // MARK: Saying

    /// Looks at what another device of the account has said, says which private group this device has, if that is news to it,
    /// and does what follows from both groups.
    mutating func discussPrivateGroups(over link: LinkID) {
        // Whoever hears of a group gives up others for it: it has to be on disk.
        guard !moves.isUnderWay, let mine = privateGroup, isCurrentMember(of: mine), sessions[link]?.store != nil,
            let other = ownDevice(over: link)
        else { return }
        readNaming(by: other.device, over: link)
        let naming = PrivateGroupTalk.Naming(
            group: mine, holdsRevoked: holdsRevoked(groups[mine]?.state),
            revocations: generalRevocations.prefix(FriendMessage.maximumRevocations).map { $0.encoded() })
        if sessions[link]?.privateGroups.told != naming {
            sessions[link]?.privateGroups.told = naming
            // The other one was perhaps let into a group that this device has left since.
            sessions[link]?.privateGroups.answered = nil
            send(
                .friend(
                    .privateGroupNamed(mine, holdsRevoked: naming.holdsRevoked, revocations: naming.revocations)),
                over: link)
        }
        unite(naming, over: link)
    }

    mutating func receivedPrivateGroup(
        _ group: GroupID, holdsRevoked: Bool, revocations: [[UInt8]], over link: LinkID
    ) {
        // Who says it is looked at when it matters: the ledger that shows it may come later.
        sessions[link]?.privateGroups.unread = PrivateGroupTalk.Naming(
            group: group, holdsRevoked: holdsRevoked, revocations: revocations)
        discussPrivateGroups(over: link)
    }

    private mutating func readNaming(by device: DeviceID, over link: LinkID) {
        guard let unread = sessions[link]?.privateGroups.unread else { return }
        guard sessions[link]?.privateGroups.readings.take(at: now) ?? false else {
            if let due = sessions[link]?.privateGroups.readings.nextAdmission { moves.resume(at: due) }
            return
        }
        sessions[link]?.privateGroups.unread = nil
        sessions[link]?.privateGroups.heard = unread
        // It may have been let in, and not allowed to move.
        sessions[link]?.privateGroups.answered = nil
        moves.named[device] = unread.group
        moves.reviewsFormerGroups = true
        take(
            unread.revocations.compactMap { bytes -> DeviceRevocation? in
                guard let revocation = try? DeviceRevocation(decoding: bytes),  // else it is none
                    revocation.scope == .everyGroup, revocation.user == identity.user
                else { return nil }
                return revocation
            })
    }

    /// Goes on where this device was not allowed to move, or has not looked at what it was told.
    mutating func resumePrivateGroupTalks() {
        guard let due = moves.resumption, due <= now else { return }
        moves.resumption = nil
        for link in sessions.keys {
            guard let talk = sessions[link]?.privateGroups, talk.isPutOff || talk.unread != nil else { continue }
            if talk.isPutOff, isReadyToMove(over: link) {
                sessions[link]?.privateGroups.isPutOff = false
                // To hear it once more is what makes the other device offer a place anew.
                sessions[link]?.privateGroups.told = nil
            }
            discussPrivateGroups(over: link)
        }
    }

    /// Takes words of the account for every group that are not known here.
    private mutating func take(_ revocations: [DeviceRevocation]) {
        let known = Set(generalRevocations.map(\.cut.device))
        let news = revocations.filter {
            !known.contains($0.cut.device) && $0.cut.device != identity.device && $0.isValid(in: GroupID(bytes: .zero))
        }
        guard !news.isEmpty, let privateGroup else { return }
        heardRevocations += news
        persist(DurableChange(), then: [.publishRevocations(privateGroup), .authorise(privateGroup)])
    }

    /// Of two private groups one stays: that in which no device is that the account has given up, else the smaller one. Where
    /// such devices are in both, the smaller one's device makes a new one.
    private mutating func unite(_ naming: PrivateGroupTalk.Naming, over link: LinkID) {
        guard let heard = sessions[link]?.privateGroups.heard, heard.group != naming.group,
            let certificate = ownDevice(over: link)
        else { return }
        switch (naming.holdsRevoked, heard.holdsRevoked) {
        case (true, true):
            if naming.group < heard.group, isReadyToMove(over: link) { renewPrivateGroup() }
        case (true, false):
            return
        case (false, false) where heard.group < naming.group:
            return
        case (false, _):
            guard sessions[link]?.privateGroups.answered != heard.group else { return }
            sessions[link]?.privateGroups.answered = heard.group
            letIn(certificate, to: naming.group, over: link)
        }
    }

    // MARK: The device whose group stays

    private mutating func letIn(_ certificate: DeviceCertificate, to group: GroupID, over link: LinkID) {
        if let known = groups[group]?.state.device(certificate.device) {
            guard known.isCurrent else { return }
        } else {
            // Where the group takes no more devices, the two stay apart.
            do { try append([.addDevice(certificate)], to: group) } catch { return publish(.operationRefused(group)) }
        }
        // Waits for that to be on disk.
        persist(DurableChange(), then: [.letIntoPrivateGroup(link, certificate)])
    }

    // MARK: The device that moves

    /// Takes note of a place in another device's private group; keys and ledger follow.
    mutating func receivedPlace(_ bytes: [UInt8], in groups: [GroupID], over link: LinkID) {
        guard let group = groups.first, groups.count == 1, group != privateGroup, ownDevice(over: link) != nil,
            let certificate = try? DeviceCertificate(decoding: bytes),  // else it is none
            certificate.device == identity.device, certificate.user == identity.user
        else { return }
        sessions[link]?.privateGroups.intake = nil
        let isReady = isReadyToMove(over: link)
        sessions[link]?.privateGroups.offered = isReady ? group : nil
    }

    /// Takes the keys of such a group. False where this is another welcome.
    mutating func receivedWelcomeOfOwnDevice(_ group: GroupID, accessKeys: [[UInt8]], over link: LinkID) -> Bool {
        guard sessions[link]?.privateGroups.offered == group else { return false }
        sessions[link]?.privateGroups.intake = LedgerIntake(group: group, accessKeys: accessKeys)
        return true
    }

    /// Takes its ledger. False where these are other operations.
    mutating func receivedOperationsOfOwnDevice(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID
    ) -> Bool {
        guard var intake = sessions[link]?.privateGroups.intake, GroupHandle(intake.group) == handle else {
            return false
        }
        do {
            try intake.take(encoded)
        } catch {
            sessions[link]?.privateGroups.intake = nil
            publish(.operationRefused(intake.group))
            return true
        }
        sessions[link]?.privateGroups.intake = isFinal ? nil : intake
        if isFinal {
            sessions[link]?.privateGroups.offered = nil
            enter(intake, over: link)
        }
        return true
    }

    /// Moves into another device's private group, if its ledger shows one: of this account alone, both devices in it, none
    /// that was given up; and if that is the one that stays.
    private mutating func enter(_ intake: LedgerIntake, over link: LinkID) {
        guard let mine = privateGroup, let ledger = intake.ledger, ledger.group != mine, let key = sessions[link]?.key,
            // A group that is shared with others, or meant to be, does not become private on anybody's word.
            groups[ledger.group] == nil || formerPrivateGroups.contains(ledger.group),
            ownDevice(over: link) != nil, case let state = ledger.state, ledger.isPrivate(to: identity.user),
            state.isCurrentMember(device: identity.device),
            let other = state.device(linkKey: key), other.isCurrent, !intake.namedKeys.isEmpty, !holdsRevoked(state),
            holdsRevoked(groups[mine]?.state) || ledger.group < mine
        else { return publish(.operationRefused(intake.group)) }
        guard isReadyToMove(over: link) else { return }
        var change = DurableChange()
        if groups[ledger.group] == nil {
            groups[ledger.group] = GroupReplica(ledger: ledger, accessKeys: [])
            for operation in ledger.allOperations {
                change.operations.append(
                    StoredOperation(
                        group: ledger.group, id: operation.id, bytes: operation.bytes, arrival: takeArrival()))
            }
        } else {
            // A group that this device moved out of once: what is new there and refused comes again.
            for operation in ledger.allOperations { _ = try? insert(operation, in: ledger.group, change: &change) }
        }
        for key in intake.namedKeys.reversed() { keep(key, in: ledger.group, change: &change) }
        moves.named[other.device] = ledger.group
        move(to: ledger.group, change: change)
    }

    /// Makes a private group in which this device is alone, and moves there.
    private mutating func renewPrivateGroup() {
        var change = DurableChange()
        // Founding a group fails for no title that is this one.
        guard let group = try? startGroup(title: "Private", change: &change) else { return }
        move(to: group, change: change)
    }

    /// Whether this device may change its private group now. Where it may not, the device at the other end is told of it again,
    /// and so offers a place anew, once it may.
    private mutating func isReadyToMove(over link: LinkID) -> Bool {
        sessions[link]?.privateGroups.isPutOff = true
        // Until one of them is given up; then this is asked again.
        guard formerPrivateGroups.count < PrivateGroupMoves.maximumFormerGroups else { return false }
        let due = moves.nextAdmission(isFlight: holdsRevoked(privateGroup.flatMap { groups[$0]?.state }))
        guard due <= now else {
            moves.resume(at: due)
            return false
        }
        sessions[link]?.privateGroups.isPutOff = false
        return true
    }

    /// Makes `group` the private one and takes everything along, in one transaction. The old group goes where no other device
    /// is left in it; else it stays, for these to be told.
    private mutating func move(to group: GroupID, change begun: DurableChange) {
        guard let old = privateGroup else { return }
        moves.begin(isFlight: holdsRevoked(groups[old]?.state), at: now)
        var change = begun
        // Words that the old ledger alone holds do not go with it.
        heardRevocations = generalRevocations
        settings[Self.privateGroupSetting] = group.bytes.array
        change.settings[Self.privateGroupSetting] = group.bytes.array
        setFormer(false, group, change: &change)
        // What a device wrote before it was given up is the account's.
        let user = identity.user
        var work = carry(from: old, to: group, change: &change) { $0.user == user }
        work.append(.passOnOperations(group, publishRevocations(to: group, change: &change), except: nil))
        if isDone(with: old, since: group) { drop(old, change: &change) } else { setFormer(true, old, change: &change) }
        work += consequences(for: group, change: &change)
        refreshKeys()
        for link in sessions.keys.sorted() { recogniseGroups(on: link) }
        work += sessions.keys.sorted().map { .greet($0) }
        persist(change, then: work + [.publish(.privateGroupChanged(from: old, to: group)), .discussPrivateGroups])
    }

    // MARK: Copying

    /// Writes what devices of one of the account's groups have said and another does not know. Returns what follows once it is
    /// on disk.
    mutating func carry(
        from source: GroupID, to target: GroupID, change: inout DurableChange,
        including isIncluded: (GroupState.Device) -> Bool
    ) -> [Deferred] {
        guard let from = groups[source],
            let unknown = groups[target]?.unknownRecords(
                of: from, own: identity.device, wall: wall, including: isIncluded)
        else { return [] }
        var work: [Deferred] = []
        var rest = unknown[...]
        while !rest.isEmpty {
            let held = groups[target]?.ownEpoch.flatMap {
                groups[target]?.feeds[FeedID(device: identity.device, epoch: $0)]?.mainTip.number
            }
            let room = Int(ProtocolLimits.maximumFeedLength - min(held ?? 0, ProtocolLimits.maximumFeedLength))
            guard room > 0 else {
                groups[target]?.ownEpoch = nil
                continue
            }
            work += write(rest.prefix(room).map { .copy($0) }, in: target, change: &change)
            rest = rest.dropFirst(room)
        }
        return work
    }
}

extension OperationBody {
    /// Whether it is about who is a member, and as what. A private group has one member for good: what brings machines in and
    /// out there is about devices.
    var changesMembers: Bool {
        switch self {
        case .request, .admit, .setRole, .transfer, .remove, .leave: true
        // By an invite machines are linked.
        case .found, .invite, .revokeInvite, .addDevice, .revokeDevice, .rename, .settings: false
        }
    }
}

extension Ledger {
    /// Whether it is of one account alone, and can be of no other.
    func isPrivate(to user: UserID) -> Bool {
        state.members.map(\.user) == [user] && !allOperations.contains { $0.operation.body.changesMembers }
    }
}
