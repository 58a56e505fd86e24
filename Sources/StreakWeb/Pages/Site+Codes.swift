import Hummingbird
import StreakNode

/// Friends by code.
extension Site {
    struct CodesView: Sendable {
        struct Friend: Sendable {
            var user: String
            var avatar: AvatarView
            var name: String
            var online: Bool
            var note: String
            var boardHref: String
            /// Whether the friendship can be ended without ending a group of others.
            var isPair: Bool
        }

        /// A group of two that the other one is in no more.
        struct Alone: Sendable {
            var name: String
            var note: String
            var leaveHref: String
        }

        struct Sent: Sendable {
            var code: String
            var note: String
            var isOver: Bool
        }

        struct Asker: Sendable {
            var user: String
            var avatar: AvatarView
            var name: String
            var code: String
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
        var received: [Asker]
        var hasReceived: Bool
        var sent: [Sent]
        var hasSent: Bool
        var friends: [Friend]
        var hasFriends: Bool
        var alone: [Alone]
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
                    online: friend.online, note: parts.compactMap(\.self).joined(separator: ", "),
                    boardHref: BoardSelection(group: friend.group).href, isPair: friend.pair)
            }, hasFriends: !report.friends.isEmpty,
            alone: report.alone.map { pair in
                CodesView.Alone(
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

    private func sent(_ wish: SentFriendReport) -> CodesView.Sent {
        let until = Timestamp(wish.until)?.dateText ?? wish.until
        let note =
            switch wish.state {
            case "looking": "Nobody with this code was found so far; still looking until \(until)."
            case "pending": "The owner has your request; waiting for an answer until \(until)."
            case "joining": "The owner said yes; your group of two is on its way."
            case "declined": "The owner has declined."
            default: wish.state
            }
        return CodesView.Sent(code: wish.code, note: note, isOver: wish.state == "declined")
    }

    private func asker(_ wish: ReceivedFriendReport) -> CodesView.Asker {
        let asked = Timestamp(wish.asked)?.relativeText(to: now()) ?? wish.asked
        let note =
            switch wish.state {
            case "approved": "You said yes; they are in as soon as their node asks again."
            case "declined": "You declined."
            default: "Asked \(asked)."
            }
        return CodesView.Asker(
            user: wish.user, avatar: AvatarView(user: wish.user, name: wish.name), name: wish.name, code: wish.code,
            note: note, isOpen: wish.state == "pending")
    }

    static let codeForms: [Form] = [
        Form("/friends/add", Site.addFriend) { site, visit, refusal in
            try await site.showCodes(visit, entered: visit.fields.word("code").trimmingSpaces, refusal: refusal)
        },
        friendForm("/friends/answer", { .answer($0["answer"] == "on") }) {
            $0.answering ? "Your node answers whoever looks for your code." : "Nobody finds you by your code now."
        },
        friendForm("/friends/cancel", { .cancel(code: $0.word("code")) }) { _ in "The request is taken back." },
        friendForm("/friends/approve", { .approve(user: $0.word("user")) }) { _ in
            "You are friends, as soon as their node hears of it."
        },
        friendForm("/friends/decline", { .decline(user: $0.word("user")) }) { _ in "The request is declined." },
        friendForm("/friends/block", { .block(user: $0.word("user")) }) { _ in
            "Blocked. They are not told, and can ask you no more."
        },
        friendForm("/friends/unblock", { .unblock(user: $0.word("user")) }) { _ in
            "Unblocked. They can ask you again."
        },
        friendForm("/friends/rejoin", { .rejoin(group: $0.word("group")) }) { _ in
            "You are back. What the others have arrives as soon as one of them is there."
        },
        friendForm("/friends/dismiss", { .dismiss(group: $0.word("group")) }) { _ in
            "This machine stays out of it."
        },
        friendForm("/friends/remove", { .remove(user: $0.word("user")) }) { _ in
            "You are friends no more; the group of you two has ended."
        },
    ]

    private static func friendForm(
        _ path: String, _ request: @escaping @Sendable (FormFields) throws -> FriendshipRequest,
        says text: @escaping @Sendable (FriendsReport) -> String
    ) -> Form {
        Form(path, request, says: { report, _ in text(report) })
    }

    private func addFriend(_ visit: Visit) async throws -> Response {
        let code = visit.fields.word("code").trimmingSpaces
        let report = try await node.call(FriendshipRequest.add(code: code))
        let until = report.sent.first { $0.state == "looking" }.flatMap { Timestamp($0.until)?.dateText }
        return say(
            "Looking for the owner of this code\(until.map { ", until \($0)" } ?? "").", then: "/friends/codes", visit)
    }
}
