import Foundation
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
    /// The feed, which a notification opens.
    case activity
    /// Another machine's link, which makes a new one the same user's.
    case device
    case unknown

    private static let scheme = "streakmesh://"
    /// How much of a message is read, from its first link on. The node has the same limit.
    private static let maximumMessageSize = 4_096

    /// The part of a message from its first invite or device link on. Nil where there is none, or where the message is
    /// too long. The node checks which link it is and whether it is complete.
    static func message(in text: String) -> String? {
        let starts = ["join/", "device/"].compactMap {
            text.range(of: scheme + $0, options: .caseInsensitive)?.lowerBound
        }
        guard let start = starts.min() else { return nil }
        let rest = String(text[start...]).trimmingSpaces
        return rest.utf8.count <= maximumMessageSize ? rest : nil
    }

    /// Nil if the text is not such a link.
    init?(_ text: String) {
        let text = text.trimmingSpaces
        // Links in QR codes are written in capitals.
        guard text.prefix(Self.scheme.count).lowercased() == Self.scheme else { return nil }
        let rest = text.dropFirst(Self.scheme.count)
        let word = rest.prefix { $0 != "/" && $0 != "?" }.lowercased()
        let remainder = rest.dropFirst(word.count)
        switch word {
        case "join": self = .join
        case "device": self = .device
        case "activity": self = .activity
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
    /// The page for a pasted text that is exactly one link; nil for any other text.
    static func addressOfLink(_ text: String) -> String? {
        guard DeepLink(text) != nil, !text.trimmingSpaces.contains(where: \.isNewline) else { return nil }
        return PageLink("/open").adding("link", text.trimmingSpaces).text
    }

    /// The page for a message that holds no result but an invite or a device link.
    static func addressOfLink(in text: String, without report: AddReport) -> String? {
        guard report.added.isEmpty, report.refused.allSatisfy({ $0.reason == "notRecognised" }) else { return nil }
        return DeepLink.message(in: text).map { PageLink("/open").adding("link", $0).text }
    }

    /// Shows what a link leads to. Nothing is stored, dialled or joined before a click. Before there is an account, the
    /// first page keeps the link.
    func openLink(_ visit: Visit) async throws -> Response {
        let link = visit.fields.required("link")
        if try await isNew() { return .seeOther(PageLink("/welcome").adding("opened", link).text) }
        switch DeepLink(link) {
        case .join:
            do {
                return try await reviewInvite(visit)
            } catch let failure as NodeFailure {
                return try await showJoin(visit, refusal: Refusal(failure))
            }
        case .add(let text):
            let report = try await node.call(ScoreRequest.preview(text: text, date: nil))
            return try await today(visit, text: text, date: nil, outcome: report, isPreview: true)
        case .game(let id): return .seeOther(PageLink("/game").adding("id", id).text)
        case .activity: return .seeOther("/activity")
        case .device:
            return try await refuse(
                Refusal(
                    code: "deviceLink",
                    message: "This link makes a new machine one of yours. This machine has its account.",
                    hint: "Open it on the new machine, where StreakMesh was never used."), visit)
        case .unknown, nil:
            return try await refuse(
                Refusal(
                    code: "unknownLink", message: "This version does not know this kind of link. Nothing was done.",
                    hint: "Links begin with streakmesh://join/, streakmesh://add?text= or streakmesh://game/."), visit)
        }
    }

    private func refuse(_ refusal: Refusal, _ visit: Visit) async throws -> Response {
        page(
            .today, "failure", title: "That did not work", refusal.view, try await frame(), visit,
            status: refusal.status)
    }
}
