import StreakCrypto
import Testing

@Suite struct ConstantTimeTests {
    @Test func `equal bytes are equal and nothing else is`() {
        #expect(ConstantTime.isEqual([], []))
        #expect(ConstantTime.isEqual([1, 2, 3], [1, 2, 3]))
        #expect(!ConstantTime.isEqual([1, 2, 3], [1, 2, 4]))
        #expect(!ConstantTime.isEqual([1, 2, 3], [1, 2]))
    }
}
