public import StreakCrypto
public import StreakWire

/// The group in which the devices of one account keep what is private: a function of the account's key.
///
/// The account key itself founds it, under a link key and with a first access key that are derived from its seed; title,
/// settings, nonce and time are fixed. Ed25519 is deterministic (RFC 8032, 5.1.6), so every machine made with the account's
/// key computes the same founding, whether or not it ever met another one. Each publishes itself there by `add-device`.
///
/// | derivation | keyed BLAKE2b-256 under the seed of the account key, of the text |
/// |---|---|
/// | link key of the founding certificate | `streakmesh/v1/private-link-key` |
/// | first access key | `streakmesh/v1/private-access-key` |
///
/// Protocol/friends.md §7.
public struct PrivateGroup: Sendable {
    public static let title = "Private"

    public let founding: SignedOperation
    public let accessKey: AccessKey

    public var group: GroupID { GroupID(bytes: founding.id.bytes) }

    /// - Throws: `notFounding` if the seed is not 32 bytes long, which it is.
    public init(accountKey: SigningSecretKey) throws(LedgerError) {
        let user = UserID(accountKey.publicKey)
        guard let seed = try? SymmetricKey(rawBytes: accountKey.seedBytes()),  // thirty-two bytes
            let linkKey = try? AgreementSecretKey(  // thirty-two bytes
                rawBytes: Blake2b.derive(context: "streakmesh/v1/private-link-key", from: seed).rawBytes())
        else { throw .notFounding }
        accessKey = AccessKey(Blake2b.derive(context: "streakmesh/v1/private-access-key", from: seed))
        let consent = DeviceConsent(user: user, signingKey: accountKey, linkKey: linkKey.publicKey)
        let founding = Founding(
            title: Self.title, certificate: DeviceCertificate(accountKey: accountKey, device: consent),
            settings: GroupSettings(), isPair: false, accessKeyHash: accessKey.hash, nonce: .zero)
        let operation = LedgerOperation(
            group: GroupID(bytes: .zero), author: user.asDevice, number: 1, previous: .none, parents: [], time: 0,
            body: .found(founding))
        self.founding = try SignedOperation(signing: operation, with: accountKey)
    }
}

extension UserID {
    /// The account key as the device that founds the private group. It is no machine, so no ledger lists it as a device.
    var asDevice: DeviceID { DeviceID(bytes: bytes) }
}

extension Ledger {
    /// The account whose private group this is; nil for a group that is shared.
    public var privateUser: UserID? {
        guard let founder = nodes.first, founder.user.asDevice == founder.device else { return nil }
        return founder.user
    }

    /// The operation that publishes a device's certificate. If there are several, the one with the fewest ancestors.
    public func introduction(of device: DeviceID) -> OperationID? {
        introductions.byDevice[device]?.map(\.node).min(by: LedgerNode.inOrder)?.id
    }
}

extension OperationBody {
    /// Whether an operation changes who is a member, or a role. A private group has exactly one member for good; only
    /// its devices change.
    var changesMembers: Bool {
        switch self {
        case .request, .admit, .setRole, .transfer, .remove, .leave: true
        // In a private group, invites link machines.
        case .found, .invite, .revokeInvite, .addDevice, .revokeDevice, .rename, .settings: false
        }
    }
}
