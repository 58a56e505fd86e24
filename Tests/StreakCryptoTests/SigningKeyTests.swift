import StreakCrypto
import Testing

@Suite struct SigningKeyTests {
    struct Vector: Sendable {
        let seed: String
        let publicKey: String
        let message: String
        let signature: String
    }

    /// RFC 8032 §7.1, tests 1 to 3.
    static let vectors = [
        Vector(
            seed: "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
            publicKey: "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a",
            message: "",
            signature: """
                e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e06522490155
                5fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b
                """),
        Vector(
            seed: "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
            publicKey: "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c",
            message: "72",
            signature: """
                92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da
                085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00
                """),
        Vector(
            seed: "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
            publicKey: "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025",
            message: "af82",
            signature: """
                6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac
                18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a
                """),
    ]

    @Test(arguments: vectors)
    func `keys and signatures are those of RFC 8032`(vector: Vector) throws {
        let key = try SigningSecretKey(seed: bytes(vector.seed))
        #expect(key.publicKey.rawBytes == bytes(vector.publicKey))
        #expect(key.seedBytes() == bytes(vector.seed))
        let signature = key.signature(for: bytes(vector.message))
        #expect(signature.rawBytes == bytes(vector.signature))
        #expect(key.publicKey.isValid(signature, for: bytes(vector.message)))
    }

    @Test(arguments: vectors)
    func `a changed signature, message or key is not valid`(vector: Vector) throws {
        let publicKey = try SigningPublicKey(rawBytes: bytes(vector.publicKey))
        let signature = try Signature(rawBytes: bytes(vector.signature))
        let message = bytes(vector.message)
        for index in signature.rawBytes.indices {
            var changed = signature.rawBytes
            changed[index] ^= 1
            #expect(try !publicKey.isValid(Signature(rawBytes: changed), for: message), "byte \(index)")
        }
        #expect(!publicKey.isValid(signature, for: message + [0]))
        for index in publicKey.rawBytes.indices {
            var changed = publicKey.rawBytes
            changed[index] ^= 1
            #expect(try !SigningPublicKey(rawBytes: changed).isValid(signature, for: message), "byte \(index)")
        }
    }

    @Test func `a signature with S raised by the group order is not valid`() throws {
        let vector = Self.vectors[1]
        let order = bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
        var raised = bytes(vector.signature)
        var carry = 0
        for index in 0..<32 {
            let sum = Int(raised[32 + index]) + Int(order[index]) + carry
            raised[32 + index] = UInt8(sum & 0xff)
            carry = sum >> 8
        }
        let publicKey = try SigningPublicKey(rawBytes: bytes(vector.publicKey))
        #expect(try !publicKey.isValid(Signature(rawBytes: raised), for: bytes(vector.message)))
    }

    @Test func `a public key of small order validates nothing`() throws {
        // With the neutral element as key and as R, and S = 0, the plain equation holds for every message.
        let neutral = [1] + [UInt8](repeating: 0, count: 31)
        let signature = try Signature(rawBytes: neutral + [UInt8](repeating: 0, count: 32))
        #expect(try !SigningPublicKey(rawBytes: neutral).isValid(signature, for: [1, 2, 3]))
    }

    @Test(arguments: [0, 31, 33, 64])
    func `keys of another length are refused`(count: Int) {
        let wrong = [UInt8](repeating: 7, count: count)
        let expected = CryptoError.wrongLength(expected: 32, actual: count)
        #expect(throws: expected) { try SigningPublicKey(rawBytes: wrong) }
        #expect(throws: expected) { try SigningSecretKey(seed: wrong) }
    }

    @Test(arguments: [0, 63, 65])
    func `signatures of another length are refused`(count: Int) {
        #expect(throws: CryptoError.wrongLength(expected: 64, actual: count)) {
            try Signature(rawBytes: [UInt8](repeating: 7, count: count))
        }
    }

    @Test func `generated keys come from the entropy source`() throws {
        var first = SeededEntropy(seed: 1)
        var again = SeededEntropy(seed: 1)
        var other = SeededEntropy(seed: 2)
        let key = SigningSecretKey.generate(from: &first)
        #expect(key.publicKey == SigningSecretKey.generate(from: &again).publicKey)
        #expect(key.publicKey != SigningSecretKey.generate(from: &other).publicKey)
        #expect(key.publicKey != SigningSecretKey.generate(from: &first).publicKey)
        #expect(try SigningSecretKey(seed: key.seedBytes()).publicKey == key.publicKey)
    }

    @Test func `public keys are ordered as their bytes`() throws {
        let low = try SigningPublicKey(rawBytes: [1] + [UInt8](repeating: 255, count: 31))
        let high = try SigningPublicKey(rawBytes: [2] + [UInt8](repeating: 0, count: 31))
        #expect(low < high && !(high < low) && !(low < low))
    }
}
