import StreakCrypto
import StreakMembership
import StreakWire

/// A person in the vectors. The keys derive from a name.
///
/// Every seed is the BLAKE2b-256 of `streakmesh vectors: ` and a label: `ada account`, `ada signing`, `ada link`.
struct Person {
    let name: String
    let accountKey: SigningSecretKey
    let identity: DeviceIdentity

    static func seed(_ label: String) -> [UInt8] { Blake2b.hash(Array("streakmesh vectors: \(label)".utf8)) }

    init(_ name: String) throws {
        self.name = name
        accountKey = try SigningSecretKey(seed: Self.seed("\(name) account"))
        identity = try Self.device(name, of: accountKey)
    }

    /// A device of the account, certified by the account key.
    static func device(_ label: String, of accountKey: SigningSecretKey) throws -> DeviceIdentity {
        let signingKey = try SigningSecretKey(seed: seed("\(label) signing"))
        let linkKey = try AgreementSecretKey(rawBytes: seed("\(label) link"))
        let consent = DeviceConsent(
            user: UserID(accountKey.publicKey), signingKey: signingKey, linkKey: linkKey.publicKey)
        let certificate = DeviceCertificate(accountKey: accountKey, device: consent)
        guard let identity = DeviceIdentity(certificate: certificate, signingKey: signingKey, linkKey: linkKey) else {
            throw VectorFailure(text: "keys and certificate of \(label) differ")
        }
        return identity
    }

    /// A second device, certified by the first.
    func secondDevice() throws -> DeviceIdentity { try device("\(name) second", certifiedBy: identity) }

    /// A device of the account, certified by another one of it.
    func device(_ label: String, certifiedBy issuer: DeviceIdentity) throws -> DeviceIdentity {
        let made = try Self.device(label, of: accountKey)
        guard let certificate = issuer.certificate(for: made.consent(to: issuer.user)),
            let identity = DeviceIdentity(certificate: certificate, signingKey: made.signingKey, linkKey: made.linkKey)
        else { throw VectorFailure(text: "\(label) cannot be certified") }
        return identity
    }

    var user: UserID { identity.user }
    var device: DeviceID { identity.device }
}

/// The vectors contradict themselves, so this program has a bug.
struct VectorFailure: Error {
    let text: String
}

/// Values shared by several files.
enum Cast {
    /// 2026-11-21T12:00:00Z.
    static let now: Int64 = 1_795_262_400
    static let group = GroupID(bytes: Bytes32(digest: Blake2b.hash(Array("streakmesh vectors: group".utf8))))
    static let epoch = Epoch(counter: 1, nonce: 0x0123_4567_89AB_CDEF)

    static func accessKey() throws -> AccessKey { try AccessKey(rawBytes: Person.seed("access key")) }

    static func seed16(_ label: String) -> Bytes16 {
        let raw = Person.seed(label)
        return Bytes16(raw.prefix(16)) ?? .zero
    }
}

extension Bytes32 {
    /// The bytes of a digest of 32 bytes.
    init(digest: [UInt8]) { self = Bytes32(digest) ?? .zero }
}
