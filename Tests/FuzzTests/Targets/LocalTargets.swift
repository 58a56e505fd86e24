import NIOCore
import NIOEmbedded

@testable import StreakNode
@testable import StreakWeb

extension FuzzTarget {
    /// What other programs of this machine say: the control socket, browsers.
    static let localTargets: [FuzzTarget] = [
        FuzzTarget("control-line", controlLine),
        FuzzTarget("form") { bytes in
            guard let fields = FormFields(parsing: String(decoding: bytes, as: UTF8.self)) else { return }
            try demand(fields.names.count <= WebLimit.formFields, "a form has a bounded number of fields")
            var link = PageLink("/x")
            for name in fields.names {
                _ = fields.number(name)
                link = link.adding(PageLink.encode(name), fields[name])
                _ = fields[name].map(PageLink.isLocal)
            }
            let again = FormFields(parsing: link.text.dropFirst(3))
            try demand(again != nil, "a query that was written is read")
        },
        FuzzTarget("multipart-form") { bytes in
            var source = ByteSource(bytes)
            let type = source.text()
            let boundary = MultipartForm.boundary(ofContentType: type) ?? "b"
            let body = source.remainder()
            guard let fields = accepted({ try MultipartForm.fields(of: body, boundary: boundary) }) else { return }
            try demand(fields.count <= WebLimit.formFields, "a form has a bounded number of fields")
            _ = FormFields(fields)
        },
        FuzzTarget("interface-document") { bytes in
            var source = ByteSource(bytes)
            guard let route = source.element(of: Site.interface) else { return }
            let rest = source.remainder()
            _ = accepted { try InterfaceDocument(json: rest, keys: route.keys) }
            guard let query = FormFields(parsing: String(decoding: rest, as: UTF8.self)) else { return }
            _ = accepted { try InterfaceDocument(query: query, keys: route.keys) }
        },
        FuzzTarget("address") { bytes in
            guard let address = HostPort(String(decoding: bytes, as: UTF8.self)) else { return }
            try demand(!address.host.isEmpty, "an address names a host")
        },
    ]

    /// Bytes that come in pieces of any size; each line is then read as a request, an answer and an event.
    @Sendable private static func controlLine(_ bytes: [UInt8]) throws {
        let limit = 512
        let channel = EmbeddedChannel(handler: ByteToMessageHandler(ControlLineDecoder(maximumLineLength: limit)))
        defer { _ = try? channel.finish(acceptAlreadyClosed: true) }
        var rest = bytes[...]
        while let first = rest.first {
            let piece = rest.prefix(1 + Int(first) % 64)
            rest = rest.dropFirst(piece.count)
            guard accepted({ try channel.writeInbound(ByteBuffer(bytes: piece)) }) != nil else { break }
        }
        while let line = try channel.readInbound(as: ByteBuffer.self) {
            try demand(line.readableBytes <= limit, "a line is bounded")
            try demand(!line.readableBytesView.contains(UInt8(ascii: "\n")), "a line is one line")
            try readMessage(line)
        }
        try readMessage(ByteBuffer(bytes: bytes))
    }

    private static func isSame(_ one: ControlRequest, _ other: ControlRequest) -> Bool {
        func isEqual<Request: NodeRequest>(_ one: Request, _ other: any NodeRequest) -> Bool {
            other as? Request == one
        }
        switch (one, other) {
        case (.call(let one), .call(let other)): return isEqual(one, other)
        case (.watch, .watch), (.signIn, .signIn): return true
        case (.call, _), (.watch, _), (.signIn, _): return false
        }
    }

    private static func readMessage(_ line: ByteBuffer) throws {
        if let request = accepted({ try ControlCoding.decode(ControlRequest.self, from: line) }) {
            let again = accepted { try ControlCoding.decode(ControlRequest.self, from: ControlCoding.line(request)) }
            try demand(again.map { isSame($0, request) } == true, "a request is what it was encoded from")
        }
        if let event = accepted({ try ControlCoding.decode(WatchEvent.self, from: line) }) {
            let again = accepted { try ControlCoding.decode(WatchEvent.self, from: ControlCoding.line(event)) }
            try demand(again == event, "an event is what it was encoded from")
        }
        _ = accepted { try ControlCoding.decode(ControlReply<PageReport>.self, from: line) }
    }
}
