import StreakMembership

/// The cost of resolving a ledger of a thousand operations, and one more; and the size of a group's ledger after years.
struct LedgerBench {
    private static let members = 50
    private static let operations = 1_000
    private static let years = 5
    private static let repetitions = 20

    func run() throws {
        try measure(LedgerYears.grown(members: Self.members, operations: Self.operations))
        let grown = try LedgerYears.grown(members: Self.members, years: Self.years)
        Figure.show(
            "ledger of \(Self.members) members after \(Self.years) years",
            Double(grown.byteCount) / 1_024, "KiB", target: "–")
    }

    private func measure(_ grown: LedgerYears) throws {
        var life = grown
        let all = life.ledger.allOperations
        let more = try life.oneMore()
        var resolving: [Double] = []
        var adding: [Double] = []
        for _ in 0..<Self.repetitions {
            var fresh = try Ledger(founding: all[0])
            for operation in all.dropFirst() { _ = try fresh.insert(operation) }
            let start = ContinuousClock.now
            _ = fresh.state
            resolving.append(start.duration(to: .now).milliseconds)
            let next = ContinuousClock.now
            _ = try fresh.insert(more)
            _ = fresh.state
            adding.append(next.duration(to: .now).milliseconds)
        }
        Figure.show("resolving a ledger of 1,000 operations, p50", resolving.percentile(50), "ms", target: "–")
        Figure.show("one more operation, signature included, p50", adding.percentile(50), "ms", target: "–")
    }
}
