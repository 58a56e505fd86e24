import StreakWire

/// How much of a ledger the operations of each account, and of each device, take up.
///
/// An operation weighs its bytes, 512 for what is kept beside them, and two for each branch that its clock counts: about what it
/// takes on a disk, and a half of what it takes in memory.
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

/// What an account may fill of a ledger, in weights. Protocol/membership.md §3.
public struct LedgerBudget: Sendable, Equatable {
    /// Of an account that is owner or admin.
    public var ofAdmin = 8 << 20
    /// Of any other account that is, or was, in.
    public var ofMember = 2 << 20
    /// Of an account that never was.
    public var ofStranger = 64 << 10
    /// What each device has in any case, so that no device of an account keeps another one from speaking.
    public var ofDevice = 64 << 10
    /// All accounts but owner's and admins' together, beyond which each has a share.
    public var ofAll = 4 << 20
    public var share = 16 << 10
    /// All but owner's and admins' together, beyond which nothing more is taken, needed or not, but what members say
    /// to leave or to give up a device.
    public var whole = 8 << 20
    /// Devices that one account may ever have in one group: certified by its own key, and as many by other devices. A stolen
    /// device so keeps none that the account key certifies out.
    public var devices = 32

    public init() {}
}
