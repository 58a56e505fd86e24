import StreakCrypto
public import StreakWire

/// What a friend pastes or scans in order to join: signed by the inviter, so that nothing in it can be altered unseen.
///
/// `streakmesh://join/` and the base32 (RFC 4648, no padding; either case is read) of:
///
/// | offset | field | type | limit |
/// |---|---|---|---|
/// | 0 | version | u8 | 1 |
/// | 1 | seed | 16 bytes | |
/// | 17 | group (founding hash) | 32 bytes | |
/// | 49 | expiry, seconds since 1970 | u32 | |
/// | 53 | title length, title | varint, UTF-8 | 1–40 bytes |
/// | | number of address sets | varint | ≤ 4 |
/// | | sets: number of endpoints, endpoints | varint, see below | ≤ 4 each |
/// | | inviter's device key | 32 bytes | |
/// | −68 | signature by that key, over `streakmesh/v1/invite` ‖ 0 ‖ all bytes before | 64 bytes | |
/// | −4 | checksum: the first bytes of BLAKE2b-256 of all bytes before | 4 bytes | in every version |
///
/// A device link has the same layout behind `streakmesh://device/`, except for the inviter's account (32 bytes) before the
/// inviter's device key; its signature has the context `streakmesh/v1/deviceLink`. Neither can be turned into the other.
///
/// An endpoint is 4 (u8), IPv4 address (4 bytes), port (u16), or 6 (u8), IPv6 address (16 bytes), port (u16).
public struct InviteLink: Sendable, Equatable {
    /// What a link's holder may become.
    public enum Purpose: String, Sendable, CaseIterable {
        /// A member of the group.
        case join
        /// One more device of the inviter's account. The group is the account's private one.
        case device

        var prefix: String { "\(scheme)://\(rawValue)/" }

        var context: SigningContext {
            switch self {
            case .join: .invite
            case .device: .deviceLink
            }
        }
    }

    public static let scheme = "streakmesh"
    static let maximumTitleSize = 40
    static let maximumAddressSets = 4
    public static let maximumEndpoints = 4
    static let checksumSize = 4

    public let purpose: Purpose
    public let seed: Bytes16
    public let group: GroupID
    /// Seconds since 1970.
    public let expiresAt: Int64
    /// Cut to 40 bytes of whole characters.
    public let title: String
    /// One set of endpoints for each member, the inviter's first.
    public let addresses: [[Endpoint]]
    /// The account whose device the holder may become; nil for other links.
    public let user: UserID?
    public let inviter: DeviceID

    private let bytes: [UInt8]

    /// Makes a link. Title, sets and endpoints beyond the limits are cut off; an expiry outside 0…2³²−1 is clamped.
    public init(
        seed: Bytes16, group: GroupID, expiresAt: Int64, title: String, addresses: [[Endpoint]],
        identity: DeviceIdentity, purpose: Purpose = .join
    ) {
        self.purpose = purpose
        self.seed = seed
        self.group = group
        let expiry = UInt32(clamping: expiresAt)
        self.expiresAt = Int64(expiry)
        let cutTitle = Self.cut(title)
        self.title = cutTitle.isEmpty ? "?" : cutTitle
        self.addresses = addresses.prefix(Self.maximumAddressSets).map { set in
            // A scope is meaningful on one machine only.
            set.prefix(Self.maximumEndpoints).map { Endpoint(address: $0.address, port: $0.port) }
        }
        user = purpose == .device ? identity.user : nil
        inviter = identity.device
        var writer = WireWriter(reserving: 384)
        writer.write(ProtocolLimits.version)
        writer.write(seed)
        writer.write(group)
        writer.write(expiry)
        writer.writeText(self.title)
        writer.writeCount(self.addresses.count)
        for set in self.addresses {
            writer.writeCount(set.count)
            for endpoint in set { writer.writeCompact(endpoint) }
        }
        if let user { writer.write(user) }
        writer.write(inviter)
        writer.write(identity.signingKey.signature(for: writer.bytes, as: purpose.context))
        writer.writeRaw(Self.checksum(writer.bytes))
        bytes = writer.bytes
    }

    /// Reads a link as pasted: alone, broken into lines by a mail program, or inside a message
    /// (`InviteLink+Text.swift`). Throws `notALink` for a link of another purpose.
    public init(parsing text: String, purpose: Purpose = .join) throws(InviteLinkError) {
        let candidate = try Self.candidate(in: text)
        guard candidate.purpose == purpose else { throw .notALink }
        guard let bytes = candidate.bytes else { throw .damaged }
        let payload = Array(bytes.dropLast(Self.checksumSize))
        guard payload[0] == ProtocolLimits.version else { throw .unsupportedVersion(payload[0]) }
        do { try self.init(payload: payload, bytes: bytes, purpose: purpose) } catch { throw .malformed(error) }
        guard hasValidSignature(payload) else { throw .tampered }
    }

    private init(payload: [UInt8], bytes: [UInt8], purpose: Purpose) throws(WireError) {
        self.purpose = purpose
        var reader = WireReader(payload)
        try reader.readVersion()
        seed = try reader.readBytes16()
        group = try reader.readIdentifier()
        expiresAt = Int64(try reader.readUInt32())
        title = try reader.readText(maximum: Self.maximumTitleSize)
        guard !title.isEmpty else { throw .invalidValue(field: "title") }
        var sets: [[Endpoint]] = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumAddressSets)) {
            var set: [Endpoint] = []
            for _ in 0..<(try reader.readCount(maximum: Self.maximumEndpoints)) {
                set.append(try reader.readCompactEndpoint())
            }
            sets.append(set)
        }
        addresses = sets
        user = purpose == .device ? try reader.readIdentifier() : nil
        inviter = try reader.readIdentifier()
        _ = try reader.readSignature()
        try reader.finish()
        self.bytes = bytes
    }

    private func hasValidSignature(_ payload: [UInt8]) -> Bool {
        guard let signature = try? Signature(rawBytes: payload.suffix(Signature.byteCount)) else {
            // Unreachable: the payload was read to its end, which is 64 bytes of signature.
            return false
        }
        return inviter.hasSigned(Array(payload.dropLast(Signature.byteCount)), as: purpose.context, signature)
    }

    /// For a message or a page: `streakmesh://join/…` or `streakmesh://device/…`.
    public var text: String { purpose.prefix + Base32.text(bytes) }

    /// The same in upper case. A QR code holds it in alphanumeric mode, a third smaller.
    public var alphanumericText: String { text.uppercased() }

    /// The keys derived from the seed.
    public var secrets: InviteSecrets { InviteSecrets(seed: seed) }

    /// Whether the link has expired. The admitter's clock decides in the end.
    ///
    /// - Parameter time: seconds since 1970.
    public func isExpired(at time: Int64) -> Bool { time >= expiresAt }

    /// As many whole characters as fit in 40 bytes.
    private static func cut(_ title: String) -> String {
        var result = ""
        var size = 0
        for character in title {
            size += character.utf8.count
            guard size <= maximumTitleSize else { break }
            result.append(character)
        }
        return result
    }
}

/// Why a text is not a usable invite link. The user gets a different sentence for each.
public enum InviteLinkError: Error, Equatable, Sendable {
    /// The text contains no `streakmesh://join/` (or `device/`, where that is expected) followed by anything, or is far
    /// too long.
    case notALink
    /// The text contains two different links. The user has to say which one is meant.
    case severalLinks
    /// The checksum is wrong: characters are missing or mistyped.
    case damaged
    /// A later version of StreakMesh made the link.
    case unsupportedVersion(UInt8)
    /// The checksum is right but the layout is wrong: StreakMesh did not make this link.
    case malformed(WireError)
    /// The signature is wrong: somebody changed the link on its way.
    case tampered
}

extension WireWriter {
    fileprivate mutating func writeCompact(_ endpoint: Endpoint) {
        if let ipv4 = endpoint.ipv4 {
            write(UInt8(4))
            write(ipv4)
        } else {
            write(UInt8(6))
            write(endpoint.address)
        }
        write(endpoint.port)
    }
}

extension WireReader {
    fileprivate mutating func readCompactEndpoint() throws(WireError) -> Endpoint {
        switch try readUInt8() {
        case 4:
            return Endpoint(ipv4: try readUInt32(), port: try readUInt16())
        case 6:
            let endpoint = Endpoint(address: try readBytes16(), port: try readUInt16())
            guard endpoint.ipv4 == nil else { throw .invalidValue(field: "endpoint") }
            return endpoint
        case let family:
            throw .unknownKind(family)
        }
    }
}
