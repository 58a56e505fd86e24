import StreakLinks
public import StreakMembership
public import StreakWire

extension MeshEngine {
    /// The removals in a group that `Command.annul` takes back, newest first; none where this user is not the owner.
    /// One resolution of the ledger for each.
    public func annulments(in group: GroupID) -> [Annulment] {
        core.groups[group]?.ledger.annulments(by: core.identity, at: core.wall.seconds) ?? []
    }
}
