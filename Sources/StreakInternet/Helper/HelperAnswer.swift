public import StreakWire

/// What the helper answers, with the number of the request.
public struct HelperAnswer: Hashable, Sendable {
    public enum Content: Hashable, Sendable {
        case mapped(OpenedPort)
        case unmapped
        /// The number of known nodes, at most 65,535; 0 if none answered.
        case opened(nodes: UInt16)
        /// The number of nodes that have stored it.
        case stored(count: UInt16)
        case value(DHTValue)
        case ended
        case nodes([Endpoint])
        case closed
        case failed(HelperRefusal)
    }

    public var id: UInt32
    public var content: Content

    public init(id: UInt32, _ content: Content) { (self.id, self.content) = (id, content) }
}

/// A value that the DHT had under a key, whose signature the helper has verified.
public struct DHTValue: Hashable, Sendable {
    public var sequence: Int64
    public var value: [UInt8]

    public init(sequence: Int64, value: [UInt8]) { (self.sequence, self.value) = (sequence, value) }
}

/// Why the helper could not do what was asked. Nothing has changed.
public enum HelperRefusal: Error, Hashable, Sendable {
    /// No router of this network takes orders by UPnP.
    case noRouter
    /// The router says that it has no address on the internet: another router is in between, or its line is down.
    case unconnected
    /// The router refused, with an error of UPnP: 501 if it cannot, 606 if it may not, 718 if the port is taken.
    case refused(code: UInt16)
    /// The router did not answer, or what it answered could not be read.
    case routerFailed
    /// No session of the DHT is open, or one is open already.
    case wrongSession
    /// Too much at once, or the same twice.
    case busy
    /// The system gives no sockets or threads.
    case systemFailed
}

extension HelperAnswer {
    /// Without the length before it.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.write(kind)
        writer.write(id)
        switch content {
        case .mapped(let port): port.write(to: &writer)
        case .opened(nodes: let count), .stored(count: let count): writer.write(count)
        case .value(let value):
            writer.write(UInt64(bitPattern: value.sequence))
            writer.writeBlob(value.value)
        case .nodes(let nodes): writer.write(nodes)
        case .failed(let refusal):
            writer.write(refusal.kind)
            if case .refused(let code) = refusal { writer.write(code) }
        case .unmapped, .ended, .closed: break
        }
        return writer.bytes
    }

    private var kind: UInt8 {
        switch content {
        case .mapped: 1
        case .unmapped: 2
        case .opened: 3
        case .stored: 4
        case .value: 5
        case .ended: 6
        case .nodes: 7
        case .closed: 8
        case .failed: 9
        }
    }

    /// Reads the content of a frame.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        let kind = try reader.readUInt8()
        id = try reader.readUInt32()
        switch kind {
        case 1: content = .mapped(try OpenedPort(from: &reader))
        case 2: content = .unmapped
        case 3: content = .opened(nodes: try reader.readUInt16())
        case 4: content = .stored(count: try reader.readUInt16())
        case 5:
            content = .value(
                DHTValue(
                    sequence: Int64(bitPattern: try reader.readUInt64()),
                    value: try reader.readBlob(maximum: HelperLimits.maximumValueSize)))
        case 6: content = .ended
        case 7: content = .nodes(try reader.readEndpoints(maximum: HelperLimits.maximumNodes))
        case 8: content = .closed
        case 9: content = .failed(try HelperRefusal(from: &reader))
        default: throw .unknownKind(kind)
        }
        try reader.finish()
    }
}

extension HelperRefusal {
    fileprivate var kind: UInt8 {
        switch self {
        case .noRouter: 1
        case .unconnected: 2
        case .refused: 3
        case .routerFailed: 4
        case .wrongSession: 5
        case .busy: 6
        case .systemFailed: 7
        }
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        let kind = try reader.readUInt8()
        switch kind {
        case 1: self = .noRouter
        case 2: self = .unconnected
        case 3: self = .refused(code: try reader.readUInt16())
        case 4: self = .routerFailed
        case 5: self = .wrongSession
        case 6: self = .busy
        case 7: self = .systemFailed
        default: throw .unknownKind(kind)
        }
    }
}
