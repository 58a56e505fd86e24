import StreakCrypto
import Testing

@Suite struct NoisePatternTests {
    @Test(arguments: [
        (NoisePattern.ik, "Noise_IK_25519_ChaChaPoly_BLAKE2b"),
        (.xx.addingPresharedKeys(at: [0]), "Noise_XXpsk0_25519_ChaChaPoly_BLAKE2b"),
        (.ik.addingPresharedKeys(at: [2]), "Noise_IKpsk2_25519_ChaChaPoly_BLAKE2b"),
        (.xx.addingPresharedKeys(at: [3, 0]), "Noise_XXpsk0+psk3_25519_ChaChaPoly_BLAKE2b"),
        (.xk.addingPresharedKeys(at: [3]).addingPresharedKeys(at: [3]), "Noise_XKpsk3_25519_ChaChaPoly_BLAKE2b"),
        (.nn.addingPresharedKeys(at: [0]), "Noise_NNpsk0_25519_ChaChaPoly_BLAKE2b"),
    ])
    func `a pattern has one name and a name one pattern`(pattern: NoisePattern, name: String) {
        #expect(pattern.protocolName == name)
        #expect(NoisePattern(protocolName: name) == pattern)
    }

    @Test(arguments: [
        "", "Noise_IK", "Noise_KK_25519_ChaChaPoly_BLAKE2b", "Noise_IK_25519_AESGCM_BLAKE2b",
        "Noise_IKpsk3_25519_ChaChaPoly_BLAKE2b", "Noise_XXpsk3+psk0_25519_ChaChaPoly_BLAKE2b",
        "Noise_XXpsk0+psk0_25519_ChaChaPoly_BLAKE2b", "Noise_IK_25519_ChaChaPoly_BLAKE2b ",
    ])
    func `another name is no pattern`(name: String) {
        #expect(NoisePattern(protocolName: name) == nil)
    }
}
