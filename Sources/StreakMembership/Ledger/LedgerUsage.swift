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
public struct LedgerBudget: Sendable, Equatable {
    /// For an owner or admin.
    public var ofAdmin = 8 << 20
    /// For any other account that is, or was, a member.
    public var ofMember = 2 << 20
    /// For an account that never was a member.
    public var ofStranger = 64 << 10
    /// Guaranteed to each device, so that no device can silence another of its account.
    public var ofDevice = 64 << 10
    /// For all plain members and strangers together. Beyond it each account has only a share.
    public var ofAll = 4 << 20
    public var share = 16 << 10
    /// The hard limit for all plain members and strangers together, even for operations that others depend on. Only
    /// leaving and revoking a device is still accepted.
    public var whole = 8 << 20
    /// Devices that one account may ever have in a group: this many certified by its own key, and this many by other
    /// devices. A stolen device can therefore not block those that the account key certifies.
    public var devices = 32

    public init() {}
}
