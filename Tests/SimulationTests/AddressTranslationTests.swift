import StreakEngine
import StreakLinks
import StreakWire
import Testing

@testable import StreakSimulator

struct AddressTranslationTests {
    private let friend = Endpoint(ipv4: 0xC633_6401, port: 7_420)
    private let stranger = Endpoint(ipv4: 0xC633_6402, port: 7_420)

    private func instant(_ seconds: Int) -> MonotonicInstant { .zero.advanced(by: .seconds(seconds)) }

    @Test func `only those answer to whom something was sent`() {
        let router = AddressTranslation(lifetime: .seconds(60))
        var table = TranslationTable()
        let port = table.port(of: 3, to: friend, through: router, at: instant(0))
        #expect(table.node(at: port, from: friend, through: router, at: instant(1)) == 3)
        #expect(table.node(at: port, from: stranger, through: router, at: instant(1)) == nil)
        #expect(table.node(at: port + 1, from: friend, through: router, at: instant(1)) == nil)
    }

    @Test func `a mapping that nothing has left through for a while is gone and the next has another port`() {
        let router = AddressTranslation(lifetime: .seconds(60))
        var table = TranslationTable()
        let port = table.port(of: 3, to: friend, through: router, at: instant(0))
        #expect(table.port(of: 3, to: friend, through: router, at: instant(59)) == port)
        #expect(table.node(at: port, from: friend, through: router, at: instant(119)) == 3)
        #expect(table.node(at: port, from: friend, through: router, at: instant(120)) == nil)
        #expect(table.port(of: 3, to: friend, through: router, at: instant(120)) != port)
    }

    @Test(arguments: [true, false])
    func `a symmetric router gives each destination another port`(isSymmetric: Bool) {
        let router = AddressTranslation(isSymmetric: isSymmetric)
        var table = TranslationTable()
        let first = table.port(of: 3, to: friend, through: router, at: instant(0))
        let second = table.port(of: 3, to: stranger, through: router, at: instant(0))
        #expect((first != second) == isSymmetric)
    }
}
