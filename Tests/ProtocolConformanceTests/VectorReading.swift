import Foundation
import StreakWire
import Testing

/// A value of a vector file, read independently of the code that wrote it.
enum Value: Decodable, Sendable, Hashable {
    case null
    case bool(Bool)
    case number(Int)
    case text(String)
    case list([Value])
    case object([String: Value])

    init(from decoder: any Decoder) throws {
        let container = try decoder.singleValueContainer()
        if container.decodeNil() {
            self = .null
        } else if let value = try? container.decode(Bool.self) {  // one of these it is
            self = .bool(value)
        } else if let value = try? container.decode(Int.self) {
            self = .number(value)
        } else if let value = try? container.decode(String.self) {
            self = .text(value)
        } else if let value = try? container.decode([Value].self) {
            self = .list(value)
        } else {
            self = .object(try container.decode([String: Value].self))
        }
    }

    subscript(name: String) -> Value {
        get throws {
            guard case .object(let members) = self else { throw VectorProblem(text: "no object around “\(name)”") }
            return try #require(members[name], "no member “\(name)”")
        }
    }

    /// The elements of a member; empty if there is no such member.
    func list(_ name: String) -> [Value] {
        guard case .object(let members) = self, case .list(let items) = members[name] else { return [] }
        return items
    }

    func text(_ name: String) throws -> String {
        guard case .text(let text) = try self[name] else { throw VectorProblem(text: "“\(name)” is no text") }
        return text
    }

    func number(_ name: String) throws -> Int {
        guard case .number(let number) = try self[name] else { throw VectorProblem(text: "“\(name)” is no number") }
        return number
    }

    func flag(_ name: String) throws -> Bool {
        guard case .bool(let flag) = try self[name] else { throw VectorProblem(text: "“\(name)” is no flag") }
        return flag
    }

    /// A number too large for JSON, written as text.
    func integer<Integer: FixedWidthInteger>(_ name: String, _ type: Integer.Type = Integer.self) throws -> Integer {
        try #require(Integer(try text(name)), "“\(name)” is no number of this size")
    }

    /// The bytes of a member: `hex`, followed by as many zero bytes as `zeros` says.
    func bytes(_ name: String) throws -> [UInt8] {
        let bytes = try #require([UInt8](hexadecimal: try text(name)), "“\(name)” is not hexadecimal")
        guard name == "hex", case .object(let members) = self, case .number(let zeros) = members["zeros"] else {
            return bytes
        }
        return bytes + [UInt8](repeating: 0, count: zeros)
    }

    func identifier<ID: Identifier32>(_ name: String, _ type: ID.Type = ID.self) throws -> ID {
        try #require(ID(try bytes(name)), "“\(name)” has not 32 bytes")
    }

    func epoch(_ name: String) throws -> Epoch {
        let value = try self[name]
        let nonce = try #require(UInt64(try value.text("nonce"), radix: 16))
        return Epoch(counter: UInt32(try value.number("counter")), nonce: nonce)
    }

    /// The name of a case, for failure messages.
    var name: String {
        guard case .object(let members) = self, case .text(let name) = members["name"] else { return "" }
        return name
    }
}

struct VectorProblem: Error, CustomStringConvertible {
    let text: String
    var description: String { text }
}

/// Protocol/vectors/v1 in this file's repository.
enum Vectors {
    static let folder: URL = {
        let here = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = here.deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        return root.appendingPathComponent("Protocol/vectors/v1", isDirectory: true)
    }()

    static func text(_ name: String) throws -> String {
        String(decoding: try Data(contentsOf: folder.appendingPathComponent(name + ".json")), as: UTF8.self)
    }

    static func read(_ name: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(try text(name).utf8))
    }

    /// The names of all files on disk.
    static func names() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).filter { $0.hasSuffix(".json") }
            .map { String($0.dropLast(5)) }.sorted()
    }
}

/// The files whose entries are bytes for one decoder.
enum Decoders {
    static let files = [
        "records", "runs", "certificates", "operations", "messages", "join-proofs", "friends", "device-links",
    ]
}
