import StreakCrypto
import StreakMembership
import StreakStorage
import StreakWire

/// The secrets of an account on this machine, as files of the data folder.
enum Account {
    private static let deviceSecret = "device"
    private static let accountSecret = "account"

    /// Makes an account with its first device. The account's secret stays until its recovery key is written down.
    static func create(in folder: DataFolder, entropy: inout some EntropySource) throws -> DeviceIdentity {
        let accountKey = SigningSecretKey.generate(from: &entropy)
        let identity = DeviceIdentity.create(accountKey: accountKey, from: &entropy)
        try folder.writeSecret(accountKey.seedBytes(), named: accountSecret)
        var writer = WireWriter()
        writer.write(ProtocolLimits.version)
        writer.writeRaw(identity.signingKey.seedBytes())
        writer.writeRaw(identity.linkKey.rawBytes())
        identity.certificate.write(to: &writer)
        try folder.writeSecret(writer.bytes, named: deviceSecret)
        return identity
    }

    /// The device of this folder.
    ///
    /// - Throws: `NodeFailure.noAccount` where there is none, `.accountDamaged` where it cannot be read.
    static func identity(in folder: DataFolder) throws -> DeviceIdentity {
        guard let bytes = try folder.readSecret(named: deviceSecret, maximumSize: 8_192) else {
            throw NodeFailure.noAccount
        }
        do {
            guard let identity = try identity(decoding: bytes) else { throw NodeFailure.accountDamaged }
            return identity
        } catch {
            throw NodeFailure.accountDamaged
        }
    }

    private static func identity(decoding bytes: [UInt8]) throws -> DeviceIdentity? {
        var reader = WireReader(bytes)
        let version = try reader.readUInt8()
        guard version == ProtocolLimits.version else { throw WireError.unsupportedVersion(version) }
        let signingKey = try SigningSecretKey(seed: try reader.readRaw(32))
        let linkKey = try AgreementSecretKey(rawBytes: try reader.readRaw(32))
        let certificate = try DeviceCertificate(from: &reader)
        return DeviceIdentity(certificate: certificate, signingKey: signingKey, linkKey: linkKey)
    }
}
