import Hummingbird
import StreakGames
import StreakNode

/// Somebody else plays on this machine.
extension Site {
    struct GuestView: Sendable {
        var isPlaying: Bool
        var name: String
        var countText: String
        /// Whether results of an earlier guest are still here.
        var hasLeft: Bool
        /// Whether the user has to choose what happens to the results.
        var isEnding: Bool
        var file: String
    }

    func showGuest(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(GuestRequest.status)
        let hasLeft = !report.active && report.results > 0
        let view = GuestView(
            isPlaying: report.active, name: report.name ?? "", countText: Self.count(report.results), hasLeft: hasLeft,
            isEnding: report.active || hasLeft, file: "~/streakmesh-guest-\(today.description).json")
        return page(.profile, "guest", title: "Guest mode", view, frame, visit)
    }

    private static func count(_ results: Int) -> String { results == 1 ? "1 result" : "\(results) results" }

    static let guestForms: [Form] = [
        Form("/guest/start", then: "/today", { GuestRequest.start(name: $0.required("name")) }) {
            (report: GuestReport, _) in
            "Over to \(report.name ?? "the guest"): play, and paste the result here."
        },
        Form("/guest/stop", Site.stopGuest),
    ]

    private func stopGuest(_ visit: Visit) async throws -> Response {
        let ending: GuestEnding
        switch visit.fields["how"] {
        case "keep": ending = .keep
        case "export": ending = .export(file: try Self.path(visit.fields["file"]))
        case "discard": ending = .discard
        default: throw NodeFailure.invalidRequest("it does not say what happens to the guest's results")
        }
        let report = try await node.call(GuestRequest.stop(ending))
        let name = report.name ?? "the guest"
        let text =
            switch ending {
            case .keep: "Kept for the next time: \(Self.count(report.results)) of \(name)."
            case .export(let file): "The results of \(name) are in \(report.file ?? file)."
            case .discard: "The results of \(name) are gone."
            }
        return say("You are back. \(text)", then: "/today", visit)
    }
}
