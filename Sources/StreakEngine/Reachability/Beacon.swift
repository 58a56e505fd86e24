package import StreakCrypto
import StreakWire

/// How nodes of one group find each other on a local network without naming anyone. To anybody without the key, a beacon
/// looks like 488 random bytes (Protocol/discovery.md).
///
/// Layout: nonce 16 · eight slots of 59: tag 8 · ChaCha20-Poly1305 of (kind u8 · port u16 · link key 32). A slot's tag
/// and key are derived from the hour's key and the nonce; unused slots are random, and slots stand in random order.
package enum Beacon {
    /// Fixed, so that the number of groups does not show.
    static let slotCount = 8
    package static let size = nonceSize + slotCount * slotSize
    private static let nonceSize = 16
    private static let tagSize = 8
    private static let contentSize = 35
    private static let slotSize = tagSize + contentSize + ChaChaPoly.overhead
    /// How many hours a clock may be wrong, either way.
    static let toleratedHours: Int64 = 36

    package enum Kind: UInt8, Sendable {
        /// I am here: dial me, or answer.
        case query = 0
        /// You asked under an invite: dial me.
        case answer = 1
    }

    /// What a slot says.
    package struct Content: Equatable, Sendable {
        package let kind: Kind
        package let port: UInt16
        package let linkKey: AgreementPublicKey

        package init(kind: Kind, port: UInt16, linkKey: AgreementPublicKey) {
            self.kind = kind
            self.port = port
            self.linkKey = linkKey
        }
    }

    /// The key that is good for one hour, from a beacon key.
    package static func hourKey(_ beaconKey: SymmetricKey, hour: Int64) -> [UInt8] {
        var writer = WireWriter(reserving: 48)
        writer.writeRaw(Array("streakmesh/v1/beacon-hour".utf8))
        writer.write(UInt64(bitPattern: hour))
        return Blake2b.keyedHash(writer.bytes, key: beaconKey)
    }

    static func hour(of wall: WallTime) -> Int64 { wall.seconds / 3_600 }

    /// A beacon with one slot for each of at most eight hour keys.
    package static func make(
        _ slots: [(hourKey: [UInt8], content: Content)], entropy: inout some EntropySource
    ) -> [UInt8] {
        let nonce = entropy.bytes(nonceSize)
        var pieces = slots.prefix(slotCount).map { seal($0.content, hourKey: $0.hourKey, nonce: nonce) }
        while pieces.count < slotCount { pieces.append(entropy.bytes(slotSize)) }
        let order = entropy.bytes(slotCount)
        let shuffled = zip(order, pieces.indices).sorted { ($0.0, $0.1) < ($1.0, $1.1) }.map { pieces[$0.1] }
        return nonce + shuffled.flatMap { $0 }
    }

    /// Finds the slot that was made with one of the hour keys and opens it.
    package static func open(_ bytes: [UInt8], hourKeys: some Sequence<[UInt8]>) -> (index: Int, content: Content)? {
        guard bytes.count == size else { return nil }
        let nonce = Array(bytes.prefix(nonceSize))
        let slots = (0..<slotCount).map { index in
            Array(bytes[(nonceSize + index * slotSize)..<(nonceSize + (index + 1) * slotSize)])
        }
        for (index, key) in hourKeys.enumerated() {
            let expected = tag(hourKey: key, nonce: nonce)
            for slot in slots where ConstantTime.isEqual(Array(slot.prefix(tagSize)), expected) {
                if let content = unseal(slot, hourKey: key, nonce: nonce) { return (index, content) }
            }
        }
        return nil
    }

    private static func tag(hourKey: [UInt8], nonce: [UInt8]) -> [UInt8] {
        Array(Blake2b.keyedHash(nonce + [0], key: hourKey).prefix(tagSize))
    }

    private static func sealingKey(hourKey: [UInt8], nonce: [UInt8]) -> SymmetricKey? {
        try? SymmetricKey(momentary: Blake2b.keyedHash(nonce + [1], key: hourKey))  // 32 bytes: never fails
    }

    private static func seal(_ content: Content, hourKey: [UInt8], nonce: [UInt8]) -> [UInt8] {
        guard let key = sealingKey(hourKey: hourKey, nonce: nonce) else { return [] }
        var writer = WireWriter(reserving: contentSize)
        writer.write(content.kind.rawValue)
        writer.write(content.port)
        writer.writeRaw(content.linkKey.rawBytes)
        return tag(hourKey: hourKey, nonce: nonce) + ChaChaPoly.seal(writer.bytes, key: key, nonce: 0)
    }

    private static func unseal(_ slot: [UInt8], hourKey: [UInt8], nonce: [UInt8]) -> Content? {
        guard let key = sealingKey(hourKey: hourKey, nonce: nonce),
            let plain = try? ChaChaPoly.open(Array(slot.dropFirst(tagSize)), key: key, nonce: 0)  // nil: not ours
        else { return nil }
        var reader = WireReader(plain)
        guard let kind = (try? reader.readUInt8()).flatMap(Kind.init), let port = try? reader.readUInt16(),
            let raw = try? reader.readRaw(32), let linkKey = try? AgreementPublicKey(rawBytes: raw)
        else { return nil }  // sealed by a member of a later version
        return Content(kind: kind, port: port, linkKey: linkKey)
    }
}
