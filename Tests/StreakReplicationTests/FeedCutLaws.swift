import StreakCrypto
import StreakGames
import StreakRandom
import StreakScores
import StreakWire
import Testing

@testable import StreakReplication

/// A feed continued in many ways and cut by a removal. Nodes that met its histories in different orders must end with
/// the same records.
struct FeedCutLaws {
    /// One node's copy of the feed, and its ledger's cut.
    struct Node {
        var replica: FeedReplica
        var cut: Tip?
        let signature: Signature
        var arrival: UInt64 = 0
        /// As in the store.
        var store: [RunKey: StoredRun] = [:]

        init(_ script: FeedScript, cutSignature: Signature) {
            replica = FeedReplica(script.id, in: script.group)
            signature = cutSignature
        }

        private let cutTips = CutTipsCache()

        var tips: [Tip] { cut.map { cutTips.tips(of: replica, through: $0) } ?? replica.tips }

        /// The records that count.
        var records: Set<[UInt8]> {
            let (runs, last) = cut.map(replica.storedRuns) ?? (replica.storedRuns, .max)
            return Set(
                runs.flatMap { stored in
                    ((try? stored.run.records()) ?? RecordList()).enumerated().filter {
                        stored.run.first + UInt64($0.offset) <= last
                    }.map { Array($0.element) }
                })
        }

        func lacks(_ tip: Tip) -> Bool {
            if let cut, replica.contains(cut) { return false }
            return !replica.contains(tip)
        }

        /// Receives a run as an engine does. Returns whether it was new.
        mutating func take(_ run: Run, behind pieces: [Run] = []) -> Bool {
            if let cut {
                if (pieces.first ?? run).first > cut.number { return false }
                if replica.contains(cut) { return false }
            }
            arrival += 1
            // A refused run is missing, in any order.
            guard let reception = try? replica.receive(run, behind: pieces, through: cut, arrival: arrival) else {
                return false
            }
            for key in reception.removed { store[key] = nil }
            for stored in reception.stored { store[stored.key] = stored }
            return !reception.isDuplicate || reception.extendsBackfill
        }

        mutating func setCut(_ tip: Tip?) {
            cut = tip
            guard tip == nil else { return }
            let moved = replica.trim()
            for key in moved.removed { store[key] = nil }
            for stored in moved.stored { store[stored.key] = stored }
        }

        func runs(_ wanted: RunsWanted, maximumSize: Int) -> [Run] {
            var comparisons = 1_000
            if let cut {
                return replica.runs(
                    wanted, through: cut, signature: signature, maximumSize: maximumSize, comparisons: &comparisons
                ).runs
            }
            return replica.runs(wanted, maximumSize: maximumSize, comparisons: &comparisons).runs
        }

        /// Requests what another node counts, in answers of at most `window`. Returns whether anything was new.
        mutating func learn(from teacher: Node, window: Int) -> Bool {
            var hasLearnt = false
            for tip in teacher.tips {
                for _ in 0..<400 {
                    guard lacks(tip) else { break }
                    let backfill = tip == cut ? replica.backfillRequest(to: tip) : nil
                    var isFruitful = false
                    var pieces = UnsignedPieces()
                    let wanted = backfill ?? RunsWanted(feed: replica.id, held: replica.locator)
                    for run in teacher.runs(wanted, maximumSize: window) {
                        if run.isUnsigned {
                            pieces.hold(run)
                            if let cut, let extends = try? replica.noteBackfill(run, to: cut) {
                                isFruitful = isFruitful || extends
                            }
                        } else {
                            isFruitful = take(run, behind: pieces.take(before: run)) || isFruitful
                        }
                    }
                    guard isFruitful else {
                        replica.cancelBackfill()
                        break
                    }
                    hasLearnt = true
                }
            }
            return hasLearnt
        }
    }

    /// Histories of one feed that fork anywhere.
    static func histories(_ numbers: inout SplitMix64) -> [FeedScript] {
        var trunk = FeedScript()
        trunk.append("t", count: Int.random(in: 1...12, using: &numbers))
        var all = [trunk]
        for index in 0..<Int.random(in: 9...24, using: &numbers) {
            let parent = all[Int.random(in: 0..<all.count, using: &numbers)]
            var branch = parent.branch(at: Int.random(in: 0...parent.records.count, using: &numbers))
            branch.append("b\(index)-", count: Int.random(in: 1...20, using: &numbers))
            all.append(branch)
        }
        return all
    }

    /// Lets every node ask every other until nothing new comes.
    static func settle(_ nodes: inout [Node], _ numbers: inout SplitMix64) {
        for _ in 0..<60 {
            var isQuiet = true
            for pupil in nodes.indices {
                for teacher in nodes.indices where teacher != pupil {
                    let window = Int.random(in: 300...4_000, using: &numbers)
                    if nodes[pupil].learn(from: nodes[teacher], window: window) { isQuiet = false }
                }
            }
            if isQuiet { return }
        }
        Issue.record("still not quiet")
    }

    /// Three nodes that have met some of the histories, in random packing and order.
    static func nodes(
        _ all: [FeedScript], cutSignature: Signature, cut: Tip?, remover: FeedScript?, _ numbers: inout SplitMix64
    ) -> [Node] {
        (0..<3).map { index in
            var node = Node(all[0], cutSignature: cutSignature)
            if index == 0, let remover {
                for run in remover.packing(&numbers) { _ = node.take(run) }
                node.setCut(cut)
            }
            var met = all.shuffled(using: &numbers).prefix(Int.random(in: 0...all.count, using: &numbers))
            // The cut arrives somewhere in between.
            let before = met.prefix(Int.random(in: 0...met.count, using: &numbers))
            met = met.dropFirst(before.count)
            for script in before { for run in script.packing(&numbers) { _ = node.take(run) } }
            node.setCut(cut)
            for script in met { for run in script.packing(&numbers) { _ = node.take(run) } }
            _ = node.replica.compact()
            return node
        }
    }

    private func expectSame(_ nodes: [Node], in all: [FeedScript], _ label: Comment) {
        var nodes = nodes
        for node in nodes {
            #expect(node.tips == nodes[0].tips, label)
            #expect(node.tips == node.cut.map(node.replica.countingTips) ?? node.replica.tips, label)
            #expect(node.records == nodes[0].records, label)
        }
        // A new node gets it from any one of them.
        for teacher in nodes.indices {
            var newcomer = Node(all[0], cutSignature: nodes[0].signature)
            newcomer.cut = nodes[0].cut
            while newcomer.learn(from: nodes[teacher], window: 2_000) {}
            #expect(newcomer.tips == nodes[0].tips, label)
            nodes.append(newcomer)
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `what a cut names comes to everybody, whatever else its device has written`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let all = Self.histories(&numbers)
        let cutScript = all[Int.random(in: 0..<all.count, using: &numbers)]
        let number = Int.random(in: 1...cutScript.records.count, using: &numbers)
        let cut = cutScript.tip(number)
        var nodes = Self.nodes(
            all, cutSignature: cutScript.signature(at: number), cut: cut, remover: cutScript, &numbers)
        Self.settle(&nodes, &numbers)
        for node in nodes {
            #expect(node.tips == [cut], "seed \(seed)")
            #expect(node.records == Set(cutScript.records.prefix(number)), "seed \(seed)")
        }
        expectSame(nodes, in: all, "seed \(seed)")
        // An owner annuls the cut, and all agree on the rest they keep.
        for index in nodes.indices { nodes[index].setCut(nil) }
        Self.settle(&nodes, &numbers)
        #expect(nodes.allSatisfy { $0.tips.count <= FeedReplica.maximumBranches }, "seed \(seed)")
        expectSame(nodes, in: all, "seed \(seed), annulled")
        for node in nodes {
            var again = FeedReplica(all[0].id, in: all[0].group)
            for key in node.store.keys.sorted() {
                let fits = try again.restore(#require(node.store[key]))
                #expect(fits, "seed \(seed)")
            }
            #expect(again.tips == node.replica.tips, "seed \(seed)")
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `under a cut that nobody has all agree on what precedes its number`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let all = Self.histories(&numbers)
        let cut = Tip(
            number: UInt64.random(in: 1...16, using: &numbers), hash: ChainHash(bytes: Bytes32(seed, 1, 2, 3)))
        var nodes = Self.nodes(all, cutSignature: .none, cut: cut, remover: nil, &numbers)
        Self.settle(&nodes, &numbers)
        expectSame(nodes, in: all, "seed \(seed)")
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `without a cut the first eight branches come to everybody`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let all = Self.histories(&numbers)
        var nodes = Self.nodes(all, cutSignature: .none, cut: nil, remover: nil, &numbers)
        Self.settle(&nodes, &numbers)
        expectSame(nodes, in: all, "seed \(seed)")
    }
}
