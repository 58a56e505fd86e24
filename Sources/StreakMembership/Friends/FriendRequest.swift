import StreakCrypto
public import StreakWire

/// Asks the owner of a friend code for friendship. It is signed, so it is valid whichever way it came.
///
/// | field | type | limit |
/// |---|---|---|
/// | version | u8 | 1 |
/// | asker's certificate | see `DeviceCertificate` | |
/// | asker's name | varint, UTF-8 | 1–160 bytes |
/// | code asked for | varint, UTF-8 | 14 bytes, as shown |
/// | when the user asked, seconds since 1970 | varint | |
/// | signature by the asker's device, over `streakmesh/v1/friendRequest` ‖ 0 ‖ all bytes before | 64 bytes | |
public struct FriendRequest: Hashable, Sendable {
    public static let maximumNameSize = 160
    public static let maximumSize = 2_048

    public let certificate: DeviceCertificate
    public let name: String
    public let code: FriendCode
    /// Seconds since 1970, by the asker's clock. Distinguishes a new request of a user from a repeated one.
    public let askedAt: Int64
    public let bytes: [UInt8]

    /// The name is cut to 160 bytes of whole characters.
    public init(name: String, code: FriendCode, askedAt: Int64, identity: DeviceIdentity) {
        certificate = identity.certificate
        let cut = name.prefix(fitting: Self.maximumNameSize)
        self.name = cut.isEmpty ? "?" : cut
        self.code = code
        self.askedAt = max(0, askedAt)
        var writer = WireWriter(reserving: 512)
        writer.write(ProtocolLimits.version)
        certificate.write(to: &writer)
        writer.writeText(self.name)
        writer.writeText(code.description)
        writer.writeVarint(UInt64(self.askedAt))
        writer.write(identity.signingKey.signature(for: writer.bytes, as: .friendRequest))
        bytes = writer.bytes
    }

    /// Reads a request and checks its certificate and signature.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        guard bytes.count <= Self.maximumSize else {
            throw .limitExceeded(limit: Self.maximumSize, actual: UInt64(bytes.count))
        }
        var reader = WireReader(bytes)
        try reader.readVersion()
        certificate = try DeviceCertificate(from: &reader)
        name = try reader.readText(maximum: Self.maximumNameSize)
        let text = try reader.readText(maximum: 14)
        // A request has only one encoding, so only the canonical spelling is valid.
        guard !name.isEmpty, let code = FriendCode(text), code.description == text else {
            throw .invalidValue(field: "friend request")
        }
        self.code = code
        askedAt = Int64(try reader.readVarint(maximum: UInt64(Int64.max)))
        let signature = try reader.readSignature()
        try reader.finish()
        self.bytes = bytes
        let signed = Array(bytes.dropLast(Signature.byteCount))
        guard certificate.isValid(), certificate.device.hasSigned(signed, as: .friendRequest, signature) else {
            throw .invalidValue(field: "signature")
        }
    }
}

/// The owner's answer to a friend request.
public enum FriendAnswer: Hashable, Sendable {
    /// The owner has not decided, or has blocked the asker, who must not learn of it.
    case pending
    case declined
    /// The link of an invite into a group of two, for the asker alone.
    case accepted(link: String)

    public static let maximumLinkSize = 2_048

    public func write(to writer: inout WireWriter) {
        switch self {
        case .pending: writer.write(UInt8(1))
        case .declined: writer.write(UInt8(2))
        case .accepted(let link):
            writer.write(UInt8(3))
            writer.writeText(link)
        }
    }

    public init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readUInt8() {
        case 1: self = .pending
        case 2: self = .declined
        case 3: self = .accepted(link: try reader.readText(maximum: Self.maximumLinkSize))
        case let kind: throw .unknownKind(kind)
        }
    }
}

extension String {
    /// As many whole characters as fit in `size` bytes of UTF-8.
    fileprivate func prefix(fitting size: Int) -> String {
        var result = ""
        var used = 0
        for character in self {
            used += character.utf8.count
            guard used <= size else { break }
            result.append(character)
        }
        return result
    }
}
