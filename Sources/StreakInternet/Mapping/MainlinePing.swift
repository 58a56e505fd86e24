public import StreakWire

/// Asks nodes of the public BitTorrent network from which endpoint this machine's datagrams come to them: by a `ping`, whose answer
/// tells it (BEP 5, BEP 42). Nothing else that they say is read.
public struct MainlinePing: Sendable {
    /// How many are asked at a time: of those that were kept, many are gone.
    public static let nodeCount = 8
    /// How often they are asked, as long as friends are too few to say.
    public static let interval: Duration = .seconds(600)
    /// How soon they are asked again at the earliest.
    public static let shortestInterval: Duration = .seconds(30)
    /// How long an answer counts.
    static let patience: Duration = .seconds(5)
    static let maximumAnswerSize = 512

    /// Chance for one query: an ID that stands for nobody, and what an answer has to repeat.
    public struct Chance: Hashable, Sendable {
        let id: [UInt8]
        let token: [UInt8]

        /// Needs 24 bytes.
        public init(_ bytes: [UInt8]) {
            precondition(bytes.count == 24, "a query takes 24 bytes of chance")
            (id, token) = (Array(bytes[..<20]), Array(bytes[20...]))
        }
    }

    /// What a node has said.
    public struct Witness: Hashable, Sendable {
        /// From where this machine's datagrams come to it.
        public let seen: Endpoint
        public let by: Endpoint
    }

    /// Until when each that was asked may answer, and what it has to repeat.
    private var asked: [Endpoint: (token: [UInt8], until: Duration)] = [:]
    private var pauseWhileUnknown = shortestInterval

    public init() {}

    /// Asks these nodes, and waits for nobody who was asked before. Returns what is to be sent to each, from the port that is asked
    /// about. More than eight are left out.
    public mutating func ask(_ nodes: [(node: Endpoint, chance: Chance)], at now: Duration) -> [(
        query: [UInt8], to: Endpoint
    )] {
        asked = [:]
        return nodes.prefix(Self.nodeCount).map { node, chance in
            asked[node] = (chance.token, now + Self.patience)
            return (Self.query(chance), node)
        }
    }

    /// How long to wait after this round: of the nodes that were kept many are gone, so others are asked soon while nobody has
    /// said enough, each time after twice the pause.
    public mutating func pause(isReachKnown: Bool) -> Duration {
        guard !isReachKnown else {
            hurry()
            return Self.interval
        }
        defer { pauseWhileUnknown = min(pauseWhileUnknown * 2, Self.interval) }
        return pauseWhileUnknown
    }

    /// This machine's addresses may be others now: the pauses are short again.
    public mutating func hurry() { pauseWhileUnknown = Self.shortestInterval }

    /// Whether a datagram is one of the answers that are waited for, and not one of a link.
    public func expects(_ bytes: [UInt8], from source: Endpoint) -> Bool {
        asked[source] != nil && bytes.starts(with: Self.beginning)
    }

    /// What an answer says; nil for any other datagram, a second answer, and one that is late.
    public mutating func receive(_ bytes: [UInt8], from source: Endpoint, at now: Duration) -> Witness? {
        guard let waiting = asked[source], now <= waiting.until,
            let seen = Self.seen(in: bytes, token: waiting.token)
        else { return nil }
        asked[source] = nil
        return Witness(seen: seen, by: source)
    }

    /// The answer's own key `ip` is the smallest, so it comes first (BEP 3, bencoding).
    private static let beginning = Array("d2:ip".utf8)

    /// A `ping` that says that whoever sends it keeps nothing for others (BEP 43).
    static func query(_ chance: Chance) -> [UInt8] {
        Array("d1:ad2:id20:".utf8) + chance.id + Array("e1:q4:ping2:roi1e1:t4:".utf8) + chance.token
            + Array("1:y1:qe".utf8)
    }

    /// The endpoint that an answer to the query with this token names.
    static func seen(in bytes: [UInt8], token: [UInt8]) -> Endpoint? {
        guard bytes.count <= maximumAnswerSize, contains(Array("1:t4:".utf8) + token, in: bytes) else { return nil }
        var reader = WireReader(bytes)
        do {
            guard try reader.readRaw(beginning.count) == beginning else { return nil }
            let rest = bytes.dropFirst(beginning.count)
            if rest.starts(with: "6:".utf8) {
                _ = try reader.readRaw(2)
                return Endpoint(ipv4: try reader.readUInt32(), port: try reader.readUInt16())
            }
            guard rest.starts(with: "18:".utf8) else { return nil }
            _ = try reader.readRaw(3)
            return try reader.readEndpoint()
        } catch {
            return nil
        }
    }

    private static func contains(_ part: [UInt8], in bytes: [UInt8]) -> Bool {
        guard bytes.count >= part.count else { return false }
        return (0...(bytes.count - part.count)).contains { bytes[$0...].starts(with: part) }
    }
}
