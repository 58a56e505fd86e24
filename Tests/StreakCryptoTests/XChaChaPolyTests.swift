import StreakCrypto
import Testing

@Suite struct XChaChaPolyTests {
    /// draft-irtf-cfrg-xchacha-03 A.3.1. The tag there covers associated data, which this has not.
    static let plaintext = Array(
        """
        Ladies and Gentlemen of the class of '99: If I could offer you only one tip for the future, sunscreen would be it.
        """.utf8)
    static let key = Array(UInt8(0x80)...0x9F)
    static let nonce = Array(UInt8(0x40)...0x57)
    static let sealed = bytes(
        """
        bd6d179d3e83d43b9576579493c0e939572a1700252bfaccbed2902c21396cbb731c7f1b0b4aa6440bf3a82f4eda7e39
        ae64c6708c54c216cb96b72e1213b4522f8c9ba40db5d945b11b69b982c1bb9e3f3fac2bc369488f76b2383565d3fff9
        21f9664c97637da9768812f615c68b13b52e
        """)

    @Test func `sealing gives the bytes of the draft, and opens again`() throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        let sealed = XChaChaPoly.seal(Self.plaintext, key: key, nonce: Self.nonce)
        #expect(sealed.dropLast(XChaChaPoly.overhead) == Self.sealed[...])
        #expect(try XChaChaPoly.open(sealed, key: key, nonce: Self.nonce) == Self.plaintext)
    }

    @Test func `any changed byte, another key and another nonce fail`() throws {
        let key = try SymmetricKey(rawBytes: Self.key)
        let sealed = XChaChaPoly.seal(Self.plaintext, key: key, nonce: Self.nonce)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(throws: CryptoError.authenticationFailed, "byte \(index)") {
                try XChaChaPoly.open(changed, key: key, nonce: Self.nonce)
            }
        }
        let other = try SymmetricKey(rawBytes: Self.key.reversed())
        #expect(throws: CryptoError.authenticationFailed) {
            try XChaChaPoly.open(sealed, key: other, nonce: Self.nonce)
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try XChaChaPoly.open(sealed, key: key, nonce: Self.nonce.reversed())
        }
        for count in [0, 15, sealed.count - 1] {
            #expect(throws: CryptoError.authenticationFailed) {
                try XChaChaPoly.open(Array(sealed.prefix(count)), key: key, nonce: Self.nonce)
            }
        }
        #expect(throws: CryptoError.authenticationFailed) {
            try XChaChaPoly.open(sealed, key: key, nonce: Array(Self.nonce.dropLast()))
        }
    }
}
