import StreakLinks
import Testing

@testable import StreakSimulator

@Suite("What reaches friends, and when")
struct DeliveryTests {
    /// Of a letter up to half an hour is lost: it is as old as that when the lid closes.
    @Test(
        "Notices and letters deliver what the people and routers allow",
        arguments: [Figures.Delivery.Means.notices, .letters])
    func deliversWhatIsPossible(means: Figures.Delivery.Means) throws {
        let setting = Figures.Delivery.Setting(members: 3, reachableShare: 0.3, means: means)
        var sum = Figures.Delivery.Figure()
        for seed in 2...3 as ClosedRange<UInt64> {
            sum = sum + (try Figures.Delivery.figure(of: setting, days: 6, seed: seed))
        }
        let possible = try #require(sum.possible)
        #expect(possible.withinDay > sum.pairs / 2)
        #expect(sum.delivered.withinDay <= possible.withinDay)
        #expect(sum.delivered.withinDay >= possible.withinDay - sum.pairs / 20)
        #expect(sum.delivered.withinHour >= possible.withinHour - sum.pairs / 20)
    }

    @Test("Who has a way to nobody who is online, waits for a friend who has been told")
    func waits() {
        var possible = PossibleDelivery(homes: [.changing, .steady, .open], letterLifetime: nil)
        possible.opened(0, at: .zero)
        possible.wrote(0, at: .zero)
        possible.opened(1, at: minutes(1))
        #expect(possible.delays(leavingOut: []).isEmpty)
        possible.opened(2, at: minutes(3))
        #expect(possible.delays(leavingOut: []) == [.seconds(180), .seconds(180)])
        #expect(possible.delays(leavingOut: [2]) == [.seconds(180)])
    }

    @Test("A letter is read until its lifetime is over", arguments: [(120, 1), (121, 0)])
    func letters(minute: Int64, count: Int) {
        var possible = PossibleDelivery(homes: [.steady, .changing], letterLifetime: .seconds(7_200))
        possible.opened(0, at: .zero)
        possible.wrote(0, at: .zero)
        possible.closed(0, at: .zero)
        possible.opened(1, at: minutes(minute))
        #expect(possible.delays(leavingOut: []).count == count)
    }

    private func minutes(_ count: Int64) -> MonotonicInstant { .zero.advanced(by: .seconds(count * 60)) }
}
