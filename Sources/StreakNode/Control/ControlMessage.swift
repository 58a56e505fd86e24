import NIOCore

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Why the control socket could not be used.
public enum ControlError: Error, Equatable, Sendable {
    /// No node listens on the socket: none is running on this data folder, or it is just starting or ending.
    case nodeNotRunning
    /// A line exceeds the limit in bytes. The connection is closed.
    case lineTooLong(limit: Int)
    /// The node answered something that this version does not understand. Nothing is known of the request's effect.
    case malformedReply
}

/// A line from a command to the node: a question, the wish to be told what happens from now on, or for a link to the page.
enum ControlRequest: Codable, Sendable {
    case call(any NodeRequest)
    case watch
    case signIn

    /// The version of this exchange. A node refuses any other, so an old command never half-works with a newer node.
    static let version = 2

    private enum CodingKeys: String, CodingKey {
        case version = "v"
        case name, request, watch, signIn
    }

    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let version = try container.decode(Int.self, forKey: .version)
        guard version == Self.version else {
            throw NodeFailure.invalidRequest("version \(version) of the control protocol")
        }
        if try container.decodeIfPresent(Bool.self, forKey: .watch) == true {
            self = .watch
        } else if try container.decodeIfPresent(Bool.self, forKey: .signIn) == true {
            self = .signIn
        } else {
            let type = try container.decode(RequestName.self, forKey: .name).type
            self = .call(try container.decode(type, forKey: .request))
        }
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(Self.version, forKey: .version)
        switch self {
        case .call(let request):
            try container.encode(type(of: request).name, forKey: .name)
            try container.encode(request, forKey: .request)
        case .watch: try container.encode(true, forKey: .watch)
        case .signIn: try container.encode(true, forKey: .signIn)
        }
    }
}

/// The node's answer: exactly one of the two is set.
struct ControlReply<Report: Codable & Sendable>: Codable, Sendable {
    var ok: Report?
    var error: NodeFailure?
}

/// Where the page of a running node can be opened.
public struct PageReport: Codable, Equatable, Sendable {
    /// A link that signs one browser in, once.
    public var signIn: String
}

/// What a watcher is sent, one a line.
public enum WatchEvent: Codable, Equatable, Sendable {
    /// The subscription stands: whatever happens from now on is told.
    case watching
    case event(NodeEvent)

    private enum CodingKeys: String, CodingKey {
        case event, group, digest, device, state, via, text
    }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        switch try container.decode(String.self, forKey: .event) {
        case "watching": self = .watching
        case "changed":
            self = .event(
                .changed(
                    group: try container.decode(String.self, forKey: .group),
                    digest: try container.decode(String.self, forKey: .digest)))
        case "peer":
            self = .event(
                .peer(
                    device: try container.decode(String.self, forKey: .device),
                    state: try container.decode(String.self, forKey: .state),
                    via: try container.decodeIfPresent(String.self, forKey: .via)))
        case "groups": self = .event(.groupsChanged)
        case "notice": self = .event(.notice(try container.decode(String.self, forKey: .text)))
        default:
            throw DecodingError.dataCorruptedError(forKey: .event, in: container, debugDescription: "unknown event")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        switch self {
        case .watching: try container.encode("watching", forKey: .event)
        case .event(.changed(let group, let digest)):
            try container.encode("changed", forKey: .event)
            try container.encode(group, forKey: .group)
            try container.encode(digest, forKey: .digest)
        case .event(.peer(let device, let state, let via)):
            try container.encode("peer", forKey: .event)
            try container.encode(device, forKey: .device)
            try container.encode(state, forKey: .state)
            try container.encode(via, forKey: .via)
        case .event(.groupsChanged): try container.encode("groups", forKey: .event)
        case .event(.notice(let text)):
            try container.encode("notice", forKey: .event)
            try container.encode(text, forKey: .text)
        }
    }
}

/// JSON in one line, as both ends of the socket write it.
enum ControlCoding {
    static func line(_ message: some Encodable) throws -> ByteBuffer {
        var bytes = try JSONEncoder().encode(message)
        bytes.append(UInt8(ascii: "\n"))
        return ByteBuffer(bytes: bytes)
    }

    static func decode<Message: Decodable>(_ type: Message.Type, from line: ByteBuffer) throws -> Message {
        try JSONDecoder().decode(type, from: Data(line.readableBytesView))
    }
}
