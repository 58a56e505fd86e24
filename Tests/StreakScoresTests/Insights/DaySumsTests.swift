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
        var added: [Int32: [DayTally]] = [:]
        for _ in 0..<12 {
            let days = (0..<Int.random(in: 1...60, using: &generator)).map { _ in
                Int32.random(in: -200...200, using: &generator)
            }
            // One in three takes away all that a day has.
            let more = Set(days).sorted().flatMap { day -> [DayTally] in
                guard let known = added[day], known.count == 1, Int.random(in: 0...2, using: &generator) == 0 else {
                    let tally = Self.tally(day, &generator)
                    added[day, default: []].append(tally)
                    return [tally]
                }
                added[day] = nil
                return known.map(\.negated)
            }
            sums.add(more)
            let tallies = sums.tallies
            #expect(tallies.map(\.day) == added.keys.sorted())
            #expect(
                tallies.allSatisfy { tally in
                    tally.perfect == added[tally.day]?.reduce(0) { $0 + $1.perfect }
                        && tally.records == added[tally.day]?.reduce(0) { $0 + $1.records }
                })
            for end in 0...tallies.count {
                let perfect = tallies.prefix(end).reduce(0) { $0 + $1.perfect }
                let day = end > 0 ? Int(tallies[end - 1].day) : -25_567
                let sum = sums.sum(through: PuzzleDay(daysSinceEpoch: day))
                #expect(sum.perfect == perfect)
                #expect(sum.records == tallies.prefix(end).reduce(0) { $0 + $1.records })
                #expect(sums.first { $0.perfect > perfect } == (end < tallies.count ? tallies[end].day : nil))
            }
            #expect(sums.total.perfect == tallies.reduce(0) { $0 + $1.perfect })
        }
    }

    @Test(arguments: StreakWalk.roundLengths.indices) func `a round length is packed with any day`(place: Int) {
        #expect(StreakWalk.roundLengths.count <= 4, "two bits hold the place")
        for day in [PuzzleDay.earliest, PuzzleDay(daysSinceEpoch: -1), PuzzleDay(daysSinceEpoch: 0), .latest] {
            let round = StreakWalk.Round(day: Int32(day.daysSinceEpoch), place: place)
            #expect(Int(round.day) == day.daysSinceEpoch && round.length == StreakWalk.roundLengths[place])
        }
    }
}
