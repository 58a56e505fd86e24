import HTTPTypes
import Hummingbird

/// One request of a signed-in browser, with its fields read.
struct Visit: Sendable {
    /// The path without its query.
    var path: String
    /// The fields of the query, or of the form where one was sent.
    var fields: FormFields
    var session: Session
    /// Whether only the parts that change are wanted (`?fragment=…`).
    var isFragment: Bool
    /// Where to go after a form was carried out, or where it came from.
    var back: String
    /// The game, range and metric looked at last, as `PageLink.encode`d words.
    var remembered: [String]

    /// Reads the query, and the body of a form. Throws `HTTPError` where they cannot be read.
    init(_ request: Request, _ context: WebContext) async throws {
        guard let session = context.session else { throw HTTPError(.unauthorized) }
        self.session = session
        path = request.uri.path
        let query = request.uri.query ?? ""
        guard var fields = FormFields(parsing: query) else { throw HTTPError(.badRequest) }
        isFragment = fields.isSet("fragment")
        remembered =
            request.cookies[context.viewCookie]?.value.split(separator: ":", omittingEmptySubsequences: false)
            .map(String.init) ?? []
        if request.method == .post {
            let body = try await request.body.collect(upTo: WebLimit.bodySize)
            guard let form = FormFields(parsing: String(buffer: body)) else { throw HTTPError(.badRequest) }
            fields = form
            back = fields["back"].flatMap { PageLink.isLocal($0) ? $0 : nil } ?? "/today"
        } else {
            back = query.isEmpty ? path : "\(path)?\(query)"
        }
        self.fields = fields
    }
}

/// What travels with a request through the router.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The session that the cookie opened, once `RequestGuard` has looked.
    var session: Session?
    /// The cookie that remembers the last board. Its name holds the port: browsers share cookies among ports.
    var viewCookie = ""

    init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }

    var maxUploadSize: Int { WebLimit.bodySize }
}
