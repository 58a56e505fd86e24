import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

/// What the machines of one account share only with each other.
extension Simulation {
    /// Makes a node a machine of another node's account by the recovery key. It has the private group and no other.
    mutating func recover(_ node: Int, of relative: Int) {
        var entropy = SeededEntropy(seed: random.next())
        let account = nodes[relative].accountKey
        nodes[node].accountKey = account
        nodes[node].identity = DeviceIdentity.create(accountKey: account, from: &entropy)
        nodes[node].store = SimulatedStore(id: StoreID(bytes: Bytes16(random.next(), random.next())))
        nodes[node].isAged = true
        start(node)
        makePrivateGroup(of: node)
    }

    /// Requires that another machine of its account brings a node into the group in time.
    mutating func expectBrought(_ node: Int, within limit: Duration) {
        guard let group = ground.group else { return fail("no group", .story) }
        guard run(for: limit, until: { $0.nodes[node].engine?.isMember(of: group) ?? false }) else {
            return fail("no machine of its account brought node \(node) into the group within \(limit)", .liveness)
        }
        ground.join(node, group)
    }

    /// Requires that nodes are in the same groups in time: `count` and their private one.
    mutating func expectSameGroups(_ indices: [Int], _ count: Int, within limit: Duration) {
        guard
            !run(
                for: limit,
                until: { simulation in
                    let groups = indices.map(simulation.memberGroups)
                    return Set(groups).count == 1 && groups.allSatisfy { $0.count == count + 1 }
                })
        else { return }
        let counts = indices.map { "\($0): \(memberGroups(of: $0).count)" }.joined(separator: ", ")
        fail("not the same \(count) groups, and the private one, within \(limit): \(counts)", .liveness)
    }

    private func memberGroups(of node: Int) -> Set<GroupID> {
        nodes[node].ask { engine in Set(engine.groupIDs.filter { engine.isMember(of: $0) }) } ?? []
    }

    mutating func keepPrivately(_ count: Int, by node: Int) {
        for _ in 0..<count {
            guard let group = privateGroup(of: node) else { return fail("node \(node) has no private group", .story) }
            let name = "kept/\(ground.keptPrivately.count)"
            ground.keptPrivately.insert(name)
            expect(.done, of: .write([(group: group, drafts: [.setting(name: name, value: [1])])]), by: node)
        }
    }

    func privateGroup(of node: Int) -> GroupID? {
        nodes[node].engine?.privateGroup
    }

    func keptPrivately(at node: Int) -> Set<String> {
        guard let group = privateGroup(of: node), let engine = nodes[node].engine else { return [] }
        let settings = engine.mergedRecords(of: group).filter {
            $0.key.kind == RecordKind.setting.rawValue && !$0.value.isEmpty
        }
        return Set(settings.map { String(decoding: $0.key.subject, as: UTF8.self) })
    }

    func haveOnePrivateGroup(_ indices: [Int]) -> Bool {
        let groups = Set(indices.map(privateGroup))
        guard let group = groups.first, let group, groups.count == 1 else { return false }
        return Set(indices.map { nodes[$0].engine?.digest(of: group) }).count == 1
            && indices.allSatisfy { keptPrivately(at: $0).isSuperset(of: ground.keptPrivately) }
    }
}
