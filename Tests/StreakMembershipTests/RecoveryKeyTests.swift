import StreakCrypto
import StreakMembership
import StreakWire
import Testing

struct RecoveryKeyTests {
    private static func key(_ byte: UInt8) throws -> RecoveryKey {
        RecoveryKey(try SigningSecretKey(seed: [UInt8](repeating: byte, count: 32)))
    }

    private static func refusal(of text: String) -> RecoveryKeyError? {
        do {
            _ = try RecoveryKey(text)
            return nil
        } catch {
            return error
        }
    }

    @Test(arguments: [0, 1, 0x5A, 0xFF] as [UInt8])
    func `a key written down is read again`(byte: UInt8) throws {
        let key = try Self.key(byte)
        let text = key.text()
        #expect(text.split(separator: "-").map(\.count) == [Int](repeating: 4, count: 14))
        let read = try RecoveryKey(text)
        #expect(read.accountKey.seedBytes() == key.accountKey.seedBytes())
        #expect(read.user == key.user)
    }

    @Test func `case, blanks, hyphens and look-alikes do not matter`() throws {
        let text = try Self.key(0).text()
        let typed = text.lowercased().replacing("-", with: "  \n").replacing("0", with: "o")
        #expect(try RecoveryKey(typed).text() == text)
        let ones = try RecoveryKey(SigningSecretKey(seed: [UInt8](repeating: 0x08, count: 32))).text()
        #expect(ones.contains("1"))
        for other in ["I", "l", "i", "L"] {
            #expect(try RecoveryKey(ones.replacing("1", with: other)).text() == ones)
        }
    }

    @Test func `an error says what is wrong with a text, and nothing about the key`() throws {
        let text = try Self.key(3).text()
        #expect(Self.refusal(of: "") == .empty)
        #expect(Self.refusal(of: " - \n") == .empty)
        #expect(Self.refusal(of: String(text.dropLast())) == .wrongLength(expected: 56, actual: 55))
        #expect(Self.refusal(of: text + "A") == .wrongLength(expected: 56, actual: 57))
        #expect(Self.refusal(of: String(repeating: "A", count: 5_000)) == .wrongLength(expected: 56, actual: 5_000))
        #expect(Self.refusal(of: text.dropLast() + "U") == .invalidCharacter("U"))
        #expect(Self.refusal(of: text.dropLast() + "é") == .invalidCharacter("é"))
        #expect(Self.refusal(of: text.dropLast() + "!") == .invalidCharacter("!"))
    }

    @Test func `every single wrong symbol is noticed`() throws {
        let text = Array(try Self.key(3).text())
        for index in text.indices where text[index] != "-" {
            var changed = text
            changed[index] = text[index] == "7" ? "8" : "7"
            #expect(Self.refusal(of: String(changed)) == .wrongChecksum)
        }
    }

    @Test func `two groups exchanged are noticed`() throws {
        var entropy = SeededEntropy(seed: 4)
        var groups = RecoveryKey(SigningSecretKey.generate(from: &entropy)).text().split(separator: "-")
        groups.swapAt(3, 4)
        #expect(Self.refusal(of: groups.joined()) == .wrongChecksum)
    }

    @Test func `a description holds no secret`() throws {
        let key = try Self.key(3)
        var dumped = ""
        dump(key, to: &dumped)
        for text in ["\(key)", String(reflecting: key), dumped] {
            #expect(!text.contains(key.text().prefix(9)))
            #expect(!text.contains("3, 3, 3"))
        }
    }
}
