import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

extension ProfileRequest {
    public func checkArguments() throws {
        if case .rename(let name) = self { try Argument.checkName(name) }
    }
}

extension DeviceRequest {
    public func checkArguments() throws {
        if case .rename(_, let name) = self { try Argument.checkMachineName(name) }
    }
}

extension PrivacyRequest {
    public func checkArguments() throws {
        guard case .change(_, let change) = self else { return }
        if let region = change.region { _ = try Argument.region(region) }
        if let alias = change.alias, !alias.isEmpty { _ = try Argument.alias(alias) }
    }
}

extension GuestRequest {
    public func checkArguments() throws {
        if case .start(let name) = self { try Argument.checkName(name) }
    }
}

extension FriendshipRequest {
    public func checkArguments() throws {
        switch self {
        case .add(let code), .cancel(let code): _ = try Argument.friendCode(code)
        case .list, .answer, .approve, .decline, .block, .unblock, .remove, .rejoin, .dismiss: break
        }
    }
}

extension GroupRequest {
    public func checkArguments() throws {
        switch self {
        case .create(let title), .rename(_, let title): try Argument.checkTitle(title)
        case .find, .use, .leave, .transfer, .heir, .takeOver: break
        }
    }
}

extension GroupSettingsRequest {
    public func checkArguments() throws {
        switch self {
        case .change(_, let change), .ownRules(let change): try Argument.check(change)
        case .show: break
        }
    }
}

extension InternetRequest {
    public func checkArguments() throws {
        guard case .change(let word?, _, _) = self, InternetSetting(rawValue: word) == nil else { return }
        throw NodeFailure.invalidSetting(name: "internet", values: InternetSetting.words)
    }
}

extension InviteRequest {
    public func checkArguments() throws {
        if case .create(_, let uses, let lifetime, _) = self {
            try Argument.checkInvite(uses: uses, lifetime: lifetime)
        }
    }
}

extension LinkRequest {
    public func checkArguments() throws {
        if case .inspect(let link) = self { _ = try InviteLink.read(link, for: .join) }
    }
}

extension JoinRequest {
    public func checkArguments() throws {
        if case .join(let link, _, _) = self { _ = try InviteLink.read(link, for: .join) }
    }
}

extension ScoreRequest {
    public func checkArguments() throws {
        switch self {
        case .add(_, let date, _, _, _), .preview(_, let date), .record(_, _, _, _, let date, _, _):
            try Argument.check(days: [date])
        case .publish(_, let date, _, _), .delete(_, let date, _): try Argument.check(days: [date])
        }
    }
}

extension ResultsRequest {
    public func checkArguments() throws {
        if case .list(_, let from, let to) = self { try Argument.check(days: [from, to]) }
    }
}

extension GameRequest {
    public func checkArguments() throws {
        if case .define(let form, _) = self { try Argument.check(form) }
    }
}

extension BoardRequest {
    public func checkArguments() throws {
        try Argument.check(range: range, days: [date])
        if let metric, BoardMetric(rawValue: metric) == nil { throw NodeFailure.invalidMetric(metric) }
    }
}

extension StatisticsRequest {
    public func checkArguments() throws {
        if case .show(_, let range, let date, _, _, _) = self { try Argument.check(range: range, days: [date]) }
    }
}

extension VersusRequest {
    public func checkArguments() throws {
        if case .show(_, _, let range, let date, _, _) = self { try Argument.check(range: range, days: [date]) }
    }
}

extension StreaksRequest {
    public func checkArguments() throws {
        if case .show(let date, _, _) = self { try Argument.check(days: [date]) }
    }
}

extension RecapRequest {
    public func checkArguments() throws {
        if case .show(let date, _) = self { try Argument.check(days: [date]) }
    }
}

extension ShareRequest {
    public func checkArguments() throws {
        switch self {
        case .result(_, let date, _), .week(let date, _, _, _): try Argument.check(days: [date])
        case .streak, .achievement: break
        }
        if let picture { _ = try Argument.picture(picture) }
    }
}

extension ShareTemplateRequest {
    public func checkArguments() throws {
        guard case .change(let kind, let text) = self else { return }
        let occasion = try Argument.occasion(kind)
        if let text { _ = try Argument.template(occasion, text) }
    }
}

extension ChampionsRequest {
    public func checkArguments() throws {
        if case .show(let period, _, _) = self { _ = try Argument.period(period) }
    }
}

extension ReminderRequest {
    public func checkArguments() throws {
        if case .change(let change) = self { _ = try ReminderChoices(text: "").changed(by: change) }
    }
}

extension NotificationRequest {
    public func checkArguments() throws {
        if case .change(let change) = self { _ = try NotificationChoices(text: "").changed(by: change) }
    }
}

extension ExportRequest {
    public func checkArguments() throws {
        switch self {
        case .export(let format, _, let from, let to, _):
            guard ["csv", "json"].contains(format) else {
                throw NodeFailure.invalidSetting(name: "format", values: ["csv", "json"])
            }
            try Argument.check(days: [from, to])
        }
    }
}

extension ImportRequest {
    public func checkArguments() throws {
        switch self {
        case .load(_, let options), .loadChat(_, _, let options): _ = try Argument.dateOrder(options.dates)
        }
    }
}

extension TalkRequest {
    public func checkArguments() throws {
        switch self {
        case .show(let result): try Argument.check(days: [result.date])
        case .react(let result, let emoji):
            try Argument.check(days: [result.date])
            if let emoji { _ = try Argument.emoji(emoji) }
        case .comment(let result, let text):
            try Argument.check(days: [result.date])
            _ = try Argument.comment(text)
        case .edit(_, let text, _): _ = try Argument.comment(text)
        case .delete, .hide: break
        }
    }
}

extension MessageRequest {
    public func checkArguments() throws {
        switch self {
        case .write(_, let text), .edit(_, let text): _ = try Argument.message(text)
        case .list, .show, .look, .delete: break
        }
    }
}

extension ChallengeRequest {
    public func checkArguments() throws {
        switch self {
        case .look(let result): try Argument.check(days: [result.date])
        case .make(let result, _, let until, _): try Argument.check(days: [result.date, until])
        case .list, .answer, .withdraw: break
        }
    }
}

/// Reads the texts in requests, or says what is wrong with them.
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

    static func eventRule(_ word: String) throws -> EventPlan.Rule {
        guard let rule = EventPlan.Rule(word: word) else {
            throw NodeFailure.invalidSetting(name: "rule", values: EventPlan.Rule.allCases.map(\.word))
        }
        return rule
    }

    static func eventPlan(_ rule: EventPlan.Rule, game: GameID?) throws -> EventPlan {
        guard let plan = EventPlan(rule, game: game) else {
            throw NodeFailure.invalidEvent(
                reason: "The rule “\(rule.word)” \(game == nil ? "needs a game" : "takes no game").")
        }
        return plan
    }

    /// What a form defines.
    static func definition(_ form: GameForm, id: GameID) throws -> GameDefinition {
        guard let model = ScoringModel(rawValue: form.model) else {
            let models = ScoringModel.allCases.map(\.rawValue).joined(separator: ", ")
            throw NodeFailure.invalidGame(reason: "A game is scored by one of \(models).")
        }
        guard let cadence = Game.Cadence(rawValue: form.cadence ?? "daily") else {
            throw NodeFailure.invalidGame(reason: "A game is daily, weekly or unlimited.")
        }
        let aggregation = try form.aggregation.map { word in
            guard let aggregation = RangeAggregation(rawValue: word) else {
                throw NodeFailure.invalidGame(reason: "Over several days the best, the sum or the latest counts.")
            }
            return aggregation
        }
        do throws(GameDefinitionFault) {
            return try GameDefinition(
                id: id, name: form.name, icon: form.icon, model: model, maximum: form.maximum, best: form.best,
                unit: form.unit, cadence: cadence, aggregation: aggregation, pattern: form.pattern)
        } catch {
            throw NodeFailure.invalidGame(reason: error.description, isPattern: error.isOfPattern)
        }
    }

    /// Refuses a form that defines no game, whatever its ID.
    static func check(_ form: GameForm) throws {
        let stem = GameDefinition.stem(of: form.name, tag: 0)
        guard let id = GameID.defined(by: UserID(bytes: .zero), stem: stem) else { return }
        _ = try definition(form, id: id)
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

    // MARK: Share texts and pictures

    static func picture(_ style: PictureStyle) throws -> (look: Picture.Look, shape: Picture.Shape) {
        guard let look = style.look.map({ Picture.Look(rawValue: $0) }) ?? .light else {
            throw NodeFailure.invalidSetting(name: "look", values: Picture.Look.allCases.map(\.rawValue))
        }
        guard let shape = style.shape.map({ Picture.Shape(rawValue: $0) }) ?? .wide else {
            throw NodeFailure.invalidSetting(name: "shape", values: Picture.Shape.allCases.map(\.rawValue))
        }
        return (look, shape)
    }

    static func occasion(_ word: String) throws -> ShareTemplate.Occasion {
        guard let occasion = ShareTemplate.Occasion(rawValue: word) else {
            throw NodeFailure.invalidSetting(name: "kind", values: ShareTemplate.Occasion.allCases.map(\.rawValue))
        }
        return occasion
    }

    static func template(_ occasion: ShareTemplate.Occasion, _ text: String) throws -> ShareTemplate {
        do throws(ShareTemplate.Refusal) {
            return try ShareTemplate(occasion, text)
        } catch {
            switch error {
            case .empty: throw NodeFailure.invalidTemplate(reason: "it is empty")
            case .tooLong:
                throw NodeFailure.invalidTemplate(
                    reason: "it is longer than \(ShareTemplate.maximumLength) characters, or "
                        + "\(ShareTemplate.maximumSize.grouped) bytes")
            case .unknownPlaceholder(let name):
                let known = occasion.placeholders.map { "{\($0.rawValue)}" }.joined(separator: " ")
                throw NodeFailure.invalidTemplate(reason: "there is no {\(name.prefix(40))} here, only \(known)")
            }
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
            throw NodeFailure.invalidSetting(
                name: "archive", values: ["0 (no limit)", "1 to \(maximumArchiveDays) days"])
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

    /// A machine may be called “MacBook (2019)”: nobody is taken for another by it.
    @discardableResult
    static func checkMachineName(_ text: String) throws -> String {
        guard let name = DisplayText.validatedTitle(text, maximumLength: ProtocolLimits.maximumNameLength) else {
            throw NodeFailure.invalidName(limit: ProtocolLimits.maximumNameLength)
        }
        return name
    }

    @discardableResult
    static func checkTitle(_ text: String) throws -> String {
        guard let title = DisplayText.validatedTitle(text, maximumLength: ProtocolLimits.maximumTitleLength) else {
            throw NodeFailure.invalidTitle(limit: ProtocolLimits.maximumTitleLength)
        }
        return title
    }

    /// Empty for none.
    static func region(_ text: String) throws -> String {
        guard !text.isEmpty else { return "" }
        guard text.utf8.count <= 64,
            let region = DisplayText.validated(text, maximumLength: Profile.maximumRegionLength)
        else { throw NodeFailure.invalidRegion(limit: Profile.maximumRegionLength) }
        return region
    }

    static func alias(_ text: String) throws -> String {
        guard let name = DisplayText.validatedName(text, maximumLength: ProtocolLimits.maximumNameLength) else {
            throw NodeFailure.invalidAlias(limit: ProtocolLimits.maximumNameLength)
        }
        return name
    }

    // MARK: Talk

    static func emoji(_ text: String) throws -> Emoji {
        guard let emoji = Emoji(typed: text) else { throw NodeFailure.invalidEmoji }
        return emoji
    }

    static func comment(_ text: String) throws -> String {
        guard let written = ResultComment.written(text) else {
            throw NodeFailure.invalidComment(limit: ResultComment.maximumLength)
        }
        return written
    }

    static func message(_ text: String) throws -> String {
        guard let written = ResultComment.written(text) else {
            throw NodeFailure.invalidMessage(limit: ResultComment.maximumLength)
        }
        return written
    }

    static func friendCode(_ text: String) throws -> FriendCode {
        if let code = FriendCode(text) { return code }
        let symbols = text.filter { $0.isLetter || $0.isNumber }.count
        throw NodeFailure.invalidFriendCode(
            reason: symbols == 0
                ? "it is empty"
                : symbols == 12
                    ? "at least one of its symbols is mistyped"
                    : "it has \(symbols == 1 ? "1 symbol" : "\(symbols) symbols") instead of 12")
    }
}
