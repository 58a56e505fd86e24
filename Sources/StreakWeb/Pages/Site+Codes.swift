import Hummingbird
import StreakNode

/// Friends by code.
extension Site {
    struct CodesView: Sendable {
        struct Friend: Sendable {
            var user: String
            var avatar: AvatarView
            var name: String
            /// Name, code and ID, for a question.
            var described: String
            var online: Bool
            var note: String
            var boardHref: String
            /// Whether the friendship can be ended without ending a group of others.
            var isPair: Bool
        }

        /// A group of two that the other one has left.
        struct LonelyPair: Sendable {
            var name: String
            var note: String
            var leaveHref: String
        }

        struct Sent: Sendable {
            var code: String
            var note: String
            var isOver: Bool
        }

        struct IncomingRequest: Sendable {
            var user: String
            var avatar: AvatarView
            var name: String
            var code: String
            /// Name, code and ID, for a question.
            var described: String
            var note: String
            var isOpen: Bool
        }

        struct Blocked: Sendable {
            var user: String
            var name: String?
            var code: String
        }

        var code: String
        var symbol: SymbolView?
        var answering: Bool
        /// What was typed.
        var entered: String
        var received: [IncomingRequest]
        var hasReceived: Bool
        var sent: [Sent]
        var hasSent: Bool
        var friends: [Friend]
        var hasFriends: Bool
        var alone: [LonelyPair]
        var blocked: [Blocked]
        var hasBlocked: Bool
    }

    func showCodes(
        _ visit: Visit, entered: String = "", refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(FriendshipRequest.list)
        let view = CodesView(
            code: report.code, symbol: SymbolView(report.code), answering: report.answering, entered: entered,
            received: report.received.map(asker), hasReceived: !report.received.isEmpty, sent: report.sent.map(sent),
            hasSent: !report.sent.isEmpty,
            friends: report.friends.map { friend in
                let parts = [friend.online ? "Online" : nil, friend.code, "in “\(friend.title)”"]
                return CodesView.Friend(
                    user: friend.user, avatar: AvatarView(user: friend.user, name: friend.name), name: friend.name,
                    described: friend.described,
                    online: friend.online, note: parts.compactMap(\.self).joined(separator: ", "),
                    boardHref: BoardSelection(group: friend.group).href, isPair: friend.pair)
            }, hasFriends: !report.friends.isEmpty,
            alone: report.alone.map { pair in
                CodesView.LonelyPair(
                    name: pair.name, note: "\(pair.name) \(pair.text).",
                    leaveHref: PageLink("/leave").adding("group", pair.group).text)
            },
            blocked: report.blocked.map {
                let code = $0.code ?? "\($0.user.prefix(8))…"
                return CodesView.Blocked(user: $0.user, name: $0.name, code: code)
            }, hasBlocked: !report.blocked.isEmpty)
        return page(
            .friends, "codes", title: "Friend codes", view, frame, visit, refusal: refusal)
    }

    private func sent(_ request: SentFriendReport) -> CodesView.Sent {
        let until = Timestamp(request.until)?.dateText ?? request.until
        let note =
            switch request.state {
            case "looking": "Not found so far. Still looking until \(until)."
            case "pending": "The owner has your request; waiting for an answer until \(until)."
            case "joining": "The owner said yes; your group of two is on its way."
            case "declined": "The owner has declined."
            default: request.state
            }
        return CodesView.Sent(code: request.code, note: note, isOver: request.state == "declined")
    }

    private func asker(_ request: ReceivedFriendReport) -> CodesView.IncomingRequest {
        let asked = Timestamp(request.asked)?.relativeText(to: now()) ?? request.asked
        let note =
            switch request.state {
            case "approved": "You said yes. They are in as soon as their machine asks again."
            case "declined": "You declined."
            default: "Asked \(asked)."
            }
        return CodesView.IncomingRequest(
            user: request.user, avatar: AvatarView(user: request.user, name: request.name), name: request.name,
            code: request.code,
            described: request.described,
            note: note, isOpen: request.state == "pending")
    }

    static let codeForms: [Form] = [
        Form("/friends/add", Site.addFriend) { site, visit, refusal in
            try await site.showCodes(visit, entered: visit.fields.required("code").trimmingSpaces, refusal: refusal)
        },
        friendForm("/friends/answer", { .answer($0["answer"] == "on") }) {
            $0.answering
                ? "StreakMesh answers anybody who looks for your code." : "Nobody can find you by your code now."
        },
        friendForm("/friends/cancel", { .cancel(code: $0.required("code")) }) { _ in "The request is taken back." },
        friendForm("/friends/approve", { .approve(user: $0.required("user")) }) { _ in
            "You are friends as soon as their machine hears of it."
        },
        friendForm("/friends/decline", { .decline(user: $0.required("user")) }) { _ in "The request is declined." },
        friendForm("/friends/block", { .block(user: $0.required("user")) }) { _ in
            "Blocked. They are not told, and can no longer ask you."
        },
        friendForm("/friends/unblock", { .unblock(user: $0.required("user")) }) { _ in
            "Unblocked. They can ask you again."
        },
        friendForm("/friends/rejoin", { .rejoin(group: $0.required("group")) }) { _ in
            "You are back. The others' results arrive as soon as one of them is online."
        },
        friendForm("/friends/dismiss", { .dismiss(group: $0.required("group")) }) { _ in
            "This machine stays out of the group."
        },
        friendForm("/friends/remove", { .remove(user: $0.required("user")) }) { _ in
            "You are no longer friends. The group for the two of you has ended."
        },
    ]

    private static func friendForm(
        _ path: String, _ request: @escaping @Sendable (FormFields) throws -> FriendshipRequest,
        says text: @escaping @Sendable (FriendsReport) -> String
    ) -> Form {
        Form(path, request, says: { report, _ in text(report) })
    }

    private func addFriend(_ visit: Visit) async throws -> Response {
        let code = visit.fields.required("code").trimmingSpaces
        let report = try await node.call(FriendshipRequest.add(code: code))
        if let asker = report.asker(withCode: code) {
            return say("\(asker.name) has asked you, too: you have said yes.", then: "/friends/codes", visit)
        }
        let until = report.sent.first { $0.state == "looking" }.flatMap { Timestamp($0.until)?.dateText }
        return say(
            "Looking for the owner of this code\(until.map { ", until \($0)" } ?? "").", then: "/friends/codes", visit)
    }
}
