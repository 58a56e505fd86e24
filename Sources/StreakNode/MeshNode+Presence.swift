import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Who of a group is online: what the group knows, not what this node's own links are.
extension MeshNode {
    /// Whether a link leads to a member's machine, or members tell each other that it is there.
    func isOnline(_ user: UserID, in group: GroupID) -> Bool {
        engine.state(of: group)?.member(user)?.devices.contains { engine.route(to: $0, in: group) != nil } ?? false
    }

    /// The same as friends are shown it: nobody is who hides when they were there.
    func isShownOnline(_ user: UserID, in group: GroupID) -> Bool {
        if user == identity.user { return network != nil }
        return isOnline(user, in: group) && !(profile(of: user, in: group)?.isLastSeenHidden ?? false)
    }

    /// The name of the member by way of whom another one is online; nil where a link leads to it, or it is offline.
    func relay(to devices: [DeviceID], in group: GroupID, _ names: [UserID: String]) -> String? {
        let routes = devices.compactMap { engine.route(to: $0, in: group) }
        guard let route = routes.min(by: { ($0.hops, $0.via) < ($1.hops, $1.via) }), route.hops > 1 else { return nil }
        return engine.state(of: group)?.device(route.via).flatMap { names[$0.user] }
    }
}
