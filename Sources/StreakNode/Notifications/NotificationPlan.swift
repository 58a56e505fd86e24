import StreakGames
import StreakScores
import StreakWire

/// What a user is told at once, the most important first.
enum NotificationKind: String, CaseIterable, Comparable, Sendable {
    /// Somebody challenges the user.
    case challenge
    /// A friend writes to the user.
    case message
    /// An answer to the user's challenge, or how a challenge of theirs ended.
    case answer
    /// Somebody beat a result of the user's, after it.
    case beaten
    /// Six hours are left of the weekly event.
    case ending
    /// The user's rank on last week's board is better than the week before.
    case climbed
    /// A weekly event began.
    case started

    static func < (left: Self, right: Self) -> Bool { left.place < right.place }

    private var place: Int { Self.allCases.firstIndex(of: self) ?? 0 }

    /// So many of them, in a summary.
    func words(_ count: Int) -> String {
        let isOne = count == 1
        return switch self {
        case .challenge: isOne ? "1 challenge" : "\(count) challenges"
        case .message: isOne ? "1 message" : "\(count) messages"
        case .answer: isOne ? "1 answer to a challenge" : "\(count) answers to challenges"
        case .beaten: isOne ? "1 result of yours beaten" : "\(count) results of yours beaten"
        case .ending: isOne ? "1 event that ends soon" : "\(count) events that end soon"
        case .climbed: isOne ? "1 climb in a ranking" : "\(count) climbs in rankings"
        case .started: isOne ? "1 event that began" : "\(count) events that began"
        }
    }
}

/// Which entries of the feed are shown as notifications now: a function of the feed, of what the user has looked at
/// and was told, of the choices, and of the clock.
///
/// What happened since the morning is shown by itself, in the order of the kinds. What happened before was held back,
/// by quiet hours or because a day had told enough: it becomes one summary, and so does what is too much for today.
/// The morning is the end of the quiet hours or midnight, whichever was later.
struct NotificationPlan {
    /// The most notifications of a day, on all machines of a user together.
    static let most = 3
    /// What happened longer ago, in seconds, is not told.
    private static let memory: Int64 = 3 * 86_400

    let me: UserID
    let look: ActivityLook
    /// What each of the user's machines has told.
    let logs: [NotificationLog]
    let choices: NotificationChoices
    /// Unix seconds.
    let now: Int64
    let calendar: LocalCalendar

    var today: PuzzleDay { calendar.day(at: now) }

    /// How many notifications were shown today.
    var shownToday: Int { logs.reduce(0) { $0 + $1.count(on: today) } }

    /// What to show now, in any order of the entries the same: entries by themselves, and of several a summary.
    func shown(of entries: [ActivityEntry]) -> [[ActivityEntry]] {
        let left = Self.most - shownToday
        guard left > 0, choices.quiet?.contains(calendar.minute(at: now)) != true else { return [] }
        let news = untold(of: entries)
        let morning = morning
        let (held, fresh) = (news.filter { $0.at < morning }, news.filter { $0.at >= morning })
        let alone = fresh.prefix(held.isEmpty && fresh.count <= left ? left : left - 1)
        let rest = held + fresh.dropFirst(alone.count)
        return alone.map { [$0] } + (rest.isEmpty ? [] : [rest])
    }

    private func untold(of entries: [ActivityEntry]) -> [ActivityEntry] {
        entries.filter { entry in
            guard let kind = entry.notification, !entry.isCovered else { return false }
            return !choices.off.contains(kind) && look.isNew(entry, to: me) && entry.at > now - Self.memory
                && !logs.contains { $0.hasTold(entry, at: now) }
        }.sorted { left, right in
            left.notification == right.notification
                ? ActivityEntry.isBefore(left, right) : left.rank < right.rank
        }
    }

    private var morning: Int64 {
        let starts = [0, choices.quiet?.to ?? 0].compactMap { calendar.instant(of: $0, on: today) }
        return starts.filter { $0 <= now }.max() ?? now
    }

    /// “News: 2 challenges, 1 result of yours beaten.”
    static func summary(of entries: [ActivityEntry]) -> String {
        let parts = NotificationKind.allCases.compactMap { kind -> String? in
            let count = entries.filter { $0.notification == kind }.reduce(0) { $0 + $1.count }
            return count > 0 ? kind.words(count) : nil
        }
        return "News: \(parts.joined(separator: ", "))."
    }
}

extension ActivityEntry {
    fileprivate var rank: NotificationKind { notification ?? .started }
}

/// The user's choices about notifications, in the private group's setting `notifications`: words such as
/// `quiet=22:00-08:00 off=beaten`. Words of a later version are ignored.
struct NotificationChoices: Equatable, Sendable {
    private(set) var off: Set<NotificationKind> = []
    /// From 22:00 until 08:00 unless the user chooses otherwise.
    private(set) var quiet = QuietHours("22:00-08:00")

    init(text: String) {
        for word in text.split(separator: " ").prefix(16) {
            let parts = word.split(separator: "=", maxSplits: 1)
            guard parts.count == 2 else { continue }
            switch parts[0] {
            case "off": if let kind = NotificationKind(rawValue: String(parts[1])) { off.insert(kind) }
            case "quiet":
                if let hours = QuietHours(parts[1]) { quiet = hours } else if parts[1] == "none" { quiet = nil }
            default: break
            }
        }
    }

    var text: String {
        (["quiet=\(quiet?.text ?? "none")"] + off.sorted().map { "off=\($0.rawValue)" }).joined(separator: " ")
    }

    /// - Throws: `NodeFailure.invalidSetting`, `.invalidTimes`.
    func changed(by change: NotificationChange) throws -> NotificationChoices {
        func kind(_ word: String) throws -> NotificationKind {
            guard let kind = NotificationKind(rawValue: word) else {
                throw NodeFailure.invalidSetting(name: "kind", values: NotificationKind.allCases.map(\.rawValue))
            }
            return kind
        }
        var choices = self
        for word in change.on { choices.off.remove(try kind(word)) }
        for word in change.off { choices.off.insert(try kind(word)) }
        if let text = change.quiet { choices.quiet = try QuietHours.chosen(text) }
        return choices
    }
}
