import HTTPTypes
import Hummingbird
import Logging
import StreakNode
import Synchronization

/// The names the page may be called by, known once it is bound.
final class BoundAddress: Sendable {
    struct Value: Sendable {
        var port: Int
        /// Permitted Host headers, in lower case.
        var hosts: Set<String>
        /// `http://127.0.0.1:PORT`
        var url: String
    }

    private let state = Mutex<Value?>(nil)

    var value: Value? { state.withLock { $0 } }

    func set(host: String, port: Int, allowed: [String]) {
        var hosts: Set<String> = ["127.0.0.1:\(port)", "localhost:\(port)", "[::1]:\(port)"]
        if port == 80 { hosts.formUnion(["127.0.0.1", "localhost", "[::1]"]) }
        let name = host.contains(":") ? "[\(host)]" : host
        let isWildcard = host == "0.0.0.0" || host == "::"
        if !isWildcard { hosts.insert("\(name):\(port)".lowercased()) }
        hosts.formUnion(allowed.map { $0.lowercased() })
        let url = "http://\(isWildcard ? "127.0.0.1" : name):\(port)"
        state.withLock { [hosts] in $0 = Value(port: port, hosts: hosts, url: url) }
    }
}

/// Runs before every route. It checks the Host header, the origin and the session, and sets the security headers of the
/// answer.
struct RequestGuard: RouterMiddleware {
    typealias Context = WebContext

    let address: BoundAddress
    let peers: PeerGate
    let connections: ConnectionTable
    let sessions: SessionStore
    let templates: Templates
    let logger: Logger

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        var response: Response
        do {
            response = try await admit(request, context: context, next: next)
        } catch let failure as NodeFailure {
            response = refuse(request, failure)
        } catch let error as any HTTPResponseError {
            // Thrown by the framework: a body too large, an unknown route, or our own `HTTPError`.
            response = plain(request, error.status)
        } catch is CancellationError {
            response = refuse(request, .stopping)
        } catch {
            logger.warning("A request failed.", metadata: ["error": "\(type(of: error))"])
            response = plain(request, .internalServerError)
        }
        Self.setHeaders(&response)
        return response
    }

    private func admit(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        // A foreign name that resolves to this machine (DNS rebinding) gets no content.
        guard let bound = address.value, let host = request.head.authority?.lowercased(), bound.hosts.contains(host)
        else { return plain(request, .misdirectedRequest) }
        if request.method != .get, request.method != .head, !Self.isSameOrigin(request, bound) {
            return plain(request, .forbidden)
        }
        var context = context
        context.viewCookie = Self.viewCookie(port: bound.port)
        // Ports of a host are one site, so a page on another port can make a browser send the cookie. It counts for
        // nothing then: to read changes something, too, namely what is new to the user.
        if Self.isOfUser(request), let secret = request.cookies[Self.sessionCookie(port: bound.port)]?.value {
            context.session = sessions.session(secret: secret)
        }
        if context.session == nil, !Self.isOpenToAll(request.uri.path) { return plain(request, .unauthorized) }
        // Only requests with a session or token are worth a look at the socket table.
        if context.session != nil || holdsToken(request) {
            guard try await peers.admits(context.channel) else {
                return plain(request, .otherUser, status: .forbidden)
            }
            connections.trust(context.channel)
        }
        return try await next(request, context)
    }

    /// Whether a request comes from our own page, from the user, or from a program.
    private static func isOfUser(_ request: Request) -> Bool {
        site(of: request).map { $0 == "same-origin" || $0 == "none" } ?? true
    }

    private static func site(of request: Request) -> String? {
        HTTPField.Name("Sec-Fetch-Site").flatMap { request.headers[$0] }
    }

    /// Whether a write comes from our own page. A browser always names the origin. A program that does not must hold
    /// the cookie, which no other site can make it send (SameSite=Strict).
    private static func isSameOrigin(_ request: Request, _ bound: BoundAddress.Value) -> Bool {
        let site = site(of: request)
        guard site == nil || site == "same-origin" else { return false }
        guard let origin = request.headers[.origin]?.lowercased() else { return true }
        // Our own forms send “null”, because `Referrer-Policy: no-referrer` hides the origin too (Fetch Standard §3.2).
        // Then `Sec-Fetch-Site` decides, which no page can forge.
        if origin == "null" { return site == "same-origin" }
        guard origin.hasPrefix("http://") else { return false }
        return bound.hosts.contains(String(origin.dropFirst("http://".count)))
    }

    /// Whether the request asks for a sign-in link that is still valid.
    private func holdsToken(_ request: Request) -> Bool {
        guard request.uri.path == Self.signInPath else { return false }
        return FormFields(parsing: request.uri.query ?? "")?["token"].map(sessions.holds(token:)) ?? false
    }

    private static let signInPath = "/sign-in"

    private static func isOpenToAll(_ path: String) -> Bool {
        path == signInPath || Asset.openToAll.contains { path == "/assets/\($0)" }
    }

    /// Cookies are shared by all ports of a host. The port in the name keeps two nodes on one machine from signing each
    /// other out.
    static func sessionCookie(port: Int) -> String { "streakmesh_\(port)" }
    static func viewCookie(port: Int) -> String { "streakmesh_view_\(port)" }

    private static let securityHeaders: [(HTTPField.Name?, String)] = [
        (
            .contentSecurityPolicy,
            "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
                + "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        ),
        (.xContentTypeOptions, "nosniff"),
        (HTTPField.Name("Referrer-Policy"), "no-referrer"),
        (HTTPField.Name("Cross-Origin-Opener-Policy"), "same-origin"),
        (HTTPField.Name("Cross-Origin-Resource-Policy"), "same-origin"),
        (HTTPField.Name("X-Frame-Options"), "DENY"),
        (HTTPField.Name("Permissions-Policy"), "camera=(), microphone=(), geolocation=(), browsing-topics=()"),
    ]

    private static func setHeaders(_ response: inout Response) {
        for (name, value) in securityHeaders {
            if let name { response.headers[name] = value }
        }
        if response.headers[.cacheControl] == nil { response.headers[.cacheControl] = "no-store" }
    }

    // MARK: Refusals

    private func refuse(_ request: Request, _ failure: NodeFailure) -> Response {
        if request.uri.path.hasPrefix("/api/") { return Response.json(failure) }
        return plain(PlainView(FailureView(failure)), status: failure.httpStatus)
    }

    private func plain(_ request: Request, _ status: HTTPResponse.Status) -> Response {
        plain(request, PlainView(status), status: status)
    }

    private func plain(_ request: Request, _ view: PlainView, status: HTTPResponse.Status) -> Response {
        if request.uri.path.hasPrefix("/api/") {
            return Response.json(code: view.code, message: view.message, hint: view.hint, status: status)
        }
        return plain(view, status: status)
    }

    private func plain(_ view: PlainView, status: HTTPResponse.Status) -> Response {
        Response.html(templates.render("plain", view), status: status)
    }
}

/// A page of one sentence.
struct PlainView: Sendable {
    var code: String
    var title: String
    var message: String
    var hint: String

    init(_ failure: FailureView) {
        (code, title, message, hint) = (failure.code, "That did not work", failure.message, failure.hint)
    }

    /// For other users of this machine.
    static let otherUser = PlainView(
        code: "otherUser", title: "Not yours", message: "This page belongs to another user of this machine.",
        hint: "Open it as the user who runs StreakMesh.")

    private init(code: String, title: String, message: String, hint: String) {
        (self.code, self.title, self.message, self.hint) = (code, title, message, hint)
    }

    init(_ status: HTTPResponse.Status) {
        switch status {
        case .unauthorized:
            (code, title, message, hint) = (
                "signInNeeded", "Please sign in", "This page belongs to the user who runs StreakMesh here.",
                "Open the sign-in link that “streakmesh up” shows. Each link works once."
            )
        case .misdirectedRequest:
            (code, title, message, hint) = (
                "wrongHost", "Not here", "This address does not lead to a page.",
                "Open the address that “streakmesh up” shows."
            )
        case .forbidden:
            (code, title, message, hint) = (
                "wrongOrigin", "Not allowed", "The request came from another page, so nothing was done.",
                "Go to your own page and try again there."
            )
        case .contentTooLarge:
            (code, title, message, hint) = (
                "tooLarge", "Too much at once",
                "You can send at most \(WebLimit.bodySize / 1024) KiB of text, or a file of \(WebLimit.uploadSize >> 20) MiB.",
                "Send it in parts."
            )
        case .tooManyRequests:
            (code, title, message, hint) = (
                "uploadsUnderWay", "One file after the other",
                "\(WebLimit.uploads) files are being read at this moment, so this one was not taken.",
                "Send it again when they are done."
            )
        case .notFound:
            (code, title, message, hint) = (
                "notFound", "Nothing here", "There is no such page.", "Go back, or start from the first page."
            )
        case .badRequest, .unsupportedMediaType, .methodNotAllowed:
            (code, title, message, hint) = (
                "badRequest", "Not understood", "The request could not be read.", "Go back and try again."
            )
        default:
            (code, title, message, hint) = (
                "failed", "That did not work", "Something unexpected happened. Nothing was lost.",
                "Try again. If it happens again, restart StreakMesh."
            )
        }
    }
}
