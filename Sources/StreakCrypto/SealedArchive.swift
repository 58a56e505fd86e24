import CSodium

/// A file that only a passphrase opens, written and read in pieces of any size.
///
/// | offset | field | type | limit |
/// |---|---|---|---|
/// | 0 | `streakmesh-seal` and a line feed | 16 bytes | |
/// | 16 | version | u8 | 1 |
/// | 17 | Argon2id passes | u32 | 1–4 |
/// | 21 | Argon2id memory, KiB | u32 | 8–262,144 |
/// | 25 | Argon2id salt | 16 bytes | |
/// | 41 | header of the stream | 24 bytes | |
/// | 65 | chunks: size of what follows, sealed bytes | u32, 17–65,553 bytes | |
///
/// The stream is libsodium's secretstream (XChaCha20-Poly1305) under Argon2id of the passphrase's UTF-8. Every chunk
/// authenticates the 65 bytes before the first, its place and all chunks before it. Every chunk but the last holds 65,536
/// bytes; the last, which alone has the stream's final tag, 0 to 65,536. Integers are big-endian.
public enum SealedArchive {
    /// Plaintext of a chunk.
    static let chunkSize = 65_536
    /// Bytes before the first chunk.
    public static let headerSize = 65

    static let magic = Array("streakmesh-seal\n".utf8)
    static let version: UInt8 = 1
    /// What a reader is willing to do for a file: libsodium's "moderate" at most, in every respect.
    static let passes = 1...4
    static let memory = (8 << 10)...(256 << 20)

    static func stream(
        passphrase: [UInt8], salt: [UInt8], passes: Int, memory: Int, streamHeader: [UInt8]
    ) throws(SealedArchiveError) -> SecretStream {
        do {
            var key = try Argon2id.derive(
                password: passphrase, salt: salt, size: 32, passes: passes, memory: memory)
            defer { unsafe sodium_memzero(&key, key.count) }
            return SecretStream(key: key, header: streamHeader)
        } catch {
            // The salt has its size: memory is all that can be missing.
            throw .outOfMemory
        }
    }

    /// Seals. Write what each call returns, in order.
    public struct Writer: ~Copyable, Sendable {
        private var stream: SecretStream
        private let header: [UInt8]
        private var isHeaderOut = false
        private var waiting: [UInt8] = []

        /// Derives the key, which takes the time and memory of `cost` (moderate: about 1 s and 256 MiB).
        ///
        /// - Throws: `emptyPassphrase`, `outOfMemory`.
        public init(
            passphrase: String, cost: Argon2id.Cost = .moderate, from entropy: inout some EntropySource
        ) throws(SealedArchiveError) {
            guard !passphrase.isEmpty else { throw .emptyPassphrase }
            let salt = entropy.exactly(Argon2id.saltByteCount)
            let streamHeader = entropy.exactly(SecretStream.headerSize)
            let header =
                SealedArchive.magic + [SealedArchive.version] + BigEndian.bytes(UInt32(cost.passes))
                + BigEndian.bytes(UInt32(cost.memory >> 10)) + salt + streamHeader
            let stream = try SealedArchive.stream(
                passphrase: Array(passphrase.utf8), salt: salt, passes: cost.passes, memory: cost.memory,
                streamHeader: streamHeader)
            self.header = header
            self.stream = stream
        }

        /// Takes more of the content; returns what is ready to be written, possibly nothing. O(bytes).
        public mutating func seal(_ bytes: [UInt8]) -> [UInt8] {
            waiting += bytes
            var output = takeHeader()
            var start = 0
            // The last chunk has to be known as such, so a full one waits for the byte after it.
            while waiting.count - start > SealedArchive.chunkSize {
                let end = start + SealedArchive.chunkSize
                output += chunk(waiting[start..<end], isLast: false)
                start = end
            }
            waiting.removeFirst(start)
            return output
        }

        /// The rest of the file.
        public consuming func finish() -> [UInt8] {
            let rest = waiting
            return takeHeader() + chunk(rest[...], isLast: true)
        }

        private mutating func takeHeader() -> [UInt8] {
            defer { isHeaderOut = true }
            return isHeaderOut ? [] : header
        }

        private mutating func chunk(_ plaintext: ArraySlice<UInt8>, isLast: Bool) -> [UInt8] {
            let sealed = stream.seal(plaintext, authenticating: header, isLast: isLast)
            return BigEndian.bytes(UInt32(sealed.count)) + sealed
        }
    }

    /// Opens. Nothing that `open` returned is known to be the whole until `finish` has returned.
    public struct Reader: ~Copyable, Sendable {
        private let passphrase: SecretBytes
        private var stream: SecretStream?
        private var header: [UInt8] = []
        private var waiting: [UInt8] = []
        private var isComplete = false

        public init(passphrase: String) {
            self.passphrase = SecretBytes(bytes: Array(passphrase.utf8))
        }

        /// Takes more of the file; returns the content it completes, possibly nothing. O(bytes), and once the time and
        /// memory that the file's header names: at most those of `Argon2id.Cost.moderate` and a fourth pass.
        ///
        /// - Throws: all but `emptyPassphrase`; the reader is of no use afterwards.
        public mutating func open(_ bytes: [UInt8]) throws(SealedArchiveError) -> [UInt8] {
            waiting += bytes
            var start = try stream == nil ? readHeader() : 0
            guard stream != nil else { return [] }
            var output: [UInt8] = []
            while waiting.count - start >= 4 {
                guard !isComplete else { break }
                let size = Int(BigEndian.value(waiting[start..<(start + 4)]))
                guard (SecretStream.overhead...(SealedArchive.chunkSize + SecretStream.overhead)).contains(size) else {
                    throw .wrongPassphraseOrDamaged
                }
                guard waiting.count - start - 4 >= size else { break }
                output += try openChunk(waiting[(start + 4)..<(start + 4 + size)])
                start += 4 + size
            }
            waiting.removeFirst(start)
            // Something was appended.
            guard !isComplete || waiting.isEmpty else { throw .wrongPassphraseOrDamaged }
            return output
        }

        /// Says that the file has ended.
        ///
        /// - Throws: `truncated`, `notAnArchive`.
        public consuming func finish() throws(SealedArchiveError) {
            guard !isComplete else { return }
            guard stream != nil || !waiting.isEmpty else { throw .notAnArchive }
            throw .truncated
        }

        private mutating func openChunk(_ sealed: ArraySlice<UInt8>) throws(SealedArchiveError) -> [UInt8] {
            do {
                guard let (plaintext, isLast) = try stream?.open(sealed, authenticating: header) else { return [] }
                isComplete = isLast
                guard isLast || plaintext.count == SealedArchive.chunkSize else {
                    throw CryptoError.authenticationFailed
                }
                return plaintext
            } catch {
                throw .wrongPassphraseOrDamaged
            }
        }

        /// Reads the header once it is all there, and returns its size.
        private mutating func readHeader() throws(SealedArchiveError) -> Int {
            guard waiting.starts(with: SealedArchive.magic.prefix(waiting.count)) else { throw .notAnArchive }
            let versionOffset = SealedArchive.magic.count
            if waiting.count > versionOffset, waiting[versionOffset] != SealedArchive.version {
                throw .unsupportedVersion(waiting[versionOffset])
            }
            guard waiting.count >= SealedArchive.headerSize else { return 0 }
            let passes = Int(BigEndian.value(waiting[17..<21]))
            let kibibytes = Int(BigEndian.value(waiting[21..<25]))
            guard SealedArchive.passes.contains(passes), SealedArchive.memory.contains(kibibytes << 10) else {
                throw .costOutOfRange(passes: passes, kibibytes: kibibytes)
            }
            header = Array(waiting.prefix(SealedArchive.headerSize))
            stream = try SealedArchive.stream(
                passphrase: passphrase.exportedBytes(), salt: Array(header[25..<41]), passes: passes,
                memory: kibibytes << 10, streamHeader: Array(header[41..<65]))
            return SealedArchive.headerSize
        }
    }
}

/// Why an archive was not made or not opened.
public enum SealedArchiveError: Error, Equatable, Sendable {
    /// An archive without a passphrase would protect nothing. Ask for one.
    case emptyPassphrase
    /// The file does not begin as an archive does.
    case notAnArchive
    /// A newer program made it.
    case unsupportedVersion(UInt8)
    /// The header asks for more work or memory than any archive of this version needs: it is damaged, or made to harm.
    case costOutOfRange(passes: Int, kibibytes: Int)
    /// The passphrase is another, or bytes were changed, moved, left out or added; which, nobody can tell.
    case wrongPassphraseOrDamaged
    /// The file ends before its last chunk: copied in part.
    case truncated
    /// The key derivation needs up to 256 MiB that the system does not give. Try again with more free.
    case outOfMemory
}

/// Big-endian layout of integers, as files want it.
enum BigEndian {
    static func bytes(_ value: UInt32) -> [UInt8] {
        (0..<4).map { UInt8(truncatingIfNeeded: value >> (24 - 8 * UInt32($0))) }
    }

    static func value(_ bytes: ArraySlice<UInt8>) -> UInt32 {
        bytes.reduce(0) { $0 << 8 | UInt32($1) }
    }
}
