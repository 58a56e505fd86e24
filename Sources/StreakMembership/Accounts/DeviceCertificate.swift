public import StreakCrypto
public import StreakWire

/// Binds a device's two keys to an account, by a chain of signatures that begins with the account's.
///
/// Devices certify devices, so a certificate carries the whole chain and needs nothing else to be verified: link 1 is
/// signed by the account key, every later one by the device of the link before. The last link is the device itself. Each
/// device signs too, that it is this account's: else anybody could name somebody else's device as their own.
///
/// | offset | field | type | limit |
/// |---|---|---|---|
/// | 0 | version | u8 | 1 |
/// | 1 | user (Ed25519 account key) | 32 bytes | |
/// | 33 | number of links | varint | 1–5 |
/// | 34 | links: device (Ed25519), link key (X25519), issuer's signature, consent | 32 + 32 + 64 + 64 each | no device twice |
///
/// An issuer's signature is over `streakmesh/v1/certificate` ‖ 0 ‖ 1 (u8) ‖ user ‖ issuer ‖ device ‖ link key, where the
/// issuer is the key that signs; a consent (`DeviceConsent`) is the device's own.
public struct DeviceCertificate: Hashable, Sendable {
    /// One step of the chain.
    public struct Link: Hashable, Sendable {
        public let consent: DeviceConsent
        /// The issuer's.
        public let signature: Signature

        public var device: DeviceID { consent.device }
        public var linkKey: AgreementPublicKey { consent.linkKey }
    }

    /// The longest chain. A certificate then still fits the handshake of a friend code. A device certified by the fifth
    /// link cannot certify another.
    static let maximumChainLength = 5

    public let user: UserID
    /// From the device that the account certified to this certificate's device; never empty.
    public let links: [Link]

    private var last: Link { links[links.count - 1] }

    /// The device this certificate is for.
    public var device: DeviceID { last.device }
    public var linkKey: AgreementPublicKey { last.linkKey }

    /// The devices before `device` in the chain. The account itself certified the first.
    public var issuers: [DeviceID] { links.dropLast().map(\.device) }

    /// Whether the account key itself signed for this device.
    public var isIssuedByAccount: Bool { links.count == 1 }

    init?(user: UserID, links: [Link]) {
        guard !links.isEmpty, links.count <= Self.maximumChainLength,
            Set(links.map(\.device)).count == links.count
        else { return nil }
        self.user = user
        self.links = links
    }

    /// The account certifies a device.
    public init(accountKey: SigningSecretKey, device consent: DeviceConsent) {
        let user = UserID(accountKey.publicKey)
        let message = Self.message(
            user: user, issuer: user.bytes, device: consent.device, linkKey: consent.linkKey)
        let link = Link(consent: consent, signature: accountKey.signature(for: message, as: .certificate))
        self.user = user
        links = [link]
    }

    /// Reads a certificate as one field among others. Signatures are not checked yet: see `isValid`.
    public init(from reader: inout WireReader) throws(WireError) {
        try reader.readVersion()
        let user: UserID = try reader.readIdentifier()
        let count = try reader.readCount(maximum: Self.maximumChainLength)
        var links: [Link] = []
        for _ in 0..<count {
            let device: DeviceID = try reader.readIdentifier()
            let linkKey = try reader.readAgreementKey()
            let signature = try reader.readSignature()
            let consent = DeviceConsent(device: device, linkKey: linkKey, signature: try reader.readSignature())
            links.append(Link(consent: consent, signature: signature))
        }
        guard let certificate = Self(user: user, links: links) else {
            throw .invalidValue(field: "certificate links")
        }
        self = certificate
    }

    /// Reads a certificate that is all of `bytes`.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    public func write(to writer: inout WireWriter) {
        writer.write(ProtocolLimits.version)
        writer.write(user)
        writer.writeCount(links.count)
        for link in links {
            writer.write(link.device)
            writer.write(link.linkKey)
            writer.write(link.signature)
            writer.write(link.consent.signature)
        }
    }

    public func encoded() -> [UInt8] {
        var writer = WireWriter(reserving: 64 + links.count * 192)
        write(to: &writer)
        return writer.bytes
    }

    /// Whether every link is signed by the key before it and by its device. Two signature checks a link, 50 µs each.
    public func isValid() -> Bool {
        var issuer = user.bytes
        for link in links {
            let message = Self.message(user: user, issuer: issuer, device: link.device, linkKey: link.linkKey)
            guard DeviceID(bytes: issuer).hasSigned(message, as: .certificate, link.signature),
                link.consent.isValid(for: user)
            else { return false }
            issuer = link.device.bytes
        }
        return true
    }

    /// The name of the link that an issuer signed: the hash of what it signed. Nil if the issuer is not in the chain.
    func linkName(after issuer: DeviceID) -> Bytes32? {
        guard let index = links.firstIndex(where: { $0.device == issuer }), index + 1 < links.count else { return nil }
        let link = links[index + 1]
        return .hash(of: Self.message(user: user, issuer: issuer.bytes, device: link.device, linkKey: link.linkKey))
    }

    private static func message(
        user: UserID, issuer: Bytes32, device: DeviceID, linkKey: AgreementPublicKey
    ) -> [UInt8] {
        var writer = WireWriter(reserving: 130)
        writer.write(StatementKind.deviceCertificate.rawValue)
        writer.write(user)
        writer.write(issuer)
        writer.write(device)
        writer.write(linkKey)
        return writer.bytes
    }

    /// This certificate's device certifies another device of the same account. Nil if the chain is full or already has
    /// that device.
    func extended(by signingKey: SigningSecretKey, to consent: DeviceConsent) -> Self? {
        let message = Self.message(
            user: user, issuer: device.bytes, device: consent.device, linkKey: consent.linkKey)
        let link = Link(consent: consent, signature: signingKey.signature(for: message, as: .certificate))
        return Self(user: user, links: links + [link])
    }
}

/// A device's statement that it belongs to an account, with these keys.
///
/// Signed by the device over `streakmesh/v1/certificate` ‖ 0 ‖ 3 (u8) ‖ user ‖ device ‖ link key.
public struct DeviceConsent: Hashable, Sendable {
    public let device: DeviceID
    public let linkKey: AgreementPublicKey
    let signature: Signature

    public init(user: UserID, signingKey: SigningSecretKey, linkKey: AgreementPublicKey) {
        device = DeviceID(signingKey.publicKey)
        self.linkKey = linkKey
        signature = signingKey.signature(
            for: Self.message(user: user, device: device, linkKey: linkKey), as: .certificate)
    }

    init(device: DeviceID, linkKey: AgreementPublicKey, signature: Signature) {
        self.device = device
        self.linkKey = linkKey
        self.signature = signature
    }

    /// Whether the device signed for this account.
    public func isValid(for user: UserID) -> Bool {
        device.hasSigned(
            Self.message(user: user, device: device, linkKey: linkKey), as: .certificate, signature)
    }

    private static func message(user: UserID, device: DeviceID, linkKey: AgreementPublicKey) -> [UInt8] {
        var writer = WireWriter(reserving: 100)
        writer.write(StatementKind.deviceConsent.rawValue)
        writer.write(user)
        writer.write(device)
        writer.write(linkKey)
        return writer.bytes
    }
}

/// What a signature under `SigningContext.certificate` is about; the first byte of the message.
enum StatementKind: UInt8 {
    case deviceCertificate = 1
    case deviceRevocation = 2
    case deviceConsent = 3
}

/// This device: its certificate and the matching secret keys.
public struct DeviceIdentity: Sendable {
    public let certificate: DeviceCertificate
    public let signingKey: SigningSecretKey
    public let linkKey: AgreementSecretKey

    public var user: UserID { certificate.user }
    public var device: DeviceID { certificate.device }

    /// Combines the contents of a key file; nil if the keys do not match the certificate.
    public init?(certificate: DeviceCertificate, signingKey: SigningSecretKey, linkKey: AgreementSecretKey) {
        guard certificate.device == DeviceID(signingKey.publicKey), certificate.linkKey == linkKey.publicKey else {
            return nil
        }
        self.init(checked: certificate, signingKey, linkKey)
    }

    private init(
        checked certificate: DeviceCertificate, _ signingKey: SigningSecretKey, _ linkKey: AgreementSecretKey
    ) {
        self.certificate = certificate
        self.signingKey = signingKey
        self.linkKey = linkKey
    }

    /// A new device of the account.
    public static func create(
        accountKey: SigningSecretKey, from entropy: inout some EntropySource
    ) -> DeviceIdentity {
        let signingKey = SigningSecretKey.generate(from: &entropy)
        let linkKey = AgreementSecretKey.generate(from: &entropy)
        let consent = DeviceConsent(
            user: UserID(accountKey.publicKey), signingKey: signingKey, linkKey: linkKey.publicKey)
        let certificate = DeviceCertificate(accountKey: accountKey, device: consent)
        return DeviceIdentity(checked: certificate, signingKey, linkKey)
    }

    /// This device's statement that it belongs to `user`.
    public func consent(to user: UserID) -> DeviceConsent {
        DeviceConsent(user: user, signingKey: signingKey, linkKey: linkKey.publicKey)
    }

    /// Certifies another device of the same account, which made its own keys and consented. Nil if the chain of
    /// certificates is full: then another device or the account key must sign.
    public func certificate(for consent: DeviceConsent) -> DeviceCertificate? {
        certificate.extended(by: signingKey, to: consent)
    }
}
