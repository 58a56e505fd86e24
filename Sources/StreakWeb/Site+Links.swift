import Hummingbird
import StreakNode

/// A `streakmesh://` link.
enum DeepLink: Equatable {
    /// An invite. The link itself is read by the node.
    case join
    /// A text to record.
    case add(text: String)
    /// A game's ID.
    case game(String)
    /// Another machine's link, which makes a new one the same user's.
    case device
    case unknown

    private static let scheme = "streakmesh://"

    /// Nil where a text is no such link.
    init?(_ text: String) {
        let text = text.trimmingSpaces
        // Links in QR codes are written in capitals.
        guard text.prefix(Self.scheme.count).lowercased() == Self.scheme, !text.contains(where: \.isNewline) else {
            return nil
        }
        let rest = text.dropFirst(Self.scheme.count)
        let word = rest.prefix { $0 != "/" && $0 != "?" }.lowercased()
        let remainder = rest.dropFirst(word.count)
        switch word {
        case "join": self = .join
        case "device": self = .device
        case "add":
            let query = remainder.drop { $0 != "?" }.dropFirst()
            self = FormFields(parsing: query)?["text"].map { .add(text: $0) } ?? .unknown
        case "game":
            let id = String(remainder.drop { $0 == "/" }.prefix { $0 != "/" && $0 != "?" })
            self = id.isEmpty ? .unknown : .game(id)
        default: self = .unknown
        }
    }
}

extension Site {
    /// Shows what a link leads to. Nothing is stored, dialled or joined before a click.
    func openLink(_ visit: Visit) async throws -> Response {
        switch DeepLink(visit.fields.word("link")) {
        case .join:
            do {
                return try await lookAtLink(visit)
            } catch let failure as NodeFailure {
                return try await showJoin(visit, refusal: Refusal(failure))
            }
        case .add(let text):
            let report = try await node.call(.score(.preview(text: text, date: nil)), returning: AddReport.self)
            return try await today(visit, text: text, date: nil, outcome: report, isPreview: true)
        case .game(let id): return .seeOther(PageLink("/game").adding("id", id).text)
        case .device:
            return try await refuse(
                Refusal(
                    code: "deviceLink",
                    message: "This link makes a new machine one of yours. This machine has its account.",
                    hint: "Open it on the new machine, where StreakMesh was never used."), visit)
        case .unknown, nil:
            return try await refuse(
                Refusal(
                    code: "unknownLink", message: "This link is of no kind that this version knows. Nothing was done.",
                    hint: "Links begin with streakmesh://join/, streakmesh://add?text= or streakmesh://game/."), visit)
        }
    }

    private func refuse(_ refusal: Refusal, _ visit: Visit) async throws -> Response {
        page(
            .today, "failure", title: "That did not work", refusal.view, try await frame(), visit,
            status: refusal.status)
    }
}
