import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// Friends by code, and more machines of an account.
extension Simulation {
    /// How long deriving a code's keys takes (a slow hash).
    static let derivationTime: Duration = .milliseconds(60)

    /// The groups of two that two nodes' users share, as both see it.
    func commonPairs(_ first: Int, _ second: Int) -> [GroupID] {
        let users = Set([nodes[first].identity.user, nodes[second].identity.user])
        func pairs(_ node: Int) -> Set<GroupID> {
            guard let engine = nodes[node].engine else { return [] }
            return Set(
                engine.groupIDs.filter { group in
                    engine.isMember(of: group) && Set(engine.state(of: group)?.members.map(\.user) ?? []) == users
                })
        }
        return pairs(first).intersection(pairs(second)).sorted()
    }

    /// Whether neither of two nodes has an open request, or is alone in a group other than its private one.
    func isQuiet(_ first: Int, _ second: Int) -> Bool {
        [first, second].allSatisfy { node in
            guard let engine = nodes[node].engine else { return false }
            let alone = engine.groupIDs.filter { engine.state(of: $0)?.members.count == 1 }
            return engine.sentFriendRequests.isEmpty && engine.receivedFriendRequests.isEmpty
                && alone.allSatisfy { $0 == engine.privateGroup }
        }
    }

    mutating func makePrivateGroup(of node: Int) {
        guard case .group? = outcome(of: .openPrivateGroup(accountKey: nodes[node].accountKey), by: node) else {
            return fail("node \(node) has no private group", .outcome)
        }
    }

    /// Makes a running node a device of another node's account, as the shell does: the node restarts with what it was
    /// given.
    mutating func linkDevice(_ node: Int, to relative: Int) {
        guard case .invite(_, let text)? = outcome(of: .linkDevice, by: relative),
            // A bad link is reported as text.
            let link = try? InviteLink(parsing: text, purpose: .device)
        else { return fail("node \(relative) made no device link", .outcome) }
        let outcome = outcome(of: .requestDevice(link, timeout: .seconds(110)), by: node)
        guard case .deviceLinked(let linking)? = outcome,
            let identity = DeviceIdentity(
                certificate: linking.certificate, signingKey: nodes[node].identity.signingKey,
                linkKey: nodes[node].identity.linkKey)
        else { return fail("node \(node) was not linked: \(String(describing: outcome))", .outcome) }
        stop(node)
        nodes[node].identity = identity
        nodes[node].accountKey = nodes[relative].accountKey
        nodes[node].store = SimulatedStore(id: StoreID(bytes: Bytes16(random.next(), random.next())))
        nodes[node].store.apply(change(by: linking, linkedAt: link))
        nodes[node].isAged = true
        start(node)
    }

    private func change(by linking: DeviceLinking, linkedAt link: InviteLink) -> DurableChange {
        var change = DurableChange()
        var arrival: UInt64 = 1
        for group in linking.groups {
            for bytes in group.operations {
                // The engine has checked each of them.
                guard let operation = try? SignedOperation(decoding: bytes) else {
                    preconditionFailure("an operation of a linked device reads")
                }
                change.operations.append(
                    StoredOperation(group: group.group, id: operation.id, bytes: bytes, arrival: arrival))
                arrival += 1
            }
            change.accessKeys += group.accessKeys.map { StoredAccessKey(group: group.group, key: $0) }
        }
        change.addresses = (link.addresses.first ?? []).map {
            RememberedAddress(device: link.inviter, endpoint: $0, lastAnswered: 0)
        }
        return change
    }
}
