import Foundation
import Synchronization
import Testing

@testable import StreakCrypto

@Suite struct Argon2idTests {
    static let salt = Array("0123456789abcdef".utf8)

    /// Agree with the reference implementation (argon2-cffi), one lane; RFC 9106's own vector needs a secret that
    /// libsodium does not offer.
    @Test(arguments: [
        ("streakmesh", Argon2id.Cost.minimum, "2f50085cd7ff14d7cd1ed41eccf999473e29e09cf367aea33d4b0a07839025d9"),
        ("streakmesh", .interactive, "5418054130e0210f1baef06e5f0eb7565a800fab0f36db41fa64b1a5043e8ec1"),
        ("", .minimum, "85b275a2194b2955382783f5a74edf86"),
    ])
    func `derived bytes are those of the reference implementation`(
        password: String, cost: Argon2id.Cost, expected: String
    ) throws {
        let expected = bytes(expected)
        let derived = try Argon2id.derive(
            password: Array(password.utf8), salt: Self.salt, size: expected.count, cost: cost)
        #expect(derived == expected)
    }

    @Test func `another salt gives other bytes`() throws {
        let first = try Argon2id.derive(password: [1], salt: Self.salt, size: 32, cost: .minimum)
        let second = try Argon2id.derive(password: [1], salt: Self.salt.reversed(), size: 32, cost: .minimum)
        #expect(first != second)
    }

    @Test func `a derivation waits for the one that is under way`() async throws {
        /// Set while another derivation would be under way.
        let isTaken = Mutex(false)
        let hasBegun = Mutex(false)
        let isEarly = await withCheckedContinuation { (continuation: CheckedContinuation<Bool, Never>) in
            Argon2id.turn.withLock { _ in
                isTaken.withLock { $0 = true }
                // A thread of its own: a task might not begin before this one goes on.
                Thread {
                    hasBegun.withLock { $0 = true }
                    _ = try? Argon2id.derive(password: [1], salt: Self.salt, size: 32, cost: .minimum)
                    continuation.resume(returning: isTaken.withLock { $0 })
                }.start()
                while !hasBegun.withLock({ $0 }) { sched_yield() }
                // Many times as long as such a derivation takes.
                for _ in 0..<2_000 {
                    _ = Blake2b.hash([UInt8](repeating: 1, count: 4_096), size: 32)
                    sched_yield()
                }
                isTaken.withLock { $0 = false }
            }
        }
        #expect(!isEarly)
    }

    @Test(arguments: [0, 15, 17])
    func `a salt of another length is refused`(count: Int) {
        #expect(throws: CryptoError.wrongLength(expected: 16, actual: count)) {
            try Argon2id.derive(
                password: [1], salt: [UInt8](repeating: 0, count: count), size: 32, cost: .minimum)
        }
    }
}
