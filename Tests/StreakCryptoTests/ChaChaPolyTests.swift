import StreakCrypto
import Testing

@Suite struct ChaChaPolyTests {
    /// RFC 8439 appendix A.5, whose nonce starts with four zero bytes as Noise's do.
    static let plaintext = Array(
        """
        Internet-Drafts are draft documents valid for a maximum of six months and may be updated, replaced, or \
        obsoleted by other documents at any time. It is inappropriate to use Internet-Drafts as reference material or \
        to cite them other than as /\u{201c}work in progress./\u{201d}
        """.utf8)
    static let key = bytes("1c9240a5eb55d38af333888604f6b5f0473917c1402b80099dca5cbc207075c0")
    static let nonce: UInt64 = 0x0807_0605_0403_0201
    static let data = bytes("f33388860000000000004e91")
    static let sealed = bytes(
        """
        64a0861575861af460f062c79be643bd5e805cfd345cf389f108670ac76c8cb24c6cfc18755d43eea09ee94e382d26b0
        bdb7b73c321b0100d4f03b7f355894cf332f830e710b97ce98c8a84abd0b948114ad176e008d33bd60f982b1ff37c855
        9797a06ef4f0ef61c186324e2b3506383606907b6a7c02b0f9f6157b53c867e4b9166c767b804d46a59b5216cde7a4e9
        9040c5a40433225ee282a1b0a06c523eaf4534d7f83fa1155b0047718cbc546a0d072b04b3564eea1b422273f548271a
        0bb2316053fa76991955ebd63159434ecebb4e466dae5a1073a6727627097a1049e617d91d361094fa68f0ff77987130
        305beaba2eda04df997b714d6c6f2c29a6ad5cb4022b02709beead9d67890cbb22392336fea1851f38
        """)

    @Test func `sealing gives the bytes of RFC 8439`() throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        let sealed = ChaChaPoly.seal(Self.plaintext, authenticating: Self.data, key: key, nonce: Self.nonce)
        #expect(sealed == Self.sealed)
        #expect(
            try ChaChaPoly.open(sealed, authenticating: Self.data, key: key, nonce: Self.nonce) == Self.plaintext)
    }

    @Test func `any changed byte fails`() throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        for index in Self.sealed.indices {
            var changed = Self.sealed
            changed[index] ^= 0x80
            #expect(throws: CryptoError.authenticationFailed, "byte \(index)") {
                try ChaChaPoly.open(changed, authenticating: Self.data, key: key, nonce: Self.nonce)
            }
        }
    }

    @Test func `another nonce, key or associated data fails`() throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        let otherKey = try SymmetricKey(rawBytes: Self.key.map { $0 ^ 1 })
        #expect(throws: CryptoError.authenticationFailed) {
            try ChaChaPoly.open(Self.sealed, authenticating: Self.data, key: key, nonce: Self.nonce + 1)
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try ChaChaPoly.open(Self.sealed, authenticating: Self.data + [0], key: key, nonce: Self.nonce)
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try ChaChaPoly.open(Self.sealed, authenticating: Self.data, key: otherKey, nonce: Self.nonce)
        }
    }

    @Test(arguments: [0, 1, 15, 16, 264])
    func `a truncated message fails`(count: Int) throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        #expect(throws: CryptoError.authenticationFailed) {
            try ChaChaPoly.open(
                Array(Self.sealed.prefix(count)), authenticating: Self.data, key: key, nonce: Self.nonce)
        }
    }

    @Test func `an empty message has a tag only`() throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        let sealed = ChaChaPoly.seal([], key: key, nonce: 0)
        #expect(sealed.count == ChaChaPoly.overhead)
        #expect(try ChaChaPoly.open(sealed, key: key, nonce: 0) == [])
    }
}
