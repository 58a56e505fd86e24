public import StreakCrypto
public import StreakWire

/// What a device leaves sealed in the BitTorrent Mainline DHT, as a mutable item of BEP 44 (Protocol/reachability.md §5).
///
/// Who holds the key that it is named and sealed under finds and reads it; anybody else sees random bytes at a place that nobody can
/// foretell.
public struct Notice: Hashable, Sendable {
    /// What a notice holds. It says who wrote what only by the signatures inside: who holds the key could have put it there.
    public struct Content: Hashable, Sendable {
        public var whereabouts: Whereabouts?
        /// The device's newest records, as an encoded run; empty where it leaves none.
        public var letter: [UInt8]

        public init(whereabouts: Whereabouts?, letter: [UInt8] = []) {
            (self.whereabouts, self.letter) = (whereabouts, letter)
        }
    }

    /// The Ed25519 key under which it lies.
    public let key: Bytes32
    /// BEP 44's `seq`: Unix seconds, rising.
    public let sequence: Int64
    /// Nonce 24, and 972 sealed bytes.
    public let value: [UInt8]
    public let signature: [UInt8]

    /// The bytes of every value: as many as a byte string of BEP 44 may have, whose 1,000 include its length.
    public static let valueSize = 996
    static let plainSize = valueSize - XChaChaPoly.nonceCount - XChaChaPoly.overhead
    /// The most bytes of a letter, beside the largest whereabouts.
    public static let maximumLetterSize = plainSize - Whereabouts.maximumSize - 4
}

/// What notices are named and sealed under: a group's access key, or the pre-shared key of an invite.
public struct RendezvousKey: Sendable {
    private let key: SymmetricKey

    /// That of a group's members.
    public init(of accessKey: AccessKey) { self.init(deriving: accessKey.key) }

    /// That of an inviter and of who holds the link.
    public init(ofInvite presharedKey: SymmetricKey) { self.init(deriving: presharedKey) }

    private init(deriving secret: SymmetricKey) {
        key = Blake2b.derive(context: "streakmesh/v1/rendezvous-key", from: secret)
    }

    /// Where a device's notice of a day lies. A newcomer, whose device nobody knows, goes by 32 zero bytes.
    ///
    /// - Parameter day: Whole days since 1970.
    public func place(of device: DeviceID, day: Int64) -> NoticePlace {
        var writer = WireWriter(reserving: 40)
        writer.write(device)
        writer.write(UInt64(bitPattern: day))
        let bytes = writer.bytes
        let seed = Blake2b.keyedHash(Array("streakmesh/v1/notice".utf8) + bytes, key: key)
        let seal = Blake2b.keyedHash(Array("streakmesh/v1/notice-seal".utf8) + bytes, key: key)
        return NoticePlace(seed: seed, seal: seal)
    }
}

/// The keys of one notice.
public struct NoticePlace: Sendable {
    private let signingKey: SigningSecretKey
    private let sealingKey: SymmetricKey
    /// The Ed25519 key under which it lies.
    public let key: Bytes32

    fileprivate init(seed: [UInt8], seal: [UInt8]) {
        // Both are digests of 32 bytes.
        guard let signing = try? SigningSecretKey(seed: seed), let sealing = try? SymmetricKey(momentary: seal) else {
            preconditionFailure("a digest of 32 bytes is a seed and a key")
        }
        (signingKey, sealingKey) = (signing, sealing)
        key = Bytes32(digest: signing.publicKey.rawBytes)
    }

    /// Seals what a device leaves, padded so that all notices have one size, and signs it as BEP 44 says.
    ///
    /// - Precondition: the letter has `Notice.maximumLetterSize` bytes at most.
    public func notice(
        of content: Notice.Content, sequence: Int64, entropy: inout some EntropySource
    ) -> Notice {
        precondition(content.letter.count <= Notice.maximumLetterSize, "a letter fits its notice")
        var writer = WireWriter(reserving: Notice.plainSize)
        for part in [content.whereabouts?.bytes ?? [], content.letter] {
            writer.write(UInt16(part.count))
            writer.writeRaw(part)
        }
        let plain = writer.bytes + [UInt8](repeating: 0, count: Notice.plainSize - writer.bytes.count)
        return notice(sealing: plain, sequence: sequence, entropy: &entropy)
    }

    /// The same of any plaintext, as only a liar makes it.
    package func notice(sealing plain: [UInt8], sequence: Int64, entropy: inout some EntropySource) -> Notice {
        let nonce = entropy.bytes(XChaChaPoly.nonceCount)
        let value = nonce + XChaChaPoly.seal(plain, key: sealingKey, nonce: nonce)
        let signed = Array("3:seqi\(sequence)e1:v\(value.count):".utf8) + value
        return Notice(key: key, sequence: sequence, value: value, signature: signingKey.signature(for: signed).rawBytes)
    }

    /// What somebody put there; nil for what nobody with the key has sealed, and what does not read. Who wrote it is for the
    /// caller to see.
    public func open(_ value: [UInt8]) -> Notice.Content? {
        guard value.count == Notice.valueSize,
            // Most likely somebody else's, or a liar's.
            let plain = try? XChaChaPoly.open(
                Array(value.dropFirst(XChaChaPoly.nonceCount)), key: sealingKey,
                nonce: Array(value.prefix(XChaChaPoly.nonceCount)))
        else { return nil }
        var reader = WireReader(plain)
        // As above, sealed by a liar among the members.
        return try? Notice.Content(from: &reader)
    }
}

extension Notice.Content {
    fileprivate init(from reader: inout WireReader) throws {
        let first = try reader.readRaw(Int(try reader.readUInt16()))
        whereabouts = first.isEmpty ? nil : try Whereabouts(decoding: first)
        letter = try reader.readRaw(Int(try reader.readUInt16()))
        guard letter.count <= Notice.maximumLetterSize,
            try reader.readRaw(reader.remainingCount).allSatisfy({ $0 == 0 })
        else { throw WireError.invalidValue(field: "notice") }
    }
}
