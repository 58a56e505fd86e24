import StreakCrypto
import Testing

@Suite struct SealedBoxTests {
    @Test(arguments: [0, 1, 1_000])
    func `the recipient reads what was sealed`(count: Int) throws {
        var entropy = SeededEntropy(seed: 5)
        let key = AgreementSecretKey.generate(from: &entropy)
        let message = [UInt8](repeating: 42, count: count)
        let sealed = try SealedBox.seal(message, to: key.publicKey, from: &entropy)
        #expect(sealed.count == count + SealedBox.overhead)
        #expect(try SealedBox.open(sealed, with: key) == message)
        #expect(try SealedBox.open(SealedBox.seal(message, to: key.publicKey), with: key) == message)
    }

    @Test func `nobody else does, nor a changed message`() throws {
        var entropy = SeededEntropy(seed: 6)
        let key = AgreementSecretKey.generate(from: &entropy)
        let other = AgreementSecretKey.generate(from: &entropy)
        let sealed = try SealedBox.seal([1, 2, 3], to: key.publicKey, from: &entropy)
        #expect(throws: CryptoError.authenticationFailed) { try SealedBox.open(sealed, with: other) }
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CryptoError.authenticationFailed, "byte \(index)") {
                try SealedBox.open(changed, with: key)
            }
        }
        #expect(throws: CryptoError.wrongLength(expected: 48, actual: 47)) {
            try SealedBox.open(Array(sealed.prefix(47)), with: key)
        }
    }
}
