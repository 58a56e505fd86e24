import StreakCrypto
import Testing

@Suite struct EntropySourceTests {
    @Test func `a seed gives the same bytes everywhere`() {
        var entropy = SeededEntropy(seed: 0x1234_5678_9abc_def0)
        #expect(entropy.bytes(8) == bytes("6e0141be76ef9ee1"))
        #expect(entropy.bytes(8) == bytes("25e96bd2a54fe1a5"))
    }

    @Test(arguments: [0, 1, 63, 64, 65, 1_000])
    func `as many bytes as asked for`(count: Int) {
        var seeded = SeededEntropy(seed: 9)
        var system = SystemEntropy()
        #expect(seeded.bytes(count).count == count)
        #expect(system.bytes(count).count == count)
    }

    @Test func `neighbouring seeds and following calls differ`() {
        var first = SeededEntropy(seed: 10)
        var second = SeededEntropy(seed: 11)
        let bytes = first.bytes(32)
        #expect(bytes != second.bytes(32))
        #expect(bytes != first.bytes(32))
        var system = SystemEntropy()
        #expect(system.bytes(32) != system.bytes(32))
    }

    @Test func `a copied source repeats what the original gives`() {
        var original = SeededEntropy(seed: 12)
        _ = original.bytes(5)
        var copy = original
        #expect(original.bytes(40) == copy.bytes(40))
    }
}
