import StreakWire

/// How much of a ledger each account's and each device's operations take.
///
/// An operation weighs its bytes, plus 512 for bookkeeping, plus two for each branch in its clock. That is about its
/// size on disk, and half its size in memory.
struct LedgerUsage: Sendable {
    static let weightOfOperation = 512

    private(set) var total = 0
    private(set) var byUser: [UserID: Int] = [:]
    private(set) var byDevice: [DeviceID: Int] = [:]

    static func weight(of node: LedgerNode) -> Int {
        node.signed.bytes.count + weightOfOperation + 2 * node.clock.count
    }

    mutating func add(_ node: LedgerNode) {
        let weight = Self.weight(of: node)
        total += weight
        byUser[node.user, default: 0] += weight
        byDevice[node.device, default: 0] += weight
    }
}

/// How much of a ledger an account may fill, in weights. Protocol/membership.md §3.
///
/// Everybody's operations count towards the same total, whatever the role of their author was or is. So nothing depends
/// on when somebody was promoted or demoted. As the total grows, those with the least to say about the group are refused
/// first, and each account that has written little is refused last among its like.
public struct LedgerBudget: Sendable, Equatable {
    /// What an account of a role may write before anything but `end` bounds it, and the total from which on nobody of
    /// that role writes.
    public struct Share: Sendable, Equatable {
        public var size: Int
        public var end: Int
    }

    public var ofOwner = Share(size: 4 << 20, end: 8 << 20)
    /// From its end on nobody but the owner writes anything: not even revocations, of which each account may have many.
    public var ofAdmin = Share(size: 1 << 20, end: 6 << 20)
    /// For all others, whether they are, were or never were members.
    public var ofPlain = Share(size: 16 << 10, end: 4 << 20)
    /// For an account that is, or was, a member, beyond its share.
    public var ofMember = 1 << 20
    /// For an account that never was a member.
    public var ofStranger = 64 << 10
    /// Guaranteed to each device, so that no device can silence another of its account.
    public var ofDevice = 64 << 10
    /// The total from which on accounts have their shares only.
    public var ofAll = 2 << 20
    /// The same, even for operations that others depend on.
    public var whole = 3 << 20
    /// Devices that one account may ever have in a group: this many certified by its own key, and this many by other
    /// devices. A stolen device can therefore not block those that the account key certifies.
    public var devices = 32

    public init() {}

    func share(of role: GroupState.Role?) -> Share {
        switch role {
        case .owner: ofOwner
        case .admin: ofAdmin
        case .member, nil: ofPlain
        }
    }
}
