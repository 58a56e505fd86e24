/// Sizes that the protocol fixes (Protocol/README.md §3). Changing one needs a new protocol version.
public enum ProtocolLimits {
    /// The version this implementation speaks; the first byte of every message and signed object.
    public static let version: UInt8 = 1
    /// A datagram, in bytes: fits every path of at least 1,280 bytes MTU (RFC 8200 §5) with its headers.
    public static let maximumDatagramSize = 1_200
    /// The records of one run, in bytes as encoded: 58 KiB, so that a run with its head fits one message of 60,000 bytes.
    public static let maximumRunSize = 59_392
    /// One record, in bytes. A comment of 1,000 bytes with its framing fits.
    public static let maximumRecordSize = 1_536
    /// A record larger than this is announced by tip and fetched, not pushed in a datagram; in bytes.
    public static let maximumRumourRecordSize = 1_000
    /// Records in one feed.
    public static let maximumFeedLength: UInt64 = 1 << 20
    /// Epochs of one device in one group.
    public static let maximumEpochs = 256
    /// One signed ledger operation, in bytes.
    public static let maximumOperationSize = 8_192
    /// Ledger operations of one device in one group.
    public static let maximumOperationsPerDevice: UInt64 = 1_000
    /// A group's title or a user's name: grapheme clusters, and bytes of UTF-8.
    public static let maximumTitleLength = 60
    public static let maximumNameLength = 40
    public static let maximumTextSize = 1_000
    public static let maximumDevicesPerUser = 8
    public static let maximumMembers = 1_000
    /// Revocations of one account that name an access key: no account fills everybody's list of keys.
    public static let maximumKeysOfRevocations = 32
    /// Live invites of one account in one group, and how many of a group a node answers.
    public static let maximumLiveInvitesOfMember = 8
    public static let maximumLiveInvitesOfAdmin = 32
    public static let maximumAnsweredInvites = 128
    /// Bytes that a later version may append to a message and this one carries along unread.
    public static let maximumTailSize = 1_024
}

/// What a signature is for: no signature made for one purpose verifies for another.
public enum SigningContext: String, Sendable, CaseIterable {
    case certificate, operation, feed, invite, joinProof, deviceLink, deviceProof, friendRequest, whereabouts

    /// The bytes that precede the signed ones: the context, then a zero byte.
    public var prefix: [UInt8] { Array("streakmesh/v1/\(rawValue)".utf8) + [0] }
}
