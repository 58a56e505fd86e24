import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
public import StreakWire

/// A group of this account, by what a friend says and its ledger shows, into which this device may come back.
public struct OfferedReturn: Sendable, Equatable {
    public let group: GroupID
    public let title: String
    /// Whoever offers it.
    public let friend: UserID
    public let memberCount: Int
    /// Seconds since 1970, by this node's clock.
    public let offeredAt: Int64
}

/// The ledger of such a group, kept apart from those of this device's groups: nothing is published there, and nothing
/// is asked, before the user has said yes.
struct HeldReturn: Sendable {
    static let maximumCount = 32
    static let settingPrefix = "return-"

    let ledger: Ledger
    /// Newest first.
    let accessKeys: [AccessKey]
    let friend: UserID
    let offeredAt: Int64
    /// Of the ledger, in bytes.
    let size: Int

    static func setting(_ group: GroupID) -> String { settingPrefix + group.bytes.array.prefix(16).hexadecimal }

    var settingValue: [UInt8] {
        var writer = WireWriter()
        writer.write(ledger.group)
        writer.write(friend)
        writer.writeVarint(UInt64(max(0, offeredAt)))
        return writer.bytes
    }

    /// What a setting says: which group, who offered it, and when.
    static func read(_ value: [UInt8]) throws(WireError) -> (group: GroupID, friend: UserID, offeredAt: Int64) {
        var reader = WireReader(value)
        let group: GroupID = try reader.readIdentifier()
        let friend: UserID = try reader.readIdentifier()
        let offeredAt = Int64(try reader.readVarint(maximum: UInt64(Int64.max)))
        try reader.finish()
        return (group, friend, offeredAt)
    }
}

/// Coming back, after a recovery, into groups of one's account that a friend by code knows (Protocol/friends.md §4).
extension MeshEngine {
    /// The groups into which this device may come back, in the order of their IDs.
    public var offeredReturns: [OfferedReturn] {
        returns.keys.sorted().compactMap { group in
            returns[group].map {
                OfferedReturn(
                    group: group, title: $0.ledger.state.title, friend: $0.friend,
                    memberCount: $0.ledger.state.members.count, offeredAt: $0.offeredAt)
            }
        }
    }

    /// Takes groups that wait for the user's word out of those that a store holds.
    mutating func restoreReturns() {
        for name in settings.keys.sorted() where name.hasPrefix(HeldReturn.settingPrefix) {
            // What does not read was not written by this version.
            guard let (group, friend, offeredAt) = try? HeldReturn.read(settings[name] ?? []),
                let replica = groups.removeValue(forKey: group)
            else { continue }
            let size = replica.ledger.allOperations.reduce(0) { $0 + $1.bytes.count }
            returns[group] = HeldReturn(
                ledger: replica.ledger, accessKeys: replica.accessKeys, friend: friend, offeredAt: offeredAt,
                size: size)
        }
    }

    // MARK: Being offered

    /// Takes the welcome into a group of this account by a friend that was asked by its code. False where none was.
    mutating func receivedWelcomeOfFriend(_ group: GroupID, accessKeys: [[UInt8]], over link: LinkID) -> Bool {
        guard friendOwner(over: link) != nil else { return false }
        let count = returns.count + friends.intakes.values.reduce(0) { $0 + $1.count }
        if groups[group] == nil, returns[group] == nil, count < HeldReturn.maximumCount,
            friends.intakes[link]?[GroupHandle(group)] == nil
        {
            for known in friends.intakes.keys.sorted() where sessions[known] == nil { friends.intakes[known] = nil }
            friends.intakes[link, default: [:]][GroupHandle(group)] = LedgerIntake(group: group, accessKeys: accessKeys)
        }
        return true
    }

    /// What ledgers that friends offer take up in memory, in bytes.
    private var heldSize: Int {
        returns.values.reduce(0) { $0 + $1.size }
            + friends.intakes.values.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.size } }
    }

    /// Takes a ledger that follows such a welcome.
    mutating func receivedOperationsOfFriend(
        _ encoded: [[UInt8]], isFinal: Bool, handle: GroupHandle, over link: LinkID
    ) -> Bool {
        guard var intake = friends.intakes[link]?[handle], let owner = friendOwner(over: link) else { return false }
        do {
            try intake.take(encoded, beside: heldSize - intake.size)
            friends.intakes[link]?[handle] = isFinal ? nil : intake
            if isFinal { offer(intake, by: owner, over: link) }
        } catch {
            friends.intakes[link]?[handle] = nil
            publish(.operationRefused(intake.group))
        }
        return true
    }

    /// The owner of a code that this device asked over a link opened under it.
    private func friendOwner(over link: LinkID) -> DeviceCertificate? {
        guard let owner = friends.owners[link], owner.linkKey == sessions[link]?.key else { return nil }
        return owner
    }

    /// Keeps a group for its user to decide, if the ledger shows that this account is in it by its own word.
    private mutating func offer(_ intake: LedgerIntake, by owner: DeviceCertificate, over link: LinkID) {
        guard let ledger = intake.ledger, groups[ledger.group] == nil, returns[ledger.group] == nil,
            ledger.state.isMember(identity.user), ledger.holdsWord(of: identity.user),
            ledger.state.isCurrentMember(device: owner.device), !intake.namedKeys.isEmpty
        else { return publish(.operationRefused(intake.group)) }
        let group = ledger.group
        let held = HeldReturn(
            ledger: ledger, accessKeys: intake.namedKeys, friend: owner.user, offeredAt: wall.seconds,
            size: intake.size)
        returns[group] = held
        var change = DurableChange()
        for operation in ledger.allOperations {
            change.operations.append(
                StoredOperation(group: group, id: operation.id, bytes: operation.bytes, arrival: takeArrival()))
        }
        change.accessKeys = held.accessKeys.reversed().map {
            StoredAccessKey(group: group, key: $0.key.rawBytes())
        }
        // Where to ask once the user has said yes: this device is nobody's to find there yet.
        if let endpoint = links.pathSummary(link)?.endpoint {
            let address = RememberedAddress(device: owner.device, endpoint: endpoint, lastAnswered: wall.seconds)
            dialler.remember(address)
            change.addresses = [address]
        }
        settings[HeldReturn.setting(group)] = held.settingValue
        change.settings[HeldReturn.setting(group)] = held.settingValue
        persist(change, then: [.publish(.friend(.returnOffered(group)))])
    }

    /// Whether the group of this user and the owner of a code is among what waits for a decision: until then there is
    /// nothing to ask the owner for.
    func isPairOffered(by owner: DeviceCertificate?) -> Bool {
        guard let owner else { return false }
        return returns.values.contains { isPair($0, with: owner.user) }
    }

    private func isPair(_ held: HeldReturn, with user: UserID) -> Bool {
        Set(held.ledger.state.members.map(\.user)) == [user, identity.user]
    }

    // MARK: Deciding

    /// Enters a group that was offered, and publishes this device there.
    mutating func acceptReturn(_ group: GroupID, id: CommandID) {
        guard let held = returns[group] else { return complete(id, .failed(.unknownGroup)) }
        let before = self
        var change = DurableChange()
        var own: [SignedOperation] = []
        do {
            let operation =
                held.ledger.state.isCurrentMember(device: identity.device)
                ? nil : try held.ledger.draft(.addDevice(identity.certificate), by: identity, at: wall.seconds)
            forgetReturn(group, change: &change)
            groups[group] = GroupReplica(ledger: held.ledger, accessKeys: held.accessKeys)
            if let operation { own = try insert(operation, in: group, change: &change) }
        } catch {
            self = before
            return complete(id, .failed(.notAllowed(error)))
        }
        refreshKeys()
        for link in sessions.keys { recogniseGroups(on: link) }
        let greetings: [Deferred] = sessions.keys.map { .greet($0) }
        ledgerChanged(
            group, change: change,
            then: [.complete(id, .group(group)), .publish(.friend(.returned(group)))] + greetings
                + (own.isEmpty ? [] : [.passOnOperations(group, own, except: nil)]))
    }

    /// Forgets a group that was offered, and the wish to be a friend of whoever is alone with this user in it.
    mutating func declineReturn(_ group: GroupID, id: CommandID) {
        guard let held = returns[group] else { return complete(id, .failed(.unknownGroup)) }
        var change = DurableChange()
        forgetReturn(group, change: &change)
        change.droppedGroups = [group]
        if isPair(held, with: held.friend) {
            for code in friends.sentInOrder where friends.sent[code]?.owner?.user == held.friend { forget(code) }
        }
        persist(change, then: [.complete(id, .done)])
    }

    /// The group waits no longer: its user said yes or no, or came in by an invite.
    mutating func forgetReturn(_ group: GroupID, change: inout DurableChange) {
        guard returns.removeValue(forKey: group) != nil else { return }
        settings[HeldReturn.setting(group)] = nil
        change.settings[HeldReturn.setting(group)] = []
    }
}

extension Ledger {
    /// Whether a device of an account has signed something here itself: an operation, or a wish to join. That others say
    /// so proves nothing.
    func holdsWord(of user: UserID) -> Bool {
        allOperations.contains { signed in
            switch signed.operation.body {
            case .admit(let claim), .request(let claim):
                guard claim.certificate.user == user, claim.certificate.isValid(),
                    let invite = state.invite(claim.invite)
                else { return false }
                return claim.proof.isValid(
                    inviteKey: invite.publicKey, group: group, certificate: claim.certificate)
            default:
                return self.user(of: signed.operation.author) == user
            }
        }
    }
}
