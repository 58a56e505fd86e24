import HTTPTypes
import Hummingbird
import StreakNode

/// Why a form was not carried out, for the page that says so.
struct Refusal: Sendable, Equatable {
    var view: FailureView
    var status: HTTPResponse.Status

    init(_ failure: NodeFailure) { (view, status) = (FailureView(failure), failure.httpStatus) }

    /// For what the page itself finds wrong.
    init(code: String, message: String, hint: String) {
        view = FailureView(code: code, message: message, hint: hint)
        status = .unprocessableContent
    }
}

/// What the page itself finds wrong with a form.
struct FormFault: Error { var refusal: Refusal }

/// One form of the page: where it is sent, what is done then, and what is shown where that fails.
///
/// All go the same way (`Site.addForms`): `RequestGuard` has looked where the request comes from and who sends it, the
/// fields are read, `act` carries the form out and answers with another page; where it throws, nothing was done, and the
/// reason is shown where the form was.
struct Form: Sendable {
    var path: String
    var act: @Sendable (Site) -> Site.Handler
    /// The page with the form as it was filled in; without it the reason is shown on the page that the browser came from.
    var again: (@Sendable (Site, Visit, Refusal) async throws -> Response)?

    init(
        _ path: String, _ act: @escaping @Sendable (Site) -> Site.Handler,
        again: (@Sendable (Site, Visit, Refusal) async throws -> Response)? = nil
    ) {
        self.path = path
        self.act = act
        self.again = again
    }

    /// A form that asks the node one thing, says what came of it, and leads on to a page, or back.
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
    /// A field that a form always has.
    func word(_ name: String) -> String { self[name] ?? "" }
}
