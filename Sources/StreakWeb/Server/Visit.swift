import HTTPTypes
import Hummingbird
import NIOCore
import StreakNode

/// One request of a signed-in browser, with its fields read.
struct Visit: Sendable {
    /// The path without its query.
    var path: String
    /// The fields of the form, or of the query if no form was sent.
    var fields: FormFields
    var session: Session
    /// Whether only the changing parts are wanted (`?fragment=…`).
    var isFragment: Bool
    /// Whether a form was sent, in which case `path` cannot be fetched again.
    var isForm: Bool
    /// Where to go after a form was carried out: the page it came from.
    var back: String
    /// The game, range and metric shown last, as `PageLink.encode`d words.
    var remembered: [String]

    /// Reads the query, and the body of a form. Throws `HTTPError` if they cannot be read.
    init(_ request: Request, _ context: WebContext) async throws {
        guard let session = context.session else { throw HTTPError(.unauthorized) }
        self.session = session
        path = request.uri.path
        let query = request.uri.query ?? ""
        guard var fields = FormFields(parsing: query) else { throw HTTPError(.badRequest) }
        isFragment = fields.isSet("fragment")
        isForm = request.method == .post
        remembered =
            request.cookies[context.viewCookie]?.value.split(separator: ":", omittingEmptySubsequences: false)
            .map(String.init) ?? []
        if isForm {
            fields = try await Self.form(request)
            back = fields["back"].flatMap { PageLink.isLocal($0) ? $0 : nil } ?? "/today"
        } else {
            // Forms inside a fetched fragment lead back to the whole page.
            let rest = query.split(separator: "&").filter { !$0.hasPrefix("fragment=") }.joined(separator: "&")
            back = rest.isEmpty ? path : "\(path)?\(rest)"
        }
        self.fields = fields
    }

    /// The fields of a form. Files are read only at the address that takes them.
    private static func form(_ request: Request) async throws -> FormFields {
        let isUpload = request.uri.path == Site.uploadPath
        let boundary = request.headers[.contentType].flatMap { MultipartForm.boundary(ofContentType: $0) }
        if boundary != nil, !isUpload { throw HTTPError(.unsupportedMediaType) }
        let body = try await request.body.collect(upTo: isUpload ? WebLimit.uploadSize : WebLimit.bodySize)
        guard let boundary else {
            guard let form = FormFields(parsing: String(buffer: body)) else { throw HTTPError(.badRequest) }
            return form
        }
        do {
            return FormFields(try MultipartForm.fields(of: Array(buffer: body), boundary: boundary))
        } catch MultipartForm.Fault.notText(let failure) {
            throw failure
        } catch {
            throw HTTPError(.badRequest)
        }
    }
}

/// The request's state on its way through the router.
struct WebContext: RequestContext {
    var coreContext: CoreRequestContextStorage
    /// The session of the cookie, set by `RequestGuard`.
    var session: Session?
    /// The name of the cookie that remembers the last board. It holds the port, because browsers share cookies among
    /// ports.
    var viewCookie = ""
    /// The connection that the request came on.
    let channel: any Channel

    init(source: ApplicationRequestContextSource) {
        channel = source.channel
        coreContext = CoreRequestContextStorage(source: source)
    }

    var maxUploadSize: Int { WebLimit.bodySize }
}
