import StreakGames
import StreakRandom
import Testing

@testable import StreakScores

/// Sums over days, most of which are added up when asked for. The argument is the seed.
@Suite struct DaySumsTests {
    private static func tally(_ day: Int32, _ generator: inout SplitMix64) -> DayTally {
        var tally = DayTally(day: day)
        tally.perfect = .random(in: 1...3, using: &generator)
        tally.records = .random(in: 0...2, using: &generator)
        return tally
    }

    @Test(arguments: 1...20) func `every sum is that of the days up to its end, whatever was added when`(
        _ seed: UInt64
    ) {
        var generator = SplitMix64(seed: seed)
        var sums = DaySums()
        for _ in 0..<12 {
            let days = (0..<Int.random(in: 1...12, using: &generator)).map { _ in
                Int32.random(in: 0...90, using: &generator)
            }
            sums.add(Set(days).sorted().map { Self.tally($0, &generator) })
            let tallies = sums.tallies
            for end in 0...tallies.count {
                let perfect = tallies.prefix(end).reduce(0) { $0 + $1.perfect }
                let day = end > 0 ? Int(tallies[end - 1].day) : -1
                let sum = sums.sum(through: PuzzleDay(daysSinceEpoch: day))
                #expect(sum.perfect == perfect)
                #expect(sum.records == tallies.prefix(end).reduce(0) { $0 + $1.records })
                #expect(sums.first { $0.perfect > perfect } == (end < tallies.count ? tallies[end].day : nil))
            }
            #expect(sums.total.perfect == tallies.reduce(0) { $0 + $1.perfect })
        }
    }
}
