public import StreakCrypto
public import StreakWire

/// The state that follows from a ledger's operations. It is the same for the same operations, in whatever order they
/// arrived.
public struct GroupState: Sendable, Equatable {
    public enum Role: UInt8, Sendable, Comparable, CaseIterable {
        case member, admin, owner

        public static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
    }

    /// A current member.
    public struct Member: Sendable, Equatable {
        public let user: UserID
        public let role: Role
        /// The founding, or the latest admission that the membership depends on; if no admission counts, the promotion
        /// or transfer.
        public let admittedBy: OperationID
        /// When that operation was made, by its author's clock; seconds since 1970, for display only.
        public let admittedAt: Int64
        /// The account that made that operation.
        public let admitter: UserID
        /// The invite used; nil if the membership does not depend on an admission.
        public let invite: OperationID?
        /// Current devices, rising. Empty if all were revoked.
        public let devices: [DeviceID]
    }

    /// A former member.
    public struct FormerMember: Sendable, Equatable {
        public let user: UserID
        /// The removal in force, or the member's own departure.
        public let removedBy: OperationID
        /// Whether it was the member's own departure.
        public let hasLeft: Bool
    }

    public enum Standing: Sendable, Equatable {
        case current
        /// Removed, or left.
        case removed(by: OperationID)
        case revoked(by: OperationID)
    }

    /// A device whose account is or was in.
    public struct Device: Sendable, Equatable {
        public let device: DeviceID
        public let user: UserID
        public let linkKey: AgreementPublicKey
        public let certificate: DeviceCertificate
        /// The operation that published the certificate.
        package let introducedBy: OperationID
        public let standing: Standing
        /// If it is not current: what still counts of it. Nil if the cut did not list the device.
        public let cut: DeviceCut?
        /// For a current device that was removed before: what counts of its feeds from then. The first cut that lists
        /// an epoch applies to it.
        public let earlierCuts: [DeviceCut]
        /// Epochs ended by a departure with erasure: none of their records are accepted again. Rising.
        public let erasedEpochs: [Epoch]

        public var isCurrent: Bool { standing == .current }
    }

    public struct Invite: Sendable, Equatable {
        public let id: OperationID
        /// The device that signed it.
        public let author: DeviceID
        public let inviter: UserID
        public let terms: InviteTerms
        /// How many admissions under it count.
        public let used: Int
        public let isRevoked: Bool
        /// The users it admitted, rising.
        public let admitted: [UserID]

        public var publicKey: SigningPublicKey { terms.publicKey }
        /// 0: unlimited.
        public var maximumUses: UInt32 { terms.maximumUses }
        /// Seconds since 1970.
        public var expiresAt: Int64 { terms.expiresAt }
        public var needsApproval: Bool { terms.needsApproval }
        public var isUsedUp: Bool { maximumUses > 0 && used >= Int(maximumUses) }
        /// Members who could not reach each other admitted more than it allows. All of them stay.
        public var isOverused: Bool { maximumUses > 0 && used > Int(maximumUses) }

        /// The PSK of the joining handshake.
        public var presharedKey: SymmetricKey { terms.presharedKey }

        /// - Parameter time: seconds since 1970.
        public func isLive(at time: Int64) -> Bool { !isRevoked && !isUsedUp && time < expiresAt }
    }

    /// A newcomer waiting for the owner or an admin.
    public struct Request: Sendable, Equatable {
        public let id: OperationID
        /// What to pass to `Ledger.admission(of:by:at:)`.
        public let claim: JoinClaim
        public let responder: UserID
    }

    public let group: GroupID
    public let title: String
    /// Whether the group was founded for two friends by code. Others may have joined since.
    public let isPair: Bool
    public let owner: UserID
    /// The member who may take the group over. An admin's removal of the heir does not withdraw the heir.
    public let heir: UserID?
    /// The owner before the heir took over. That account may take the group back and undo what was done since.
    public let takenFrom: UserID?
    public let settings: GroupSettings
    /// By rising user.
    public let members: [Member]
    /// By rising user.
    public let removedUsers: [FormerMember]
    /// By rising device.
    public let devices: [Device]
    /// Invites that count, by rising ID, expired and used ones included.
    public let invites: [Invite]
    /// By rising ID.
    public let requests: [Request]
    /// `AccessKey.hash` of every access key, oldest first. Dial with the last one first.
    public let accessKeyHashes: [Bytes32]
    /// Users who ever left with erasure, rising. Delete records that `feedLimit` no longer accepts. After a return they
    /// write under a new epoch.
    public let erasedUsers: [UserID]

    private let deviceOfLinkKey: [AgreementPublicKey: DeviceID]

    init(
        group: GroupID, title: String, isPair: Bool, owner: UserID, heir: UserID?, takenFrom: UserID?,
        settings: GroupSettings, members: [Member], removedUsers: [FormerMember], devices: [Device], invites: [Invite],
        requests: [Request],
        accessKeyHashes: [Bytes32], erasedUsers: [UserID]
    ) {
        self.group = group
        self.title = title
        self.isPair = isPair
        self.owner = owner
        self.heir = heir
        self.takenFrom = takenFrom
        self.settings = settings
        self.members = members
        self.removedUsers = removedUsers
        self.devices = devices
        self.invites = invites
        self.requests = requests
        self.accessKeyHashes = accessKeyHashes
        self.erasedUsers = erasedUsers
        // Two devices have one link key only if one of them lies. Prefer a current one, then the smaller ID.
        let order = devices.sorted { ($0.isCurrent ? 0 : 1, $0.device) < ($1.isCurrent ? 0 : 1, $1.device) }
        deviceOfLinkKey = Dictionary(order.map { ($0.linkKey, $0.device) }, uniquingKeysWith: { first, _ in first })
    }

    public func member(_ user: UserID) -> Member? {
        element(of: members, named: user) { $0.user }
    }

    public func device(_ device: DeviceID) -> Device? {
        element(of: devices, named: device) { $0.device }
    }

    /// The device with this link key, as a handshake showed it; nil for an unknown device, which gets nothing.
    public func device(linkKey: AgreementPublicKey) -> Device? {
        deviceOfLinkKey[linkKey].flatMap { device($0) }
    }

    public func invite(_ id: OperationID) -> Invite? {
        element(of: invites, named: id) { $0.id }
    }

    /// The invite with this public key, which derives from a link's seed.
    public func invite(publicKey: SigningPublicKey) -> Invite? {
        invites.first { $0.publicKey == publicKey }
    }

    public func isMember(_ user: UserID) -> Bool { member(user) != nil }

    public func isCurrentMember(device: DeviceID) -> Bool { self.device(device)?.isCurrent ?? false }

    public func role(of user: UserID) -> Role? { member(user)?.role }

    public func isAtLeastAdmin(_ user: UserID) -> Bool { role(of: user).map { $0 >= .admin } ?? false }

    /// Whether the account may make invites now.
    func mayInvite(_ user: UserID) -> Bool {
        guard let role = role(of: user) else { return false }
        switch settings.whoMayInvite {
        case .everyone: return true
        case .admins: return role >= .admin
        case .owner: return role == .owner
        }
    }

    /// The most live invites an account may have at once. Honest nodes do not make more, and nodes do not answer more. The
    /// owner and admins have a larger share, so that members cannot use it up.
    func maximumLiveInvites(of user: UserID) -> Int {
        isAtLeastAdmin(user) ? ProtocolLimits.maximumLiveInvitesOfAdmin : ProtocolLimits.maximumLiveInvitesOfMember
    }

    /// Which of too many invites are answered: first each account's share; if that is still too many, the owner's and
    /// admins' first, then one of each account in turn.
    public func answered(_ invites: [Invite], atMost limit: Int = ProtocolLimits.maximumAnsweredInvites) -> [Invite] {
        var taken: [UserID: Int] = [:]
        var ranked: [(isPlain: Int, turn: Int, invite: Invite)] = []
        for invite in invites.sorted(by: { $0.id < $1.id }) {
            let turn = taken[invite.inviter, default: 0]
            guard turn < maximumLiveInvites(of: invite.inviter) else { continue }
            taken[invite.inviter] = turn + 1
            ranked.append((isAtLeastAdmin(invite.inviter) ? 0 : 1, turn, invite))
        }
        ranked.sort { ($0.isPlain, $0.turn, $0.invite.id) < ($1.isPlain, $1.turn, $1.invite.id) }
        return ranked.prefix(limit).map(\.invite)
    }

    /// How much of a feed counts.
    public enum FeedLimit: Sendable, Equatable {
        case unlimited
        /// Records up to the cut's number, on the branch through its hash.
        case through(FeedCut)
        case nothing
    }

    /// How much of a device's feed counts under the cuts.
    public func feedLimit(device id: DeviceID, epoch: Epoch) -> FeedLimit {
        guard let device = device(id) else { return .nothing }
        if device.erasedEpochs.contains(epoch) { return .nothing }
        func limit(_ cut: DeviceCut) -> FeedLimit? {
            cut.feeds.first { $0.epoch == epoch }.map { .through($0) }
        }
        guard device.isCurrent else { return device.cut.flatMap(limit) ?? .nothing }
        return device.earlierCuts.lazy.compactMap(limit).first ?? .unlimited
    }

    /// Whether a record counts. Below a cut's number the caller must check that the record is on the branch through the
    /// cut's hash; at the number this compares the hash.
    public func accepts(device: DeviceID, epoch: Epoch, number: UInt64, hash: ChainHash) -> Bool {
        switch feedLimit(device: device, epoch: epoch) {
        case .unlimited: true
        case .nothing: false
        case .through(let cut): number < cut.number || number == cut.number && hash == cut.hash
        }
    }

    public func isErased(_ user: UserID) -> Bool {
        element(of: erasedUsers, named: user) { $0 } != nil
    }

    /// Binary search in a list sorted by name. O(log n).
    private func element<Element, Name: Comparable>(
        of list: [Element], named name: Name, by key: (Element) -> Name
    ) -> Element? {
        var range = list.startIndex..<list.endIndex
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            let found = key(list[middle])
            if found == name { return list[middle] }
            range = found < name ? (middle + 1)..<range.upperBound : range.lowerBound..<middle
        }
        return nil
    }
}

extension InviteTerms {
    /// The PSK of the joining handshake.
    public var presharedKey: SymmetricKey {
        guard let key = try? SymmetricKey(rawBytes: presharedKeyBytes.array) else {
            // It needs only 32 bytes.
            preconditionFailure("thirty-two bytes are a key")
        }
        return key
    }
}
