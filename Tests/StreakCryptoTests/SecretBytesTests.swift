import StreakCrypto
import Testing

@Suite struct SecretBytesTests {
    @Test(arguments: [0, 1, 32, 64, 5_000])
    func `secrets keep their bytes`(count: Int) {
        let contents = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        let secret = SecretBytes(bytes: contents)
        #expect(secret.count == count)
        #expect(secret.exportedBytes() == contents)
        #expect(unsafe secret.withUnsafeBytes { unsafe Array($0) } == contents)
    }

    @Test func `equal secrets are equal and nothing else is`() {
        let secret = SecretBytes(bytes: [1, 2, 3])
        #expect(secret.isEqual(SecretBytes(bytes: [1, 2, 3])))
        #expect(!secret.isEqual(SecretBytes(bytes: [1, 2, 4])))
        #expect(!secret.isEqual(SecretBytes(bytes: [1, 2])))
    }

    @Test func `a secret does not show itself when printed or dumped`() {
        let secret = SecretBytes(bytes: [171, 172, 173])
        var text = "\(secret) \(String(reflecting: secret))"
        dump(secret, to: &text)
        #expect(!text.contains("171") && !text.contains("ab"))
    }

    @Test func `thousands of secrets may live at once`() {
        var entropy = SeededEntropy(seed: 7)
        let secrets = (0..<4_000).map { _ in SecretBytes(random: 32, from: &entropy) }
        #expect(Set(secrets.map { $0.exportedBytes() }).count == secrets.count)
    }

    @Test func `symmetric keys compare by their bytes`() throws {
        var entropy = SeededEntropy(seed: 8)
        let key = SymmetricKey.generate(from: &entropy)
        #expect(try SymmetricKey(rawBytes: key.rawBytes()) == key)
        #expect(SymmetricKey.generate(from: &entropy) != key)
    }

    @Test func `as many secrets as a thousand links have can be held at once`() {
        let secrets = (0..<30_000).map { SecretBytes(bytes: [UInt8(truncatingIfNeeded: $0), 7]) }
        #expect(secrets.enumerated().allSatisfy { $1.exportedBytes() == [UInt8(truncatingIfNeeded: $0), 7] })
    }
}
