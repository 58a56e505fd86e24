import HTTPTypes
import Hummingbird
import Synchronization

/// Lets few large bodies be read at a time, so that many connections that each send a file cannot fill the memory.
///
/// Small bodies always pass: with `WebLimit.connections` they are bounded already.
final class UploadGate: RouterMiddleware {
    typealias Context = WebContext

    private let underWay = Mutex(0)

    func handle(
        _ request: Request, context: WebContext, next: (Request, WebContext) async throws -> Response
    ) async throws -> Response {
        guard Self.isLarge(request) else { return try await next(request, context) }
        let isAdmitted = underWay.withLock { count in
            guard count < WebLimit.uploads else { return false }
            count += 1
            return true
        }
        guard isAdmitted else { throw HTTPError(.tooManyRequests) }
        defer { underWay.withLock { $0 -= 1 } }
        return try await next(request, context)
    }

    /// Whether a body may be larger than a form's: a browser says how long it is, and what says nothing may be so.
    static func isLarge(_ request: Request) -> Bool {
        guard let length = request.headers[.contentLength].flatMap(Int.init) else {
            return request.headers[.transferEncoding] != nil
        }
        return length > WebLimit.bodySize
    }
}
