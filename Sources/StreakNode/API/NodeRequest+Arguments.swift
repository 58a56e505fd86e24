import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

extension NodeRequest {
    /// Looks over what can be judged without the account: days, ranges, words of settings, names and codes. What is wrong with
    /// them is said whatever the account is in.
    ///
    /// - Throws: `NodeFailure`.
    public func checkArguments() throws {
        switch self {
        case .profile(.rename(let name)), .guest(.start(let name)): try Argument.checkName(name)
        case .friend(.add(let code)), .friend(.cancel(let code)): _ = try Argument.friendCode(code)
        case .group(let request): try request.checkArguments()
        case .invite(.create(_, let uses, let lifetime, _)): try Argument.checkInvite(uses: uses, lifetime: lifetime)
        case .invite(.inspect(let link)), .invite(.join(let link, _, _)): _ = try MeshNode.link(link, for: .join)
        case .score(let request): try request.checkArguments()
        case .board(let request):
            try Argument.check(range: request.range, days: [request.date])
            if let metric = request.metric, BoardMetric(rawValue: metric) == nil {
                throw NodeFailure.invalidMetric(metric)
            }
        case .insight(let request): try request.checkArguments()
        case .reminder(.change(let change)): _ = try ReminderChoices(text: "").changed(by: change)
        case .exchange(let request): try request.checkArguments()
        case .profile, .account, .device, .friend, .member, .person, .invite, .privacy, .guest, .reminder, .game,
            .network:
            break
        }
    }
}

extension GroupRequest {
    fileprivate func checkArguments() throws {
        switch self {
        case .create(let title), .rename(_, let title): try Argument.checkTitle(title)
        case .changeSettings(_, let change), .ownRules(let change): try Argument.check(change)
        case .list, .find, .use, .leave, .settings, .transfer, .heir, .takeOver: break
        }
    }
}

extension ScoreRequest {
    fileprivate func checkArguments() throws {
        switch self {
        case .add(_, let date, _, _, _), .preview(_, let date), .record(_, _, _, _, let date, _, _):
            try Argument.check(days: [date])
        case .publish(_, let date, _, _), .delete(_, let date, _): try Argument.check(days: [date])
        case .results(_, let from, let to): try Argument.check(days: [from, to])
        case .undo, .games: break
        }
    }
}

extension InsightRequest {
    fileprivate func checkArguments() throws {
        switch self {
        case .statistics(_, let range, let date, _, _, _), .versus(_, _, let range, let date, _, _):
            try Argument.check(range: range, days: [date])
        case .streaks(let date, _, _), .recap(let date, _), .shareText(_, let date): try Argument.check(days: [date])
        case .champions(let period, _, _): _ = try Argument.period(period)
        case .achievements, .celebrate: break
        }
    }
}

extension ExchangeRequest {
    fileprivate func checkArguments() throws {
        switch self {
        case .export(let format, _, let from, let to, _):
            guard ["csv", "json"].contains(format) else {
                throw NodeFailure.invalidSetting(name: "format", values: ["csv", "json"])
            }
            try Argument.check(days: [from, to])
        case .load(_, let options), .loadChat(_, _, let options): _ = try Argument.dateOrder(options.dates)
        case .inspectChat: break
        }
    }
}

/// What texts of requests mean, or why they mean nothing.
enum Argument {
    static func day(_ text: String) throws -> PuzzleDay {
        guard let day = PuzzleDay(text) else { throw NodeFailure.invalidDate(text) }
        return day
    }

    static func range(_ text: String) throws -> BoardRange {
        guard let range = BoardRange(text) else { throw NodeFailure.invalidRange(text) }
        return range
    }

    static func check(range: String? = nil, days: [String?]) throws {
        if let range { _ = try self.range(range) }
        for text in days { if let text { _ = try day(text) } }
    }

    static func period(_ word: String) throws -> Champions.Period {
        guard let period = Champions.Period(rawValue: word) else {
            throw NodeFailure.invalidSetting(name: "period", values: Champions.Period.allCases.map(\.rawValue))
        }
        return period
    }

    static func dateOrder(_ word: String?) throws -> DateOrder? {
        switch word {
        case nil: nil
        case "day-first": .dayFirst
        case "month-first": .monthFirst
        case .some: throw NodeFailure.invalidSetting(name: "date-order", values: ["day-first", "month-first"])
        }
    }

    static func checkInvite(uses: Int, lifetime: Int64) throws {
        guard (0...1_000_000).contains(uses) else {
            throw NodeFailure.invalidInvite(reason: "the number of uses is 1 to 1,000,000, or 0 for unlimited")
        }
        guard (1...Ledger.maximumInviteLifetime).contains(lifetime) else {
            throw NodeFailure.invalidInvite(reason: "an invite lasts at most 90 days")
        }
    }

    // MARK: Settings of a group

    static let maximumArchiveDays: UInt64 = 366

    static func check(_ change: GroupSettingsChange) throws {
        if let word = change.invites { _ = try inviters(word) }
        if let word = change.missedDay { _ = try missedDay(word) }
        if let days = change.archiveDays { _ = try archiveDays(days) }
    }

    static func inviters(_ word: String) throws -> GroupSettings.InvitePermission {
        guard let permission = GroupSettings.InvitePermission.allCases.first(where: { $0.word == word }) else {
            throw NodeFailure.invalidSetting(
                name: "invites", values: GroupSettings.InvitePermission.allCases.map(\.word))
        }
        return permission
    }

    static func missedDay(_ word: String) throws -> MissedDay {
        guard let missed = MissedDay.allCases.first(where: { $0.word == word }) else {
            throw NodeFailure.invalidSetting(name: "missed", values: MissedDay.allCases.map(\.word))
        }
        return missed
    }

    static func archiveDays(_ days: Int) throws -> UInt64 {
        guard let count = UInt64(exactly: days), count <= maximumArchiveDays else {
            throw NodeFailure.invalidSetting(name: "archive", values: ["0", "7", "\(maximumArchiveDays)"])
        }
        return count
    }

    // MARK: Names

    @discardableResult
    static func checkName(_ text: String) throws -> String {
        guard let name = DisplayText.validatedName(text, maximumLength: ProtocolLimits.maximumNameLength) else {
            throw NodeFailure.invalidName(limit: ProtocolLimits.maximumNameLength)
        }
        return name
    }

    @discardableResult
    static func checkTitle(_ text: String) throws -> String {
        guard let title = DisplayText.validatedName(text, maximumLength: ProtocolLimits.maximumTitleLength) else {
            throw NodeFailure.invalidTitle(limit: ProtocolLimits.maximumTitleLength)
        }
        return title
    }

    static func friendCode(_ text: String) throws -> FriendCode {
        if let code = FriendCode(text) { return code }
        let symbols = text.filter { $0.isLetter || $0.isNumber }.count
        throw NodeFailure.invalidFriendCode(
            reason: symbols == 0
                ? "it is empty"
                : symbols == 12
                    ? "at least one of its symbols is mistyped"
                    : "it has \(symbols == 1 ? "1 symbol" : "\(symbols) symbols") in place of 12")
    }
}
