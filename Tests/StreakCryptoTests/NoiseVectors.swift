import Foundation
import StreakCrypto

/// One of the public Noise test vectors in `Protocol/vectors/noise`.
struct NoiseVector: Decodable, Sendable, CustomStringConvertible {
    struct Message: Decodable, Sendable {
        let payload: String
        let ciphertext: String
    }

    let protocolName: String
    let from: String
    let handshakeHash: String?
    let messages: [Message]
    let initPrologue: String
    let initPsks: [String]?
    let initStatic: String?
    let initRemoteStatic: String?
    let initEphemeral: String
    let respPrologue: String
    let respPsks: [String]?
    let respStatic: String?
    let respEphemeral: String

    var description: String { "\(protocolName) (\(from))" }

    /// Every vector of every file in the folder.
    static func all() throws -> [NoiseVector] {
        struct File: Decodable { let vectors: [NoiseVector] }
        // Links are resolved, so that the tests also run from a package that only links to these files.
        let folder = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appending(components: "Protocol", "vectors", "noise")
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
            .filter { $0.pathExtension == "json" }
            .sorted { $0.path < $1.path }
            .flatMap { try decoder.decode(File.self, from: Data(contentsOf: $0)).vectors }
    }

    /// One side of this vector's handshake.
    func handshake(as role: NoiseRole) throws -> NoiseHandshake {
        guard let pattern = NoisePattern(protocolName: protocolName) else {
            throw UnknownProtocol(name: protocolName)
        }
        let isInitiator = role == .initiator
        return try NoiseHandshake(
            pattern: pattern, role: role, prologue: bytes(isInitiator ? initPrologue : respPrologue),
            staticKey: (isInitiator ? initStatic : respStatic).map { try AgreementSecretKey(rawBytes: bytes($0)) },
            remoteStaticKey: (isInitiator ? initRemoteStatic : nil).map { try AgreementPublicKey(rawBytes: bytes($0)) },
            presharedKeys: ((isInitiator ? initPsks : respPsks) ?? []).map { try SymmetricKey(rawBytes: bytes($0)) },
            ephemeralKey: AgreementSecretKey(rawBytes: bytes(isInitiator ? initEphemeral : respEphemeral)))
    }

    struct UnknownProtocol: Error { let name: String }
}
