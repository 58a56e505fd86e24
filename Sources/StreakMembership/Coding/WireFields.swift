public import StreakCrypto
public import StreakWire

/// Keys and signatures as fields of the fixed codec.
extension WireWriter {
    mutating func write(_ signature: Signature) {
        writeRaw(signature.rawBytes)
    }

    mutating func write(_ key: AgreementPublicKey) {
        writeRaw(key.rawBytes)
    }

    mutating func write(_ key: SigningPublicKey) {
        writeRaw(key.rawBytes)
    }
}

extension WireReader {
    mutating func readSignature() throws(WireError) -> Signature {
        let raw = try readRaw(Signature.byteCount)
        do { return try Signature(rawBytes: raw) } catch { throw .invalidValue(field: "signature") }
    }

    mutating func readAgreementKey() throws(WireError) -> AgreementPublicKey {
        let raw = try readRaw(AgreementPublicKey.byteCount)
        do { return try AgreementPublicKey(rawBytes: raw) } catch { throw .invalidValue(field: "link key") }
    }

    mutating func readSigningKey() throws(WireError) -> SigningPublicKey {
        let raw = try readRaw(SigningPublicKey.byteCount)
        do { return try SigningPublicKey(rawBytes: raw) } catch { throw .invalidValue(field: "signing key") }
    }

    /// Reads the leading version and requires this implementation's.
    mutating func readVersion() throws(WireError) {
        let version = try readUInt8()
        guard version == ProtocolLimits.version else { throw .unsupportedVersion(version) }
    }
}

extension Identifier32 {
    /// The ID made from a signing key's 32 bytes.
    public init(_ key: SigningPublicKey) {
        let raw = key.rawBytes
        precondition(raw.count == SigningPublicKey.byteCount, "a signing key has 32 bytes")
        func word(_ start: Int) -> UInt64 {
            raw[start..<(start + 8)].reduce(0) { $0 << 8 | UInt64($1) }
        }
        self.init(bytes: Bytes32(word(0), word(8), word(16), word(24)))
    }

    /// Whether the key behind this ID made `signature` for `message` under `context`.
    func hasSigned(_ message: [UInt8], as context: SigningContext, _ signature: Signature) -> Bool {
        // Any thirty-two bytes form a key. The check below shows whether it is usable.
        guard let key = try? SigningPublicKey(rawBytes: bytes.array) else { return false }
        return key.isValid(signature, for: context.prefix + message)
    }
}

extension SigningSecretKey {
    func signature(for message: [UInt8], as context: SigningContext) -> Signature {
        signature(for: context.prefix + message)
    }
}

extension Bytes32 {
    /// BLAKE2b-256.
    static func hash(of message: [UInt8]) -> Bytes32 {
        Bytes32(digest: Blake2b.hash(message))
    }

    /// The bytes of a digest that was requested with 32 bytes.
    init(digest: [UInt8]) {
        guard let bytes = Bytes32(digest) else { preconditionFailure("a digest of another size than asked for") }
        self = bytes
    }
}
