import StreakCrypto
import Testing

@Suite struct AgreementKeyTests {
    /// RFC 7748 §5.2: scalar, u-coordinate, product.
    @Test(arguments: [
        (
            "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
            "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
            "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
        ),
        (
            "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
            "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
            "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
        ),
    ])
    func `products are those of RFC 7748`(scalar: String, point: String, product: String) throws {
        let key = try AgreementSecretKey(rawBytes: bytes(scalar))
        let secret = try key.sharedSecret(with: AgreementPublicKey(rawBytes: bytes(point)))
        #expect(secret.exportedBytes() == bytes(product))
        #expect(key.rawBytes() == bytes(scalar))
    }

    @Test func `a thousand products in a chain end where RFC 7748 says`() throws {
        var scalar = [9] + [UInt8](repeating: 0, count: 31)
        var point = scalar
        for round in 1...1_000 {
            let key = try AgreementSecretKey(rawBytes: scalar)
            let product = try key.sharedSecret(with: AgreementPublicKey(rawBytes: point)).exportedBytes()
            (point, scalar) = (scalar, product)
            if round == 1 {
                #expect(scalar == bytes("422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079"))
            }
        }
        #expect(scalar == bytes("684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51"))
    }

    @Test func `both sides agree on one secret`() throws {
        var entropy = SeededEntropy(seed: 3)
        let ada = AgreementSecretKey.generate(from: &entropy)
        let bela = AgreementSecretKey.generate(from: &entropy)
        let secret = try ada.sharedSecret(with: bela.publicKey)
        #expect(try secret.isEqual(bela.sharedSecret(with: ada.publicKey)))
        #expect(try !secret.isEqual(ada.sharedSecret(with: ada.publicKey)))
    }

    /// The points of order 1, 2, 4 and 8 and their non-canonical forms.
    @Test(arguments: [
        "0000000000000000000000000000000000000000000000000000000000000000",
        "0100000000000000000000000000000000000000000000000000000000000000",
        "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
        "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
        "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
        "0000000000000000000000000000000000000000000000000000000000000080",
    ])
    func `a key of low order is refused`(point: String) throws {
        var entropy = SeededEntropy(seed: 4)
        let key = AgreementSecretKey.generate(from: &entropy)
        let other = try AgreementPublicKey(rawBytes: bytes(point))
        #expect(throws: CryptoError.invalidKey) { try key.sharedSecret(with: other) }
    }

    @Test(arguments: [0, 31, 33])
    func `keys of another length are refused`(count: Int) {
        let wrong = [UInt8](repeating: 7, count: count)
        let expected = CryptoError.wrongLength(expected: 32, actual: count)
        #expect(throws: expected) { try AgreementPublicKey(rawBytes: wrong) }
        #expect(throws: expected) { try AgreementSecretKey(rawBytes: wrong) }
        #expect(throws: expected) { try SymmetricKey(rawBytes: wrong) }
    }
}
