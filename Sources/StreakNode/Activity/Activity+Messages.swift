import StreakEngine
import StreakMembership
import StreakReplication
import StreakWire

extension Activity {
    /// What friends wrote to this user in the last thirty days and the user has not read: an entry for each sitting. It
    /// says who wrote, and leaves the words to the page of messages.
    func messageItems(in groups: [GroupID]) -> [Item] {
        let start = 1_000 * ActivityFeed.start(on: core.clock.today)
        return core.engine.friendGroups.filter { $0.isPair && groups.contains($0.group) }.flatMap { pair -> [Item] in
            guard !core.isMuted(pair.friend, in: pair.group), let messages = core.views[pair.group]?.messages else {
                return []
            }
            let read = core.accountSettings.readUntil(in: pair.group)
            let sittings = Self.sittings(of: messages.messages(of: [pair.friend], after: max(read, start - 1)))
            return sittings.map { Item(group: pair.group, entry: entry(of: $0, in: pair.group)) }
        }
    }

    /// Named by its first message, so a sitting that goes on is told once.
    private func entry(of sitting: Sitting, in group: GroupID) -> ActivityEntry {
        let author = sitting.first.author
        var entry = ActivityEntry(
            .message, author, person: person(author, in: group), at: sitting.lastAt / 1_000,
            about: group.bytes.array + FriendMessage.recordSubject(of: sitting.first.message.id))
        (entry.icon, entry.count, entry.notification) = ("✉️", sitting.count, .message)
        return entry
    }

    private struct Sitting {
        let first: GroupMessages.Standing
        /// When the last one was written, in milliseconds since 1970.
        var lastAt: Int64
        var count = 1
    }

    private static func sittings(of messages: [GroupMessages.Standing]) -> [Sitting] {
        let pause = 1_000 * ActivityFeed.pause
        var sittings: [Sitting] = []
        for message in messages {
            if let last = sittings.indices.last, message.writtenAt - sittings[last].lastAt <= pause {
                sittings[last].lastAt = message.writtenAt
                sittings[last].count += 1
            } else {
                sittings.append(Sitting(first: message, lastAt: message.writtenAt))
            }
        }
        return sittings
    }
}
