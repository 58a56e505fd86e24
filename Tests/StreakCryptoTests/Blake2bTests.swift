import StreakCrypto
import Testing

@Suite struct Blake2bTests {
    @Test func `the hash of abc is that of RFC 7693`() {
        // RFC 7693 appendix A.
        let expected = bytes(
            """
            ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1
            7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923
            """)
        #expect(Blake2b.hash(Array("abc".utf8), size: 64) == expected)
    }

    @Test func `256 bits are another hash, not a part`() {
        // Agrees with Python's hashlib.
        let expected = bytes("bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319")
        #expect(Blake2b.hash(Array("abc".utf8)) == expected)
    }

    /// The reference implementation's keyed vectors, key 00 … 3f.
    @Test(arguments: [
        (
            0,
            """
            10ebb67700b1868efb4417987acf4690ae9d972fb7a590c2f02871799aaa4786
            b5e996e8f0f4eb981fc214b005f42d2ff4233499391653df7aefcbc13fc51568
            """
        ),
        (
            255,
            """
            142709d62e28fcccd0af97fad0f8465b971e82201dc51070faa0372aa43e9248
            4be1c1e73ba10906d5d1853db6a4106e0a7bf9800d373d6dee2d46d62ef2a461
            """
        ),
    ])
    func `keyed hashes are those of the reference implementation`(count: Int, expected: String) {
        let message = (0..<count).map { UInt8($0) }
        let key = (0..<64).map { UInt8($0) }
        #expect(Blake2b.keyedHash(message, key: key, size: 64) == bytes(expected))
        var hasher = Blake2bHasher(size: 64, key: key)
        hasher.update(message)
        #expect(hasher.finalize() == bytes(expected))
    }

    @Test func `a derived key is the keyed hash of its context`() throws {
        let raw = (0..<32).map { UInt8($0) }
        let key = try SymmetricKey(rawBytes: raw)
        let expected = bytes("c62b0c06dd6c7cb0c36ed3750e64adf2787a28c776d225d9689bc5c6c15b6cf0")
        let context = "streakmesh/v1/tag"
        #expect(Blake2b.derive(context: context, from: key).rawBytes() == expected)
        #expect(Blake2b.keyedHash(Array(context.utf8), key: key) == expected)
        #expect(Blake2b.keyedHash(Array(context.utf8), key: raw) == expected)
        #expect(Blake2b.derive(context: context + "2", from: key) != Blake2b.derive(context: context, from: key))
    }

    @Test(arguments: [0, 1, 127, 128, 129, 255, 256, 257, 1_000])
    func `pieces hash as the whole`(split: Int) throws {
        let message = (0..<1_000).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let key = try SymmetricKey(rawBytes: [UInt8](repeating: 9, count: 32))
        var plain = Blake2bHasher(size: 20)
        var keyed = Blake2bHasher(key: key)
        for piece in [message[..<split], message[split...]] {
            plain.update(Array(piece))
            keyed.update(Array(piece))
        }
        #expect(plain.finalize() == Blake2b.hash(message, size: 20))
        #expect(keyed.finalize() == Blake2b.keyedHash(message, key: key))
    }

    @Test func `a copied hasher goes its own way and a finished one goes on`() {
        var first = Blake2bHasher()
        first.update([1])
        var second = first
        second.update([2])
        #expect(first.finalize() == Blake2b.hash([1]))
        #expect(second.finalize() == Blake2b.hash([1, 2]))
        first.update([3])
        #expect(first.finalize() == Blake2b.hash([1, 3]))
    }

    @Test(arguments: [1, 8, 16, 32, 63, 64])
    func `a hash has the size asked for`(size: Int) {
        #expect(Blake2b.hash([], size: size).count == size)
        #expect(Blake2bHasher(size: size).finalize() == Blake2b.hash([], size: size))
    }
}
