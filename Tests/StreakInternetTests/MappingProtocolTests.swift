import StreakInternet
import Testing

@Suite struct MappingProtocolTests {
    @Test func `names are those of reports`() {
        #expect(MappingProtocol.allCases.map(\.rawValue) == ["pcp", "nat-pmp", "upnp"])
    }
}
