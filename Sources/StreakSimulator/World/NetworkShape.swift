/// Which nodes can reach each other. Homes behind routers form a star around the one node that all can reach.
public enum NetworkShape: Sendable, Equatable {
    /// All others can reach only the hub.
    case star(hub: Int)
    /// Each can reach the one before and the one after.
    case line
    case ring
    /// Two halves. Inside each, all can reach each other; one node of each half can reach the other's.
    case bridge
    /// Each can reach three others, chosen at random so that all are connected. For an even number of nodes.
    case degreeThree

    /// Both directions of every path.
    func ways(among count: Int, random: inout SimulatedRandom) -> Set<SimulatedNetwork.Pair> {
        var ways: Set<SimulatedNetwork.Pair> = []
        func join(_ first: Int, _ second: Int) {
            ways.insert(SimulatedNetwork.Pair(from: first, to: second))
            ways.insert(SimulatedNetwork.Pair(from: second, to: first))
        }
        switch self {
        case .star(let hub):
            for node in 0..<count where node != hub { join(hub, node) }
        case .line:
            for node in 1..<count { join(node - 1, node) }
        case .ring:
            for node in 0..<count { join(node, (node + 1) % count) }
        case .bridge:
            let half = count / 2
            for first in 0..<count {
                for second in (first + 1)..<max(first + 1, count) where (first < half) == (second < half) {
                    join(first, second)
                }
            }
            join(half - 1, half)
        case .degreeThree:
            // A ring of all in random order, plus a pairing across it.
            let order = random.shuffled(Array(0..<count))
            for place in 0..<count { join(order[place], order[(place + 1) % count]) }
            let pairing = random.shuffled(order)
            for place in stride(from: 0, to: count - 1, by: 2) { join(pairing[place], pairing[place + 1]) }
        }
        return ways
    }
}
