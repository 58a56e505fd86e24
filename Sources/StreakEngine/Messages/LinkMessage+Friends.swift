import StreakMembership
package import StreakWire

/// Why a machine with a device link is not certified. The raw values are the protocol's.
public enum DeviceRefusal: UInt8, Error, Sendable, CaseIterable {
    /// The link is not of the answering account's private group, or its invite is not known there (yet).
    case unknownLink = 1
    /// Another machine was linked with it, or the user ended it.
    case used = 2
    case expired = 3
    /// The account has the maximum number of devices.
    case tooManyDevices = 4
    case invalidProof = 5
    case other = 255
}

/// Messages for linking devices and making friends (Protocol/friends.md).
package enum FriendMessage: Equatable, Sendable {
    /// A machine without an account asks to become a device: `DeviceProof`.
    case deviceRequested(proof: [UInt8])
    /// It has become one. A welcome and the ledger follow for each of the groups. The first is the private group.
    case deviceCertified(certificate: [UInt8], groups: [GroupID])
    case deviceRefused(DeviceRefusal)
    /// A request to the owner of a code, over a link opened under that code, or over a link to a member of a common
    /// group: `FriendRequest`.
    case friendRequested([UInt8])
    /// The owner's answer.
    case friendAnswered([UInt8])

    /// The second byte of the message, from the same numbers as `LinkMessage.Kind`.
    enum Kind: UInt8, CaseIterable {
        case deviceRequested = 16
        case deviceCertified = 17
        case deviceRefused = 18
        case friendRequested = 19
        case friendAnswered = 20
    }

    static let maximumGroups = 512
    static let maximumAnswerSize = 4_096

    var kind: Kind {
        switch self {
        case .deviceRequested: .deviceRequested
        case .deviceCertified: .deviceCertified
        case .deviceRefused: .deviceRefused
        case .friendRequested: .friendRequested
        case .friendAnswered: .friendAnswered
        }
    }

    func encode(into writer: inout WireWriter) {
        switch self {
        case .deviceRequested(let bytes), .friendRequested(let bytes), .friendAnswered(let bytes):
            writer.writeBlob(bytes)
        case .deviceCertified(let certificate, let groups):
            writer.writeBlob(certificate)
            writer.writeCount(groups.count)
            for group in groups { writer.write(group) }
        case .deviceRefused(let reason):
            writer.write(reason.rawValue)
        }
    }

    init(_ kind: Kind, from reader: inout WireReader) throws(WireError) {
        switch kind {
        case .deviceRequested: self = .deviceRequested(proof: try reader.readBlob(maximum: 512))
        case .deviceCertified:
            let certificate = try reader.readBlob(maximum: 4_096)
            var groups: [GroupID] = []
            for _ in 0..<(try reader.readCount(maximum: Self.maximumGroups)) {
                groups.append(try reader.readIdentifier())
            }
            self = .deviceCertified(certificate: certificate, groups: groups)
        case .deviceRefused: self = .deviceRefused(DeviceRefusal(rawValue: try reader.readUInt8()) ?? .other)
        case .friendRequested: self = .friendRequested(try reader.readBlob(maximum: FriendRequest.maximumSize))
        case .friendAnswered: self = .friendAnswered(try reader.readBlob(maximum: Self.maximumAnswerSize))
        }
    }
}
