public import StreakCrypto
public import StreakWire

/// What a device signs: one step of a group's ledger.
///
/// | offset | field | type | limit |
/// |---|---|---|---|
/// | 0 | version | u8 | 1 |
/// | 1 | kind | u8 | 1–13 |
/// | 2 | group, zero for `found` | 32 bytes | |
/// | 34 | author's device key | 32 bytes | |
/// | 66 | number in the author's chain | varint | 1–1,000 |
/// | | the author's previous operation, zero for number 1 | 32 bytes | one of the parents |
/// | | number of parents | varint | 1–32; 0 for `found` |
/// | | parents, rising | 32 bytes each | no parent twice |
/// | | seconds since 1970 by the author's clock, shown only | i64 | |
/// | | body | by kind | |
/// | | tail, carried unread | the rest | ≤ 1,024 |
/// | −64 | Ed25519 signature by the author's device key | 64 bytes | |
///
/// At most 8,192 bytes. The signature is over `streakmesh/v1/operation` ‖ 0 ‖ all bytes before it, as received.
public struct LedgerOperation: Hashable, Sendable {
    public static let maximumParents = 32

    /// Zero for `found`, whose own ID is the group's.
    public let group: GroupID
    public let author: DeviceID
    public let number: UInt64
    /// `OperationID` of zero bytes for number 1.
    public let previous: OperationID
    /// Rising.
    public let parents: [OperationID]
    /// Seconds since 1970 by the author's clock. For display; never compared.
    public let time: Int64
    public let body: OperationBody
    public let tail: [UInt8]

    /// Sorts the parents.
    public init(
        group: GroupID, author: DeviceID, number: UInt64, previous: OperationID, parents: [OperationID], time: Int64,
        body: OperationBody, tail: [UInt8] = []
    ) {
        self.group = group
        self.author = author
        self.number = number
        self.previous = previous
        self.parents = parents.sorted()
        self.time = time
        self.body = body
        self.tail = tail
    }

    /// The bytes a signature is made for.
    func encoded() -> [UInt8] {
        var writer = WireWriter(reserving: 512)
        writer.write(ProtocolLimits.version)
        writer.write(body.kind.rawValue)
        writer.write(group)
        writer.write(author)
        writer.writeVarint(number)
        writer.write(previous)
        writer.writeCount(parents.count)
        for parent in parents { writer.write(parent) }
        writer.write(UInt64(bitPattern: time))
        body.write(to: &writer)
        writer.writeRaw(tail)
        return writer.bytes
    }

    init(from reader: inout WireReader) throws(WireError) {
        try reader.readVersion()
        let rawKind = try reader.readUInt8()
        guard let kind = OperationBody.Kind(rawValue: rawKind) else { throw .unknownKind(rawKind) }
        group = try reader.readIdentifier()
        author = try reader.readIdentifier()
        number = try reader.readVarint(maximum: ProtocolLimits.maximumOperationsPerDevice)
        previous = try reader.readIdentifier()
        var parents: [OperationID] = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumParents)) {
            let parent: OperationID = try reader.readIdentifier()
            if let last = parents.last, last >= parent { throw .invalidValue(field: "parents") }
            parents.append(parent)
        }
        self.parents = parents
        time = Int64(bitPattern: try reader.readUInt64())
        body = try OperationBody(kind, from: &reader)
        tail = try reader.readTail(maximum: ProtocolLimits.maximumTailSize)
        try checkShape()
    }

    /// Checks the relations between fields that need no ledger.
    private func checkShape() throws(WireError) {
        guard number > 0 else { throw .invalidValue(field: "number") }
        guard (number == 1) == (previous == .none) else { throw .invalidValue(field: "previous") }
        if case .found = body {
            guard group.bytes == .zero, number == 1, parents.isEmpty else { throw .invalidValue(field: "founding") }
        } else {
            guard group.bytes != .zero else { throw .invalidValue(field: "group") }
            guard !parents.isEmpty, number == 1 || parents.contains(previous) else {
                throw .invalidValue(field: "parents")
            }
        }
    }
}

extension OperationID {
    /// Zero bytes: no operation.
    public static let none = OperationID(bytes: .zero)
}

/// An operation with the bytes it arrived in, which its signature and name cover.
public struct SignedOperation: Hashable, Sendable {
    /// BLAKE2b-256 of `bytes`.
    public let id: OperationID
    public let operation: LedgerOperation
    /// As received, the signature included.
    public let bytes: [UInt8]
}

extension SignedOperation {
    /// Signs an operation.
    ///
    /// - Throws: `tooLarge`.
    public init(signing operation: LedgerOperation, with key: SigningSecretKey) throws(LedgerError) {
        let unsigned = operation.encoded()
        guard unsigned.count + Signature.byteCount <= ProtocolLimits.maximumOperationSize else {
            throw .tooLarge(size: unsigned.count + Signature.byteCount)
        }
        self.operation = operation
        bytes = unsigned + key.signature(for: unsigned, as: .operation).rawBytes
        id = OperationID(bytes: .hash(of: bytes))
    }

    /// Reads the structure. The signature is not checked yet.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        let size = UInt64(bytes.count)
        guard bytes.count <= ProtocolLimits.maximumOperationSize else {
            throw .limitExceeded(limit: ProtocolLimits.maximumOperationSize, actual: size)
        }
        guard bytes.count > Signature.byteCount else {
            throw .truncated(needed: Signature.byteCount + 1, available: bytes.count)
        }
        var reader = WireReader(bytes.dropLast(Signature.byteCount))
        operation = try LedgerOperation(from: &reader)
        self.bytes = bytes
        id = OperationID(bytes: .hash(of: bytes))
    }

    /// Whether the author's device key signed these bytes. About 50 µs.
    public func hasValidSignature() -> Bool {
        guard let signature = try? Signature(rawBytes: bytes.suffix(Signature.byteCount)) else { return false }
        return operation.author.hasSigned(Array(bytes.dropLast(Signature.byteCount)), as: .operation, signature)
    }

    public static func == (left: Self, right: Self) -> Bool { left.id == right.id }

    public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
