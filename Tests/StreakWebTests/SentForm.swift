import StreakNode
import Testing

/// A form, its input, and the request that the node must get.
struct SentForm: Sendable, CustomTestStringConvertible {
    var path: String
    var body: String
    var request: any NodeRequest

    init(_ path: String, _ body: String, _ request: any NodeRequest) {
        (self.path, self.body, self.request) = (path, body, request)
    }

    var testDescription: String { "\(path) \(body)" }
}
