import HTTPTypes
import Hummingbird
import NIOCore
import ServiceLifecycle
import StreakNode

extension Site {
    /// Routes for signing in, for static files, and for the stream of events.
    func addEntrance(to router: Router<WebContext>) {
        router.get("/sign-in") { request, _ in
            // A browser that prefetches must not use the link up before it is clicked.
            let purpose = HTTPField.Name("Sec-Purpose").flatMap { request.headers[$0] } ?? ""
            let fields = FormFields(parsing: request.uri.query ?? "")
            guard let bound = address.value, request.method == .get, !purpose.contains("prefetch"),
                let token = fields?["token"], let secret = sessions.signIn(token: token)
            else { throw HTTPError(.unauthorized) }
            var response = Response.seeOther(fields?["to"].flatMap { PageLink.isLocal($0) ? $0 : nil } ?? "/today")
            response.setCookie(
                Cookie(
                    name: RequestGuard.sessionCookie(port: bound.port), value: secret, path: "/", httpOnly: true,
                    sameSite: .strict))
            return response
        }
        router.get("/assets/{name}") { request, context in
            guard let asset = context.parameters.get("name").flatMap({ Asset.all[$0] }) else {
                throw HTTPError(.notFound)
            }
            var headers = HTTPFields()
            headers[.contentType] = asset.type
            headers[.eTag] = asset.tag
            headers[.cacheControl] = "no-cache"
            if request.headers[.ifNoneMatch] == asset.tag { return Response(status: .notModified, headers: headers) }
            return Response(
                status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(bytes: asset.bytes)))
        }
    }

    func addEvents(to router: Router<WebContext>) {
        router.get("/events") { request, _ in
            guard let (id, notices) = hub.open() else { throw HTTPError(.serviceUnavailable) }
            var headers = HTTPFields()
            headers[.contentType] = "text/event-stream; charset=utf-8"
            let body = ResponseBody { writer in
                defer { hub.close(id) }
                // Ends when the browser disconnects, when the node stops, or when a write fails.
                try await request.body.consumeWithInboundCloseHandler { _ in
                    try await withGracefulShutdownHandler {
                        try await writer.write(ByteBuffer(string: "retry: 2000\n\nevent: ready\ndata: {}\n\n"))
                        for await notice in notices {
                            try await writer.write(ByteBuffer(string: notice.eventText))
                        }
                    } onGracefulShutdown: {
                        hub.close(id)
                    }
                } onInboundClosed: {
                    hub.close(id)
                }
                try await writer.finish(nil)
            }
            return Response(status: .ok, headers: headers, body: body)
        }
    }

    func signOut(_ visit: Visit) async throws -> Response {
        sessions.signOut(visit.session)
        var response = Response.seeOther("/today")
        if let bound = address.value {
            let name = RequestGuard.sessionCookie(port: bound.port)
            response.setCookie(Cookie(name: name, value: "", maxAge: 0, path: "/", httpOnly: true, sameSite: .strict))
        }
        return response
    }
}
