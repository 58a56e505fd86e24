public import StreakCrypto
public import StreakWire

/// What an operation does. Layouts: Protocol/membership.md §4.
public enum OperationBody: Hashable, Sendable {
    /// Founds a group; its author is the owner. Always and only the first operation of a ledger.
    case found(Founding)
    /// Makes an invite. By anybody whom the settings at its parents allow to invite.
    case invite(InviteTerms)
    /// Revokes an invite: any by the owner and admins, an own one by a member.
    case revokeInvite(OperationID)
    /// Records a newcomer's request under an invite that needs approval. By any member.
    case request(JoinClaim)
    /// Admits a newcomer under a live invite. By any member; by the owner or an admin if the invite needs approval.
    case admit(JoinClaim)
    /// Publishes another device of the author's account. By that device itself if the account key certified it.
    case addDevice(DeviceCertificate)
    /// Revokes one device of the author's account, signed by the account key, for this group or for every group.
    case revokeDevice(DeviceRevocation)
    /// Promotes or demotes an admin, names the heir or withdraws it. By the owner.
    case setRole(RoleChange)
    /// Transfers ownership. By the owner, or by the heir to itself.
    case transfer(Transfer)
    /// Removes a member. By the owner; by an admin if the target is neither owner nor admin.
    case remove(Removal)
    /// Ends the author's own membership.
    case leave(Departure)
    /// Changes the title. By owner and admins.
    case rename(String)
    /// Changes the settings. By owner and admins.
    case settings(GroupSettings)

    /// The discriminator on the wire.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case found = 1
        case invite, revokeInvite, request, admit, addDevice, revokeDevice, setRole, transfer, remove, leave, rename
        case settings
    }

    public var kind: Kind {
        switch self {
        case .found: .found
        case .invite: .invite
        case .revokeInvite: .revokeInvite
        case .request: .request
        case .admit: .admit
        case .addDevice: .addDevice
        case .revokeDevice: .revokeDevice
        case .setRole: .setRole
        case .transfer: .transfer
        case .remove: .remove
        case .leave: .leave
        case .rename: .rename
        case .settings: .settings
        }
    }

    /// The certificate that this operation publishes, if it gives the device a standing.
    public var introducedCertificate: DeviceCertificate? {
        switch self {
        case .found(let founding): founding.certificate
        case .admit(let claim): claim.certificate
        case .addDevice(let certificate): certificate
        case .invite, .revokeInvite, .request, .revokeDevice, .setRole, .transfer, .remove, .leave, .rename, .settings:
            nil
        }
    }

    /// The cuts this operation makes.
    public var cuts: [DeviceCut] {
        switch self {
        case .revokeDevice(let revocation): [revocation.cut]
        case .setRole(let change): change.cuts
        case .transfer(let transfer): transfer.cuts
        case .remove(let removal): removal.cuts
        case .leave(let departure): departure.cuts
        case .found, .invite, .revokeInvite, .request, .admit, .addDevice, .rename, .settings: []
        }
    }
}

/// The body of `found`. The nonce distinguishes groups with the same title, founder and second.
public struct Founding: Hashable, Sendable {
    public let title: String
    public let certificate: DeviceCertificate
    public let settings: GroupSettings
    /// Whether the group is for two friends by code.
    public let isPair: Bool
    /// `AccessKey.hash` of the group's first access key.
    public let accessKeyHash: Bytes32
    public let nonce: Bytes16

    public init(
        title: String, certificate: DeviceCertificate, settings: GroupSettings, isPair: Bool, accessKeyHash: Bytes32,
        nonce: Bytes16
    ) {
        self.title = title
        self.certificate = certificate
        self.settings = settings
        self.isPair = isPair
        self.accessKeyHash = accessKeyHash
        self.nonce = nonce
    }
}

/// The body of `invite`.
public struct InviteTerms: Hashable, Sendable {
    /// The public half of the invite key; see `InviteSecrets`.
    public let publicKey: SigningPublicKey
    /// The PSK of the joining handshake, in the clear: only members read a ledger.
    public let presharedKeyBytes: Bytes32
    /// 0: unlimited.
    public let maximumUses: UInt32
    /// Seconds since 1970.
    public let expiresAt: Int64
    public let needsApproval: Bool

    public init(
        publicKey: SigningPublicKey, presharedKeyBytes: Bytes32, maximumUses: UInt32, expiresAt: Int64,
        needsApproval: Bool
    ) {
        self.publicKey = publicKey
        self.presharedKeyBytes = presharedKeyBytes
        self.maximumUses = maximumUses
        self.expiresAt = expiresAt
        self.needsApproval = needsApproval
    }
}

/// The body of `request` and `admit`: who, under which invite, with what proof.
public struct JoinClaim: Hashable, Sendable {
    public let invite: OperationID
    public let certificate: DeviceCertificate
    public let proof: JoinProof

    public init(invite: OperationID, certificate: DeviceCertificate, proof: JoinProof) {
        self.invite = invite
        self.certificate = certificate
        self.proof = proof
    }
}

/// The body of `revoke-device`.
///
/// The account key signs `streakmesh/v1/certificate` ‖ 0 ‖ 2 (u8) ‖ group, zero for every group ‖ user ‖ cut ‖ kept links.
public struct DeviceRevocation: Hashable, Sendable {
    /// Where a revocation is valid.
    public enum Scope: UInt8, CaseIterable, Sendable {
        /// Only in the group it was signed for.
        case group = 0
        /// In every group; its cut keeps nothing. See docs/adr/0009-revocations-for-every-group.md.
        case everyGroup = 1
    }

    /// The most certificate links that one revocation may keep.
    static let maximumKeptLinks = 32

    public let user: UserID
    public let scope: Scope
    public let cut: DeviceCut
    /// Names of links signed by the device that stay valid, rising. All its other links are invalid, also future ones.
    public let keptLinks: [Bytes32]
    /// `AccessKey.hash` of the new access key. Chosen by the author, not signed by the account key.
    public let accessKeyHash: Bytes32
    let accountSignature: Signature

    /// For one group.
    ///
    /// - Parameter keptLinks: from `Ledger.keptLinks(revoking:of:)`. Of more than 32, the first are kept.
    public init(
        accountKey: SigningSecretKey, group: GroupID, cut: DeviceCut, keeping keptLinks: [Bytes32] = [],
        accessKeyHash: Bytes32
    ) {
        self.init(accountKey, group, .group, cut, keptLinks, accessKeyHash)
    }

    /// For every group.
    public init(
        accountKey: SigningSecretKey, everywhere device: DeviceID, keeping keptLinks: [Bytes32] = [],
        accessKeyHash: Bytes32
    ) {
        let cut = DeviceCut(device: device, lastOperation: .none, feeds: [])
        self.init(accountKey, GroupID(bytes: .zero), .everyGroup, cut, keptLinks, accessKeyHash)
    }

    private init(
        _ accountKey: SigningSecretKey, _ group: GroupID, _ scope: Scope, _ cut: DeviceCut, _ keptLinks: [Bytes32],
        _ accessKeyHash: Bytes32
    ) {
        user = UserID(accountKey.publicKey)
        self.scope = scope
        self.cut = cut
        var kept: Set<Bytes32> = []
        for link in keptLinks where kept.count < Self.maximumKeptLinks { kept.insert(link) }
        self.keptLinks = kept.sorted()
        self.accessKeyHash = accessKeyHash
        accountSignature = accountKey.signature(
            for: Self.message(group: group, user: user, cut: cut, keptLinks: self.keptLinks), as: .certificate)
    }

    init(
        user: UserID, scope: Scope, cut: DeviceCut, keptLinks: [Bytes32], accessKeyHash: Bytes32,
        accountSignature: Signature
    ) {
        self.user = user
        self.scope = scope
        self.cut = cut
        self.keptLinks = keptLinks
        self.accessKeyHash = accessKeyHash
        self.accountSignature = accountSignature
    }

    /// The same revocation with another group's new access key.
    public func naming(accessKeyHash: Bytes32) -> DeviceRevocation {
        DeviceRevocation(
            user: user, scope: scope, cut: cut, keptLinks: keptLinks, accessKeyHash: accessKeyHash,
            accountSignature: accountSignature)
    }

    /// Whether the account key signed this for this group, or for every group.
    public func isValid(in group: GroupID) -> Bool {
        let named = scope == .group ? group : GroupID(bytes: .zero)
        let message = Self.message(group: named, user: user, cut: cut, keptLinks: keptLinks)
        return user.hasSigned(message, as: .certificate, accountSignature)
    }

    private static func message(
        group: GroupID, user: UserID, cut: DeviceCut, keptLinks: [Bytes32]
    ) -> [UInt8] {
        var writer = WireWriter(reserving: 256)
        writer.write(StatementKind.deviceRevocation.rawValue)
        writer.write(group)
        writer.write(user)
        cut.write(to: &writer)
        Self.write(keptLinks, to: &writer)
        return writer.bytes
    }

    static func write(_ keptLinks: [Bytes32], to writer: inout WireWriter) {
        writer.writeCount(keptLinks.count)
        for link in keptLinks { writer.write(link) }
    }
}

/// The body of `set-role`.
public struct RoleChange: Hashable, Sendable {
    public enum Change: UInt8, CaseIterable, Sendable {
        case member = 0
        case admin = 1
        /// The user may transfer the group to itself, until another heir is named or the heir is withdrawn.
        case heir = 2
        /// Withdraws the heir; `user` is the owner.
        case noHeir = 3
    }

    public let user: UserID
    public let change: Change
    /// For a demotion: what the devices did as an admin that still counts. Empty otherwise.
    public let cuts: [DeviceCut]

    /// Sorts the cuts by device.
    public init(user: UserID, change: Change, cuts: [DeviceCut] = []) {
        self.user = user
        self.change = change
        self.cuts = cuts.sorted { $0.device < $1.device }
    }
}

/// The body of `transfer`.
public struct Transfer: Hashable, Sendable {
    /// May be the former owner itself, to annul what an heir did.
    public let newOwner: UserID
    /// What the former owner's devices did as an owner that still counts.
    public let cuts: [DeviceCut]

    /// Sorts the cuts by device.
    public init(newOwner: UserID, cuts: [DeviceCut]) {
        self.newOwner = newOwner
        self.cuts = cuts.sorted { $0.device < $1.device }
    }
}

/// The body of `remove`.
public struct Removal: Hashable, Sendable {
    public let user: UserID
    /// What still counts of the target's devices. A device that is not listed does not count.
    public let cuts: [DeviceCut]
    /// `AccessKey.hash` of the new access key.
    public let accessKeyHash: Bytes32

    /// Sorts the cuts by device.
    public init(user: UserID, cuts: [DeviceCut], accessKeyHash: Bytes32) {
        self.user = user
        self.cuts = cuts.sorted { $0.device < $1.device }
        self.accessKeyHash = accessKeyHash
    }
}

/// The body of `leave`.
public struct Departure: Hashable, Sendable {
    /// Whether other nodes delete the leaver's records and accept none of them again.
    public let erases: Bool
    public let cuts: [DeviceCut]

    /// Sorts the cuts by device.
    public init(erases: Bool, cuts: [DeviceCut]) {
        self.erases = erases
        self.cuts = cuts.sorted { $0.device < $1.device }
    }
}

/// A group's settings, changed by its owner and admins.
public struct GroupSettings: Hashable, Sendable {
    public enum InvitePermission: UInt8, CaseIterable, Sendable {
        case everyone = 0
        case admins = 1
        case owner = 2
    }

    /// One setting. This layer carries it without reading it.
    public struct Choice: Hashable, Sendable {
        public let key: UInt8
        public let value: UInt64

        public init(key: UInt8, value: UInt64) {
            self.key = key
            self.value = value
        }
    }

    static let maximumChoices = 64

    public var whoMayInvite: InvitePermission
    /// By rising key, no key twice. Higher layers define their meaning (missed days, freezes, late results …).
    public private(set) var choices: [Choice]

    public init(whoMayInvite: InvitePermission = .everyone) {
        self.whoMayInvite = whoMayInvite
        choices = []
    }

    /// The value of a choice; nil for the default. Setting more than 64 is ignored.
    public subscript(key: UInt8) -> UInt64? {
        get { choices.first { $0.key == key }?.value }
        set {
            choices.removeAll { $0.key == key }
            guard let newValue, choices.count < Self.maximumChoices else { return }
            choices.append(Choice(key: key, value: newValue))
            choices.sort { $0.key < $1.key }
        }
    }

    func write(to writer: inout WireWriter) {
        writer.write(whoMayInvite.rawValue)
        writer.writeCount(choices.count)
        for choice in choices {
            writer.write(choice.key)
            writer.writeVarint(choice.value)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        guard let permission = InvitePermission(rawValue: try reader.readUInt8()) else {
            throw .invalidValue(field: "invite permission")
        }
        whoMayInvite = permission
        var choices: [Choice] = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumChoices)) {
            let choice = Choice(key: try reader.readUInt8(), value: try reader.readVarint())
            if let last = choices.last, last.key >= choice.key { throw .invalidValue(field: "choices") }
            choices.append(choice)
        }
        self.choices = choices
    }
}
