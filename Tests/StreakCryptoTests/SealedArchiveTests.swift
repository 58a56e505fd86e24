import StreakCrypto
import Testing

struct SealedArchiveTests {
    private static func sealed(_ content: [UInt8], passphrase: String = "correct horse", pieces: Int = 10_000) throws
        -> [UInt8]
    {
        var entropy = SeededEntropy(seed: 7)
        var writer = try SealedArchive.Writer(passphrase: passphrase, cost: .minimum, from: &entropy)
        var file: [UInt8] = []
        for start in stride(from: 0, to: content.count, by: pieces) {
            file += writer.seal(Array(content[start..<min(start + pieces, content.count)]))
        }
        return file + writer.finish()
    }

    private static func opened(_ file: [UInt8], passphrase: String = "correct horse", pieces: Int = 10_000) throws
        -> [UInt8]
    {
        var reader = SealedArchive.Reader(passphrase: passphrase)
        var content: [UInt8] = []
        for start in stride(from: 0, to: file.count, by: pieces) {
            content += try reader.open(Array(file[start..<min(start + pieces, file.count)]))
        }
        try reader.finish()
        return content
    }

    private static func content(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 131 >> 3) }
    }

    /// Whether opening a file failed for this reason.
    private static func fails(_ file: [UInt8], _ expected: SealedArchiveError, passphrase: String = "correct horse")
        -> Bool
    {
        do {
            _ = try opened(file, passphrase: passphrase)
            return false
        } catch let error as SealedArchiveError {
            return error == expected
        } catch {
            return false
        }
    }

    @Test(arguments: [0, 1, 65_535, 65_536, 65_537, 131_072, 200_000])
    func `what was sealed is read again, whatever the pieces`(count: Int) throws {
        let content = Self.content(count)
        let file = try Self.sealed(content)
        let isSame = try Self.sealed(content, pieces: 77_777) == file
        #expect(isSame)
        let chunks = max(1, (count + 65_535) / 65_536)
        #expect(file.count == 65 + count + chunks * 21)
        for pieces in [4_096, 65_536, 1_000_000] {
            let isRead = try Self.opened(file, pieces: pieces) == content
            #expect(isRead)
        }
    }

    @Test func `a header that comes byte by byte is read`() throws {
        let file = try Self.sealed([1, 2, 3])
        #expect(try Self.opened(file, pieces: 1) == [1, 2, 3])
    }

    @Test func `two archives of one content share nothing`() throws {
        var entropy = SeededEntropy(seed: 9)
        let first = try SealedArchive.Writer(passphrase: "a", cost: .minimum, from: &entropy).finish()
        let second = try SealedArchive.Writer(passphrase: "a", cost: .minimum, from: &entropy).finish()
        #expect(first.dropFirst(25) != second.dropFirst(25))
    }

    @Test func `another passphrase and any changed byte are told as one`() throws {
        let file = try Self.sealed(Self.content(100))
        #expect(Self.fails(file, .wrongPassphraseOrDamaged, passphrase: "correct horsf"))
        #expect(Self.fails(file, .wrongPassphraseOrDamaged, passphrase: ""))
        // From the salt on; before it stand the fields that are refused for themselves.
        for index in 25..<file.count where !(65..<69).contains(index) {
            var changed = file
            changed[index] ^= 1
            #expect(Self.fails(changed, .wrongPassphraseOrDamaged), "byte \(index)")
        }
    }

    @Test func `chunks moved, left out, repeated or appended are noticed`() throws {
        let file = try Self.sealed(Self.content(65_536 * 3 + 5))
        let size = 65_536 + 21
        let header = Array(file.prefix(65))
        let chunks = (0..<3).map { Array(file[(65 + $0 * size)..<(65 + ($0 + 1) * size)]) }
        let last = Array(file.suffix(26))
        #expect(header + chunks.flatMap(\.self) + last == file)
        #expect(Self.fails(header + chunks[1] + chunks[0] + chunks[2] + last, .wrongPassphraseOrDamaged))
        #expect(Self.fails(header + chunks[0] + chunks[2] + last, .wrongPassphraseOrDamaged))
        #expect(Self.fails(header + chunks[0] + chunks[0] + chunks[1] + chunks[2] + last, .wrongPassphraseOrDamaged))
        #expect(Self.fails(header + last, .wrongPassphraseOrDamaged))
        #expect(Self.fails(file + last, .wrongPassphraseOrDamaged))
        #expect(Self.fails(file + [0], .wrongPassphraseOrDamaged))
    }

    @Test func `a file cut off anywhere is truncated, and never taken for a whole one`() throws {
        let file = try Self.sealed(Self.content(65_536 * 2 + 5))
        let size = 65_536 + 21
        for count in [1, 16, 17, 64, 65, 66, 69, 1_000, 65 + size - 1, 65 + size, 65 + 2 * size, file.count - 1] {
            #expect(Self.fails(Array(file.prefix(count)), .truncated), "\(count) bytes")
        }
    }

    @Test func `what is no archive, and one of another version, are told apart`() throws {
        #expect(Self.fails([], .notAnArchive))
        #expect(Self.fails([0], .notAnArchive))
        #expect(Self.fails(Array("SQLite format 3".utf8), .notAnArchive))
        var newer = try Self.sealed([1])
        newer[16] = 2
        #expect(Self.fails(newer, .unsupportedVersion(2)))
    }

    @Test(
        arguments: [
            (0, 8), (5, 8), (UInt32.max, 8), (1, 7), (1, 262_145), (1, UInt32.max),
        ] as [(UInt32, UInt32)])
    func `a hostile header is refused`(passes: UInt32, kibibytes: UInt32) throws {
        var file = try Self.sealed([1])
        for index in 0..<4 {
            file[17 + index] = UInt8(truncatingIfNeeded: passes >> (24 - 8 * UInt32(index)))
            file[21 + index] = UInt8(truncatingIfNeeded: kibibytes >> (24 - 8 * UInt32(index)))
        }
        #expect(Self.fails(file, .costOutOfRange(passes: Int(passes), kibibytes: Int(kibibytes))))
    }

    @Test(arguments: [0, 16, 65_554, UInt32.max] as [UInt32])
    func `a chunk of an impossible size is refused before anything is waited for`(size: UInt32) throws {
        var file = try Self.sealed([1, 2, 3])
        for index in 0..<4 { file[65 + index] = UInt8(truncatingIfNeeded: size >> (24 - 8 * UInt32(index))) }
        #expect(Self.fails(file, .wrongPassphraseOrDamaged))
    }

    @Test func `an archive needs a passphrase`() {
        var entropy = SeededEntropy(seed: 1)
        #expect(throws: SealedArchiveError.emptyPassphrase) {
            _ = try SealedArchive.Writer(passphrase: "", cost: .minimum, from: &entropy).finish()
        }
    }

    @Test func `an archive at moderate cost is what a reader still opens`() throws {
        var entropy = SystemEntropy()
        let file = try SealedArchive.Writer(passphrase: "slow", from: &entropy).finish()
        #expect(try Self.opened(file, passphrase: "slow").isEmpty)
    }
}
