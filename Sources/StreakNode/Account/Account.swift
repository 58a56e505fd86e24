import StreakCrypto
import StreakMembership
import StreakStorage
import StreakWire

/// The secrets of an account on this machine, in files of the data folder.
enum Account {
    private static let deviceSecret = "device"
    private static let accountSecret = "account"
    private static let maximumSize = 8_192

    /// Makes an account's key. It stays here until the recovery key is written down.
    static func create(in folder: DataFolder, entropy: inout some EntropySource) throws -> SigningSecretKey {
        let accountKey = SigningSecretKey.generate(from: &entropy)
        try folder.writeSecret(accountKey.seedBytes(), named: accountSecret)
        return accountKey
    }

    /// Makes a device of an account.
    static func createDevice(
        of accountKey: SigningSecretKey, in folder: DataFolder, entropy: inout some EntropySource
    ) throws -> DeviceIdentity {
        let identity = DeviceIdentity.create(accountKey: accountKey, from: &entropy)
        try write(identity, to: folder)
        return identity
    }

    static func write(_ identity: DeviceIdentity, to folder: DataFolder) throws {
        var writer = WireWriter()
        writer.write(ProtocolLimits.version)
        writer.writeRaw(identity.signingKey.seedBytes())
        writer.writeRaw(identity.linkKey.rawBytes())
        identity.certificate.write(to: &writer)
        try folder.writeSecret(writer.bytes, named: deviceSecret)
    }

    /// The device of this folder.
    ///
    /// - Throws: `NodeFailure.noAccount` if there is none, `.earlierData` of version 0.1, `.accountDamaged` if it cannot be read.
    static func identity(in folder: DataFolder) throws -> DeviceIdentity {
        guard let bytes = try folder.readSecret(named: deviceSecret, maximumSize: maximumSize) else {
            throw NodeFailure.noAccount
        }
        return try identity(decoding: bytes)
    }

    private static func identity(decoding bytes: [UInt8]) throws -> DeviceIdentity {
        do {
            var reader = WireReader(bytes)
            let version = try reader.readUInt8()
            guard version == ProtocolLimits.version else { throw WireError.unsupportedVersion(version) }
            let signingKey = try SigningSecretKey(seed: try reader.readRaw(32))
            let linkKey = try AgreementSecretKey(rawBytes: try reader.readRaw(32))
            let certificate = try DeviceCertificate(from: &reader)
            let identity = DeviceIdentity(certificate: certificate, signingKey: signingKey, linkKey: linkKey)
            guard let identity else { throw NodeFailure.accountDamaged }
            return identity
        } catch {
            throw isOfFirstVersion(bytes) ? NodeFailure.earlierData : .accountDamaged
        }
    }

    /// Whether this is as long as version 0.1 wrote it, whose certificates held no consents: 99 bytes, and 128 for each link.
    private static func isOfFirstVersion(_ bytes: [UInt8]) -> Bool {
        bytes.first == ProtocolLimits.version && (1...8).contains { bytes.count == 99 + 128 * $0 }
    }

    // MARK: The account's secret

    static func hasSecret(in folder: DataFolder) -> Bool { folder.hasSecret(named: accountSecret) }

    /// The account's key, while it is on this machine.
    static func secret(in folder: DataFolder, of user: UserID) throws -> SigningSecretKey? {
        guard let bytes = try folder.readSecret(named: accountSecret, maximumSize: maximumSize) else { return nil }
        // Thirty-two bytes are all a seed needs.
        guard let key = try? SigningSecretKey(seed: bytes), UserID(key.publicKey) == user else {
            throw NodeFailure.accountDamaged
        }
        return key
    }

    /// Overwrites and removes the account's key. It is off the disk when this returns.
    static func forgetSecret(in folder: DataFolder) throws { try folder.eraseSecret(named: accountSecret) }

    // MARK: Copies

    /// The secrets that a backup contains.
    static func secrets(in folder: DataFolder) throws -> [BackupContent.Secret] {
        try [deviceSecret, accountSecret].compactMap { name in
            try folder.readSecret(named: name, maximumSize: maximumSize).map { .init(name: name, bytes: $0) }
        }
    }

    /// Checks the secrets of a backup, and puts them into a folder without an account.
    static func restore(_ secrets: [BackupContent.Secret], to folder: DataFolder) throws {
        let known = secrets.filter { [deviceSecret, accountSecret].contains($0.name) }
        guard let device = known.first(where: { $0.name == deviceSecret }) else { throw NodeFailure.accountDamaged }
        _ = try identity(decoding: device.bytes)
        for secret in known { try folder.writeSecret(secret.bytes, named: secret.name) }
    }
}
