import StreakLinks
public import StreakMembership
public import StreakWire

/// What a newly linked device starts with. Store it before making an engine of it.
public struct DeviceLinking: Sendable, Equatable {
    public struct Group: Sendable, Equatable {
        public let group: GroupID
        /// Parents first, so the founding operation comes first.
        public let operations: [[UInt8]]
        /// Oldest first, as `Snapshot` wants them.
        public let accessKeys: [[UInt8]]
    }

    /// Certifies the keys that the machine made itself.
    public let certificate: DeviceCertificate
    /// The private group first.
    public let groups: [Group]
}

/// A machine that was certified and waits for the ledgers.
struct DeviceIntake: Sendable {
    let link: LinkID
    let certificate: DeviceCertificate
    let groups: [GroupID]
    var ledgers: [GroupHandle: LedgerIntake] = [:]

    var isComplete: Bool { ledgers.count == groups.count && ledgers.values.allSatisfy(\.isComplete) }
}
