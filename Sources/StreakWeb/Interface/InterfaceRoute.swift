import Foundation
import HTTPTypes
import Hummingbird
import NIOCore
import StreakNode

/// One address of the JSON interface: the keys it takes, and the request it makes to the node.
///
/// `Site.interface` lists all of them. The router, the input checks and a test of docs/api.md use that list.
struct InterfaceRoute: Sendable {
    enum Method: String, Sendable { case get = "GET", post = "POST" }

    var method: Method
    /// Below `/api/v1/`.
    var path: String
    var keys: [InterfaceKey]
    /// The longest document, in bytes.
    var bodyLimit: Int
    /// Asks the node, and answers with its report.
    var answer: @Sendable (any NodeCalling, InterfaceDocument) async throws -> Response

    init<Request: NodeRequest>(
        _ method: Method, _ path: String, takes keys: [InterfaceKey] = [], bodyLimit: Int = WebLimit.bodySize,
        _ request: @escaping @Sendable (InterfaceDocument) throws -> Request
    ) {
        self.method = method
        self.path = path
        self.keys = keys
        self.bodyLimit = bodyLimit
        answer = { node, document in
            Response.json(JSON(reflecting: try await node.call(request(document))))
        }
    }
}

/// One key of a query or document.
struct InterfaceKey: Sendable, Equatable {
    enum Kind: Sendable, Equatable {
        /// A text of at most so many bytes.
        case text(limit: Int)
        case number(ClosedRange<Int>)
        case flag
        /// At most 64 texts of at most 256 bytes; in a query, with commas between.
        case texts
    }

    var name: String
    var kind: Kind
    var isRequired: Bool

    /// As docs/api.md writes it.
    var text: String { isRequired ? "`\(name)`" : "`\(name)`?" }

    static func text(_ name: String, limit: Int = 256) -> Self {
        Self(name: name, kind: .text(limit: limit), isRequired: false)
    }
    static func number(_ name: String, _ range: ClosedRange<Int>) -> Self {
        Self(name: name, kind: .number(range), isRequired: false)
    }
    static func flag(_ name: String) -> Self { Self(name: name, kind: .flag, isRequired: false) }
    static func texts(_ name: String) -> Self { Self(name: name, kind: .texts, isRequired: false) }

    /// The same key where it must not be left out.
    var required: Self { Self(name: name, kind: kind, isRequired: true) }
}

/// Why a query or document was refused. Nothing has been done.
struct InterfaceFault: Error, Equatable {
    /// A sentence.
    var message: String
    var hint = "docs/api.md lists what each address takes. Nothing was done."
}

/// A query or JSON document whose every key has been checked.
struct InterfaceDocument: Sendable, Equatable {
    enum Value: Sendable, Equatable {
        case text(String)
        case number(Int)
        case flag(Bool)
        case texts([String])
    }

    private static let mostTexts = 64
    private static let textLimit = 256

    private var values: [String: Value] = [:]

    /// Checks a query. Throws `InterfaceFault`.
    init(query: FormFields, keys: [InterfaceKey]) throws(InterfaceFault) {
        var given: [String: Value] = [:]
        for name in query.names {
            guard let text = query[name] else { continue }
            guard let key = keys.first(where: { $0.name == name }) else { throw Self.unknown(name, keys) }
            given[name] = Self.value(text, as: key.kind)
        }
        try self.init(given, keys: keys)
    }

    /// Checks a document. An empty one is taken as `{}`. Throws `InterfaceFault`.
    init(json: [UInt8], keys: [InterfaceKey]) throws(InterfaceFault) {
        let fields: [String: Field]
        do {
            fields = try JSONDecoder().decode([String: Field].self, from: Data(json.isEmpty ? Array("{}".utf8) : json))
        } catch {
            throw InterfaceFault(message: "The body is not a JSON object.")
        }
        var given: [String: Value] = [:]
        for (name, field) in fields.sorted(by: { $0.key < $1.key }) {
            guard keys.contains(where: { $0.name == name }) else { throw Self.unknown(name, keys) }
            switch field {
            case .null: continue
            case .value(let value): given[name] = value
            case .other: throw InterfaceFault(message: "“\(name)” has a value of a type that no key takes.")
            }
        }
        try self.init(given, keys: keys)
    }

    private init(_ given: [String: Value], keys: [InterfaceKey]) throws(InterfaceFault) {
        for key in keys {
            guard let value = given[key.name] else {
                guard !key.isRequired else { throw InterfaceFault(message: "“\(key.name)” is missing.") }
                continue
            }
            try Self.check(value, key)
        }
        values = given
    }

    private static func unknown(_ name: String, _ keys: [InterfaceKey]) -> InterfaceFault {
        let known = keys.isEmpty ? "It takes none." : "It takes \(keys.map(\.name).joined(separator: ", "))."
        return InterfaceFault(message: "There is no key “\(FailureText.shortened(name))” here. \(known)")
    }

    /// A query's text as a value of a kind. If it does not fit the kind it stays a text, which `check` then refuses.
    private static func value(_ text: String, as kind: InterfaceKey.Kind) -> Value {
        switch kind {
        case .text: .text(text)
        case .number: Int(text).map { .number($0) } ?? .text(text)
        case .flag:
            ["1", "true", "on"].contains(text)
                ? .flag(true)
                : ["0", "false", "off"].contains(text) ? .flag(false) : .text(text)
        case .texts: .texts(text.split(separator: ",").map(String.init))
        }
    }

    private static func check(_ value: Value, _ key: InterfaceKey) throws(InterfaceFault) {
        switch (key.kind, value) {
        case (.text(let limit), .text(let text)):
            guard text.utf8.count <= limit else {
                throw InterfaceFault(message: "“\(key.name)” is longer than \(limit) bytes.")
            }
        case (.number(let range), .number(let number)):
            guard range.contains(number) else {
                throw InterfaceFault(
                    message: "“\(key.name)” must be from \(range.lowerBound) to \(range.upperBound).")
            }
        case (.flag, .flag): break
        case (.texts, .texts(let texts)):
            guard texts.count <= mostTexts, texts.allSatisfy({ $0.utf8.count <= textLimit }) else {
                throw InterfaceFault(
                    message: "“\(key.name)” holds at most \(mostTexts) texts of \(textLimit) bytes.")
            }
        case (.text, _): throw InterfaceFault(message: "“\(key.name)” is not a text.")
        case (.number, _): throw InterfaceFault(message: "“\(key.name)” is not a whole number.")
        case (.flag, _): throw InterfaceFault(message: "“\(key.name)” is neither true nor false.")
        case (.texts, _): throw InterfaceFault(message: "“\(key.name)” is not a list of texts.")
        }
    }

    // MARK: What it holds

    /// A text, or nil where the key is left out.
    func text(_ name: String) -> String? {
        if case .text(let text) = values[name] { text } else { nil }
    }

    /// The text of a required key.
    func required(_ name: String) -> String { text(name) ?? "" }

    func number(_ name: String) -> Int? {
        if case .number(let number) = values[name] { number } else { nil }
    }

    func flag(_ name: String) -> Bool? {
        if case .flag(let flag) = values[name] { flag } else { nil }
    }

    func isSet(_ name: String) -> Bool { flag(name) ?? false }

    func texts(_ name: String) -> [String]? {
        if case .texts(let texts) = values[name] { texts } else { nil }
    }

    /// What JSON may hold under a key.
    private enum Field: Decodable {
        case null
        case value(Value)
        case other

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if container.decodeNil() {
                self = .null
            } else if let flag = try? container.decode(Bool.self) {  // the other forms are tried next
                self = .value(.flag(flag))
            } else if let number = try? container.decode(Int.self) {  // likewise
                self = .value(.number(number))
            } else if let text = try? container.decode(String.self) {  // likewise
                self = .value(.text(text))
            } else if let texts = try? container.decode([String].self) {  // likewise
                self = .value(.texts(texts))
            } else {
                self = .other
            }
        }
    }
}

extension Site {
    func addInterface(to router: Router<WebContext>) {
        let api = router.group("api/v1")
        for route in Self.interface {
            let path = RouterPath(route.path)
            switch route.method {
            case .get: api.get(path) { request, _ in try await answer(request, as: route) }
            case .post: api.post(path) { request, _ in try await answer(request, as: route) }
            }
        }
    }

    private func answer(_ request: Request, as route: InterfaceRoute) async throws -> Response {
        do {
            return try await route.answer(node, try await document(of: request, for: route))
        } catch let fault as InterfaceFault {
            return Response.json(
                code: "invalidField", message: fault.message, hint: fault.hint, status: .unprocessableContent)
        }
    }

    private func document(of request: Request, for route: InterfaceRoute) async throws -> InterfaceDocument {
        guard let query = FormFields(parsing: request.uri.query ?? "") else { throw HTTPError(.badRequest) }
        guard route.method == .post else { return try InterfaceDocument(query: query, keys: route.keys) }
        guard query.names.isEmpty else {
            throw InterfaceFault(message: "A POST takes its keys from the body, not from the address.")
        }
        // A form of another page cannot send this type without asking first (Fetch Standard, CORS preflight).
        guard request.headers[.contentType]?.lowercased().hasPrefix("application/json") == true else {
            throw HTTPError(.unsupportedMediaType)
        }
        let body = try await request.body.collect(upTo: route.bodyLimit)
        return try InterfaceDocument(json: Array(body.readableBytesView), keys: route.keys)
    }
}
