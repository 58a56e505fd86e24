import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// What a user sends to people without StreakMesh: texts and pictures.
extension Boards {
    func share(_ request: ShareRequest) throws -> ShareReport {
        let made =
            switch request {
            case .result(let game, let date, _): try sharedResult(game: game, date: date)
            case .streak(let game, _): try sharedStreak(game: game)
            case .week(let date, let group, let isAlone, _):
                try sharedWeek(date: date, group: group, isAlone: isAlone)
            case .achievement(let text, _): try sharedAchievement(text)
            }
        let style = try request.picture.map(Argument.picture)
        return ShareReport(
            text: made.text, title: made.picture.title, description: made.picture.description,
            fileName: made.picture.fileName,
            picture: style.map { look, shape in
                PictureReport(
                    svg: made.picture.svg(look: look, shape: shape), width: shape.width, height: shape.height)
            })
    }

    private typealias Shared = (text: String, picture: Picture)

    private func ownInsights() throws -> PlayerInsights {
        guard let privateGroup = core.privateGroup else { throw NodeFailure.noGroup() }
        return core.insights(of: core.me, in: privateGroup)
    }

    private func sharedResult(game selector: String, date: String?) throws -> Shared {
        let game = try core.game(selector)
        let day = try core.day(date) ?? core.clock.today
        let insights = try ownInsights()
        guard let score = core.ownIndex.results(of: core.me, game: game.id, from: day, to: day).last else {
            throw NodeFailure.noSuchResult(game: game.name, day: day.description)
        }
        let streak = insights.streak(in: game, on: day).current
        let occasion = insights.occasion(of: score)
        let picture = Picture(
            of: .result(
                Picture.Result(
                    game: game.name, number: score.shownNumber(in: game), day: score.day,
                    label: Scoring.label(for: score, in: game), occasion: occasion, grid: grid(of: score),
                    streak: streak, cadence: game.cadence)),
            player: core.ownName)
        return (
            template(occasion, isToday: day == core.clock.today)
                .text(for: score, in: game, name: core.ownName, streak: streak), picture
        )
    }

    /// The coloured marks of a result, from the text that was pasted on this machine. Others' results have none, for
    /// their texts never travel. A text of another value, as before an edit, does not count.
    private func grid(of score: DailyScore) -> ShareGrid? {
        // A picture without them is better than none, should the store fail.
        guard let text = try? loop.store.shareText(key: score.recordSubject.hexadecimal) else { return nil }
        let share = core.shareReader.read(text).shares.first { share in
            share.game == score.game && share.puzzle ?? score.puzzle == score.puzzle && share.score == score.score
                && share.isCompleted == score.isCompleted && share.seconds == score.seconds
        }
        return share.flatMap { ShareGrid($0.text) }
    }

    private func sharedStreak(game selector: String?) throws -> Shared {
        let today = core.clock.today
        let insights = try ownInsights()
        let game = try selector.map { try core.game($0) }
        let run = game.map { insights.streak(in: $0, on: today) }
        let overall = insights.overallStreak(on: today)
        let streak = Picture.Streak(
            game: game?.name, count: run?.current ?? overall.current, longest: run?.longest ?? overall.longest,
            start: game == nil ? overall.start : run?.start, cadence: game?.cadence ?? .daily,
            days: days(DaySpan(from: today.adding(days: -6), to: today), of: game, insights))
        guard streak.count > 0 else {
            throw NodeFailure.nothingToShare(reason: "you have no streak\(game.map { " in \($0.name)" } ?? "") now")
        }
        return (streak.text, Picture(of: .streak(streak), player: core.ownName))
    }

    private func days(_ span: DaySpan, of game: Game?, _ insights: PlayerInsights) -> [Picture.Day] {
        let played = Set(insights.dayCounts(in: span, game: game?.id).filter { $0.count > 0 }.map(\.day))
        return (0..<7).map { offset in
            let day = span.from.adding(days: offset)
            return Picture.Day(day, isPlayed: played.contains(day))
        }
    }

    private func sharedWeek(date: String?, group selector: String?, isAlone: Bool) throws -> Shared {
        let week = try self.week(date: date, group: selector, isAlone: isAlone)
        // Beside the group's podium, this user goes by the name that the group knows.
        let name = week.group.map { core.name(of: core.identity.user, in: $0) } ?? core.ownName
        let names = { (id: GameID) in self.core.namedGame(id, in: week.group ?? week.own) }
        let title = week.group.map { core.title(of: $0) }
        let texts = [week.mine.text(name: name, games: names), week.ours?.text(group: title ?? "", games: names)]
        let text = texts.compactMap(\.self).joined(separator: "\n\n")
        guard !text.isEmpty else { throw NodeFailure.nothingToShare(reason: "nobody has played in that week") }
        let span = week.mine.span
        let picture = Picture(
            of: .week(
                Picture.Week(
                    recap: week.mine, days: days(span, of: nil, try ownInsights()), group: title,
                    podium: week.ours?.podium ?? [])),
            player: name)
        return (text, picture)
    }

    private func sharedAchievement(_ text: String?) throws -> Shared {
        let all = AchievementTier.all
        if let text, !all.contains(where: { $0.text == text || $0.achievement.rawValue == text }) {
            throw NodeFailure.invalidSetting(name: "achievement", values: Achievement.allCases.map(\.rawValue))
        }
        let set = achievementSet(of: try ownSubject())
        let unlocks = set.unlocks.reversed().filter { unlock in
            text.map { unlock.reached.text == $0 || unlock.reached.achievement.rawValue == $0 } ?? true
        }
        guard let unlock = unlocks.first else {
            throw NodeFailure.nothingToShare(
                reason: text == nil ? "you have reached no achievement yet" : "you have not reached this achievement")
        }
        return (
            template(.unlock).text(for: unlock, name: core.ownName),
            Picture(of: .achievement(unlock), player: core.ownName)
        )
    }

    // MARK: Templates

    private static func setting(_ occasion: ShareTemplate.Occasion) -> String { "template-\(occasion.rawValue)" }

    /// The user's own template, or the standard one.
    func template(_ occasion: ShareTemplate.Occasion, isToday: Bool = true) -> ShareTemplate {
        ownTemplate(occasion) ?? .standard(occasion, isToday: isToday)
    }

    private func ownTemplate(_ occasion: ShareTemplate.Occasion) -> ShareTemplate? {
        // One of a later version may have placeholders that are unknown here.
        core.accountSettings.text(Self.setting(occasion)).flatMap { try? ShareTemplate(occasion, $0) }
    }

    func templates() -> ShareTemplatesReport {
        ShareTemplatesReport(
            templates: ShareTemplate.Occasion.allCases.map { occasion in
                let template = template(occasion)
                return ShareTemplatesReport.Template(
                    kind: occasion.rawValue, text: template.text, own: ownTemplate(occasion) != nil,
                    placeholders: occasion.placeholders.map(\.rawValue), example: template.example(name: core.ownName))
            })
    }

    func changeTemplate(_ kind: String, text: String?) async throws -> ShareTemplatesReport {
        let occasion = try Argument.occasion(kind)
        let value = try text.map { Array(try Argument.template(occasion, $0).text.utf8) } ?? []
        try await loop.storeSettings([.setting(name: Self.setting(occasion), value: value)])
        return templates()
    }
}

extension DailyScore {
    /// “#1,617”; nil for a game without numbers, and for a log, whose number means nothing to people.
    fileprivate func shownNumber(in game: Game) -> String? {
        game.model == .count ? nil : puzzle.map { "#\($0.grouped)" }
    }
}
