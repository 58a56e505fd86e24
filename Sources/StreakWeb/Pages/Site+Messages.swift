import Hummingbird
import StreakNode

/// What this user and a friend write to each other.
struct MessagesView: Sendable {
    struct Friend: Sendable {
        var avatar: AvatarView
        var name: String
        var href: String
        var online: Bool
        /// The last message, or that there is none.
        var last: String
        var when: String?
        var fresh: String?
        var current: Bool
    }

    struct Line: Sendable {
        var id: String
        var me: Bool
        var who: String
        var text: String
        var when: String
        var edited: Bool
        var fresh: Bool
    }

    struct Conversation: Sendable {
        var user: String
        var name: String
        var avatar: AvatarView
        var presence: String
        var online: Bool
        var playerHref: String
        var lines: [Line]
        var isSilent: Bool
        var earlierText: String?
        var muted: Bool
        var backTo: String
    }

    var friends: [Friend]
    var hasFriends: Bool
    /// Nil until a friend is chosen.
    var open: Conversation?
}

extension Site {
    /// Opening the page marks its messages as seen. Those that were new until then are still marked on it.
    func showMessages(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let user = visit.fields["user"]
        let report = try await node.call(user.map { MessageRequest.show(user: $0) } ?? MessageRequest.list)
        if let user, !visit.isFragment, report.friend?.fresh ?? 0 > 0 {
            _ = try await node.call(MessageRequest.look(user: user))
        }
        let view = MessagesView(
            friends: report.friends.map { friend($0, isCurrent: $0.user == report.friend?.user) },
            hasFriends: !report.friends.isEmpty, open: report.friend.map { conversation(with: $0, report, visit) })
        return page(
            .friends, "messages", title: report.friend.map { "Messages with \($0.name)" } ?? "Messages", view, frame,
            visit)
    }

    private func friend(_ friend: CorrespondentReport, isCurrent: Bool) -> MessagesView.Friend {
        let last = friend.last.map { ($0.me ? "You: " : "") + $0.text }
        return MessagesView.Friend(
            avatar: AvatarView(user: friend.user, name: friend.name), name: friend.name,
            href: PageLink("/messages").adding("user", friend.user).text, online: friend.online,
            last: last ?? "Nothing written yet", when: friend.last.map { when($0) },
            fresh: friend.fresh == 0 || isCurrent ? nil : "\(friend.fresh) new", current: isCurrent)
    }

    private func when(_ message: MessageReport) -> String {
        Timestamp(message.written)?.relativeText(to: now()) ?? message.written
    }

    private func conversation(
        with friend: CorrespondentReport, _ report: MessagesReport, _ visit: Visit
    ) -> MessagesView.Conversation {
        MessagesView.Conversation(
            user: friend.user, name: friend.name, avatar: AvatarView(user: friend.user, name: friend.name),
            presence: friend.online ? "Online" : "Not online: they get it when both of you are", online: friend.online,
            playerHref: PageLink("/player").adding("group", friend.group).adding("user", friend.user).text,
            lines: report.messages.map { message in
                MessagesView.Line(
                    id: message.id, me: message.me, who: message.me ? "You" : friend.name, text: message.text,
                    when: when(message), edited: message.edited, fresh: message.fresh)
            }, isSilent: report.messages.isEmpty,
            earlierText: report.earlier == 0
                ? nil : report.earlier == 1 ? "1 older message" : "\(report.earlier) older messages",
            muted: report.muted, backTo: visit.back)
    }

    static let messageForms: [Form] = [
        Form("/message", { MessageRequest.write(user: $0.required("user"), text: $0.required("text")) }) {
            (_: MessagesReport, _) in "Sent."
        },
        Form("/message/edit", { MessageRequest.edit(message: $0.required("id"), text: $0.required("text")) }) {
            (_: MessagesReport, _) in "Changed."
        },
        Form("/message/delete", { MessageRequest.delete(message: $0.required("id")) }) { (_: MessagesReport, _) in
            "The message is deleted."
        },
    ]
}
