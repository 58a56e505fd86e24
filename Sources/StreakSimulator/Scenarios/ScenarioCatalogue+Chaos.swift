import StreakEngine

/// A scenario generated from the seed.
extension Scenario {
    static let chaosName = "chaos"

    /// Three to six friends, with any faults in any order until all faults end.
    static func chaos(seed: UInt64) -> Scenario {
        var random = SimulatedRandom(seed: seed ^ 0xC4A0_5EED)
        let count = 3 + random.number(below: 4)
        var steps = together(count)
        for _ in 0..<(8 + random.number(below: 10)) { steps += randomFault(among: count, random: &random) }
        steps += [
            .endFaults, .run(.seconds(30)), .write(Array(0..<count), count: 2, over: .seconds(2)),
            .converge(within: .seconds(2_400)),
        ]
        return Scenario(
            chaosName, "Three to six friends, with random events from the seed", nodes: count,
            profile: network(&random, damage: false), steps: steps)
    }

    private static func network(_ random: inout SimulatedRandom, damage: Bool) -> LinkProfile {
        let profiles: [LinkProfile] = [
            .good, .lan, .wifi, .dsl, .mobile, .bad(loss: 0.05), .bad(loss: 0.3), .withoutDatagrams, .withoutStreams,
        ]
        // Joins in the first steps have a time limit, so damage starts later.
        guard damage else { return profiles[random.number(below: 5)] }
        let profile = profiles[random.number(below: profiles.count)]
        switch random.number(below: 4) {
        case 0: return profile.damaging(0.05)
        case 1: return profile.replaying(0.1)
        default: return profile
        }
    }

    private static func randomFault(among count: Int, random: inout SimulatedRandom) -> [Step] {
        let node = random.number(below: count)
        let other = (node + 1 + random.number(below: count - 1)) % count
        let some = (0..<count).filter { _ in random.happens(with: 0.5) }
        let others = (0..<count).filter { !some.contains($0) }
        let time = random.duration(from: .milliseconds(200), to: .seconds(8))
        switch random.number(below: 16) {
        case 0...3: return [.write(some, count: 1 + random.number(below: 5), over: time)]
        case 4: return [.writeMeanwhile(some, count: 5, over: .seconds(20)), .run(time)]
        case 5: return [.writeAtOnce(node, count: 1 + random.number(below: 300))]
        case 6: return [.crash(some), .run(time), .start(some)]
        case 7: return [.crashBetweenOutputs(some, restartAfter: time), .run(time)]
        case 8: return [.partition([some, others]), .run(time)]
        case 9: return [.cutOneWay(from: [node], to: [other]), .run(time)]
        case 10: return [.heal, .setProfile(network(&random, damage: true)), .run(time)]
        case 11: return [.setDiskFull(node, true), .run(time), .setDiskFull(node, false)]
        case 12: return [.setClockLead(node, random.duration(from: .seconds(-480), to: .seconds(480)))]
        case 13: return [.driftClock(node, perSecond: random.duration(from: .milliseconds(-50), to: .milliseconds(50)))]
        case 14: return [.run(.seconds(random.number(below: 600)))]
        default:
            return [.crash([node]), .write(others, count: 2, over: time), .forgetAddresses([node]), .start([node])]
        }
    }
}
