import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

@testable import streakmesh_vectors

/// One of the protocol's decoders, by its name in the vector files. It decodes, and encodes the result again.
struct VectorDecoder {
    let name: String
    /// Whether bytes of a later version may be dropped, so that the result is shorter.
    let dropsTails: Bool
    private let body: ([UInt8]) throws(WireError) -> [UInt8]

    func reencode(_ bytes: [UInt8]) throws(WireError) -> [UInt8] { try body(bytes) }

    init(_ name: String) throws {
        self.name = name
        dropsTails = name == "message"
        switch name {
        case "record": body = { bytes throws(WireError) in try Record(decoding: bytes).encoded }
        case "run": body = Self.run
        case "certificate": body = { bytes throws(WireError) in try DeviceCertificate(decoding: bytes).encoded() }
        case "operation": body = Self.operation
        case "message": body = { bytes throws(WireError) in try LinkMessage(decoding: bytes).encoded }
        case "proof": body = Self.proof
        case "device proof": body = Self.deviceProof
        case "whereabouts": body = { bytes throws(WireError) in try Whereabouts(decoding: bytes).bytes }
        case "friend request": body = { bytes throws(WireError) in try FriendRequest(decoding: bytes).bytes }
        default: throw VectorProblem(text: "no decoder “\(name)”")
        }
    }

    private static func run(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        var reader = WireReader(bytes)
        let run = try Run(from: &reader)
        try reader.finish()
        return run.encoded
    }

    /// Signs the decoded operation with a key of its own. Everything but the signature must be unchanged.
    private static func operation(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        let operation = try SignedOperation(decoding: bytes)
        var entropy = SeededEntropy(seed: 1)
        guard
            let again = try? SignedOperation(
                signing: operation.operation, with: SigningSecretKey.generate(from: &entropy))
        else { return [] }  // too large only when re-encoded: seen as a difference
        return again.bytes.dropLast(64) + bytes.suffix(64)
    }

    private static func proof(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        var reader = WireReader(bytes)
        let proof = try JoinProof(from: &reader)
        try reader.finish()
        var writer = WireWriter()
        proof.write(to: &writer)
        return writer.bytes
    }

    private static func deviceProof(_ bytes: [UInt8]) throws(WireError) -> [UInt8] {
        var reader = WireReader(bytes)
        let proof = try DeviceProof(from: &reader)
        try reader.finish()
        var writer = WireWriter()
        proof.write(to: &writer)
        return writer.bytes
    }
}
