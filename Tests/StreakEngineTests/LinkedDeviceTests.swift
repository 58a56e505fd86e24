import StreakEngine
import StreakLinks
import Testing

/// What an engine reports about the devices that it has links to.
@Suite struct LinkedDeviceTests {
    @Test func `a device that is cut off is known by when it was last heard`() throws {
        var party = try EngineNetwork.friends(2)
        let before = try #require(party.nodes[0].engine.linkedDevices.first)
        #expect(before.lastHeard <= party.now && before.lastHeard < before.nextExpected)
        party.partition([[0], [1]])
        let end = before.nextExpected
        party.run(for: party.now.duration(to: end) + .seconds(6))
        // The link stands: only the time tells.
        let after = try #require(party.nodes[0].engine.linkedDevices.first)
        #expect(after.lastHeard == before.lastHeard && after.nextExpected == end)
        #expect(after.nextExpected < party.now)
    }

    @Test func `an idle device is heard again before it is overdue`() throws {
        var party = try EngineNetwork.friends(2)
        for _ in 0..<40 {
            party.run(for: .seconds(10))
            let device = try #require(party.nodes[0].engine.linkedDevices.first)
            #expect(party.now <= device.nextExpected.advanced(by: .seconds(5)))
        }
    }
}
