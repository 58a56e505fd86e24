import StreakCrypto
import Testing

@Suite struct NoiseCipherTests {
    let cipher: NoiseCipher

    init() {
        var entropy = SeededEntropy(seed: 30)
        cipher = NoiseCipher(key: .generate(from: &entropy))
    }

    @Test func `messages open in any order, under their own counter only`() throws {
        let sealed = try (0..<5).map { try cipher.seal([UInt8($0)], counter: UInt64($0), authenticating: [9]) }
        for index in [3, 0, 4, 1, 2, 3] {
            #expect(try cipher.open(sealed[index], counter: UInt64(index), authenticating: [9]) == [UInt8(index)])
        }
        #expect(throws: NoiseError.authenticationFailed) {
            try cipher.open(sealed[3], counter: 2, authenticating: [9])
        }
        #expect(throws: NoiseError.authenticationFailed) { try cipher.open(sealed[3], counter: 3) }
    }

    @Test func `the last counter is reserved`() throws {
        #expect(throws: NoiseError.nonceExhausted) { try cipher.seal([], counter: .max) }
        #expect(throws: NoiseError.nonceExhausted) {
            try cipher.open([UInt8](repeating: 0, count: 16), counter: .max)
        }
        #expect(try cipher.open(cipher.seal([1], counter: .max - 1), counter: .max - 1) == [1])
    }

    @Test func `lengths are bounded`() throws {
        let longest = [UInt8](repeating: 1, count: 65_535 - NoiseCipher.overhead)
        #expect(try cipher.open(cipher.seal(longest, counter: 0), counter: 0) == longest)
        #expect(throws: NoiseError.messageTooLong(maximum: 65_535, actual: 65_536)) {
            try cipher.seal(longest + [1], counter: 0)
        }
        #expect(throws: NoiseError.messageTooLong(maximum: 65_535, actual: 65_536)) {
            try cipher.open([UInt8](repeating: 1, count: 65_536), counter: 0)
        }
        #expect(throws: NoiseError.messageTooShort(minimum: 16, actual: 15)) {
            try cipher.open([UInt8](repeating: 1, count: 15), counter: 0)
        }
    }
}
