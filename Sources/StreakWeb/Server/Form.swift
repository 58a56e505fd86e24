import HTTPTypes
import Hummingbird
import StreakNode

/// Why a form was not carried out, as the page shows it.
struct Refusal: Sendable, Equatable {
    var view: FailureView
    var status: HTTPResponse.Status

    init(_ failure: NodeFailure) { (view, status) = (FailureView(failure), failure.httpStatus) }

    /// For faults that the page itself finds.
    init(code: String, message: String, hint: String) {
        view = FailureView(code: code, message: message, hint: hint)
        status = .unprocessableContent
    }
}

/// A fault that the page itself finds in a form.
struct FormFault: Error { var refusal: Refusal }

/// One form: its address, its action, and the page that shows a failure.
///
/// All forms take the same steps (`Site.addForms`): `RequestGuard` checks origin and session, the fields are read, and
/// `act` carries the form out and answers with a redirect. If it throws, nothing was done, and the reason is shown
/// beside the form.
struct Form: Sendable {
    var path: String
    var act: @Sendable (Site) -> Site.Handler
    /// The page with the form filled in as before. Without it, the page the browser came from shows the reason.
    var again: (@Sendable (Site, Visit, Refusal) async throws -> Response)?

    init(
        _ path: String, _ act: @escaping @Sendable (Site) -> Site.Handler,
        again: (@Sendable (Site, Visit, Refusal) async throws -> Response)? = nil
    ) {
        self.path = path
        self.act = act
        self.again = again
    }

    /// A form that makes one request to the node, says the result, and leads to a page or back.
    init<Request: NodeRequest>(
        _ path: String, then next: String? = nil, _ request: @escaping @Sendable (FormFields) throws -> Request,
        says text: @escaping @Sendable (Request.Report, FormFields) -> String
    ) {
        self.init(path) { site in
            { visit in
                let report = try await site.node.call(request(visit.fields))
                return site.say(text(report, visit.fields), then: next ?? visit.back, visit)
            }
        }
    }
}

extension FormFields {
    /// A field that the form always has.
    func required(_ name: String) -> String { self[name] ?? "" }
}
