import StreakCrypto
import StreakEngine
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What members say about results: reactions, comments, and whom this user does not want to hear.
///
/// While a result is covered, nothing about it is said, nor how much there is.
struct Talk {
    let core: NodeCore
    let loop: NodeLoop
    let people: People

    /// The most comments of one report.
    private static let maximumComments = 200
    /// The most names of one emoji.
    private static let maximumNames = 50

    // MARK: Results

    /// A result that this user may see and say something about.
    private func open(_ reference: ResultReference) async throws -> ResultPlace {
        let place = try await people.place(of: reference)
        guard !core.isCovered(place.result, of: place.owner, in: place.group) else {
            throw NodeFailure.resultCovered(game: core.namedGame(place.result.game, in: place.group).name)
        }
        try core.checkSharing(in: place.group)
        return place
    }

    func show(_ reference: ResultReference) async throws -> TalkReport { report(try await people.place(of: reference)) }

    func react(to reference: ResultReference, with text: String?) async throws -> TalkReport {
        let emoji = try text.map(Argument.emoji)
        // What was said before a result was covered again can be taken back.
        let place = try await emoji == nil ? people.place(of: reference) : open(reference)
        let known = talk(of: place.group).reactions(to: place.name).first { $0.user == core.identity.user }
        if known?.emoji != emoji {
            let subject = Reaction.recordSubject(of: place.name)
            let content =
                emoji.map { RecordContent(Reaction(to: place.name, $0)) }
                ?? RecordContent(withdrawing: subject, of: Reaction.self)
            try await loop.execute(.write([(place.group, [.content(content)])]))
        }
        return report(place)
    }

    func comment(on reference: ResultReference, _ text: String) async throws -> TalkReport {
        let place = try await open(reference)
        let id = WritingID(milliseconds: core.clock.wallTime.milliseconds, chance: .random(in: 0 ... .max))
        let comment = ResultComment(id, on: place.name, text: try Argument.comment(text))
        try await loop.execute(.write([(place.group, [.value(comment)])]))
        return report(place)
    }

    // MARK: Comments that stand

    /// The ID by which reports name a comment. An author chooses a comment's own ID, and could choose somebody else's.
    private static func id(of comment: CommentName) -> String {
        Blake2b.hash(Hiding.recordSubject(of: comment)).prefix(16).hexadecimal
    }

    private func comment(_ text: String, in selector: String?) throws -> (group: GroupID, said: GroupTalk.Said) {
        let group = try core.group(selector)
        let talk = talk(of: group)
        let found = Selector(text).matches(among: talk.names) { Selector.Key(id: Self.id(of: $0), names: []) }
        guard let name = found.first, found.count == 1, let said = talk.said(name) else {
            throw NodeFailure.unknownComment(text)
        }
        return (group, said)
    }

    /// The result that a comment is about, which has to stand. The comment's author may have named any.
    private func place(of said: GroupTalk.Said, in group: GroupID) throws -> ResultPlace {
        let name = said.comment.result
        guard let result = core.views[group]?.index.score(name.key, of: PlayerID(name.owner.bytes.array)),
            isMember(name.owner, of: group)
        else {
            throw NodeFailure.noResultOfMember(
                name: core.name(of: name.owner, in: group), game: core.namedGame(name.key.game, in: group).name)
        }
        return ResultPlace(group: group, owner: name.owner, result: result)
    }

    private func own(_ text: String, in selector: String?) throws -> (group: GroupID, said: GroupTalk.Said) {
        let found = try comment(text, in: selector)
        guard found.said.author == core.identity.user else { throw NodeFailure.commentOfAnother }
        return found
    }

    func edit(_ id: String, _ text: String, in selector: String?) async throws -> TalkReport {
        let (group, said) = try own(id, in: selector)
        let text = try Argument.comment(text)
        let place = try place(of: said, in: group)
        try core.checkSharing(in: group)
        if said.comment.text != text {
            let edit = ResultComment(said.comment.id, on: said.comment.result, text: text, isEdited: true)
            try await loop.execute(.write([(group, [.value(edit)])]))
        }
        return report(place)
    }

    func delete(_ id: String, in selector: String?) async throws -> TalkReport {
        let (group, said) = try own(id, in: selector)
        let place = try place(of: said, in: group)
        let subject = ResultComment.recordSubject(of: said.comment.id)
        let withdrawal = RecordContent(withdrawing: subject, of: ResultComment.self)
        try await loop.execute(.write([(group, [.content(withdrawal)])]))
        return report(place)
    }

    func hide(_ id: String, _ isHidden: Bool, in selector: String?) async throws -> TalkReport {
        let (group, said) = try comment(id, in: selector)
        guard mayHide(in: group) else {
            throw NodeFailure.notAllowed(action: isHidden ? "hide a comment" : "show a hidden comment")
        }
        let place = try place(of: said, in: group)
        if said.isHidden != isHidden {
            let subject = Hiding.recordSubject(of: said.name)
            let word: RecordDraft =
                isHidden
                ? .value(Hiding(of: said.name)) : .content(RecordContent(withdrawing: subject, of: Hiding.self))
            try await loop.execute(.write([(group, [word])]))
        }
        return report(place)
    }

    // MARK: Muted people

    func muted(in group: GroupID) -> MutedReport {
        let users = (core.engine.state(of: group)?.members ?? []).map(\.user).filter { core.isMuted($0, in: group) }
        let names = core.names(in: group)
        return MutedReport(
            group: group.description, title: core.title(of: group),
            muted: users.map {
                MutedReport.Person(user: core.shownID(of: $0, in: group), name: names[$0] ?? "")
            }.sorted { ($0.name, $0.user) < ($1.name, $1.user) })
    }

    func mute(_ selector: String, _ isMuted: Bool, in group: GroupID) async throws -> MutedReport {
        let user = try await people.member(selector, of: group)
        if user != core.identity.user, core.isMuted(user, in: group) != isMuted {
            let ids = core.mutedIDs(of: user, in: group).sorted()
            try await loop.storeSettings(ids.map { AccountSettings.draft(muting: $0, isMuted) })
        }
        return muted(in: group)
    }

    // MARK: Reports

    private func talk(of group: GroupID) -> GroupTalk { core.views[group]?.talk ?? GroupTalk() }

    private func isMember(_ user: UserID, of group: GroupID) -> Bool {
        core.engine.state(of: group)?.role(of: user) != nil
    }

    private func mayHide(in group: GroupID) -> Bool {
        core.engine.state(of: group)?.role(of: core.identity.user).map { $0 >= .admin } ?? false
    }

    private func report(_ place: ResultPlace) -> TalkReport {
        let (group, result) = (place.group, place.result)
        let game = core.namedGame(result.game, in: group)
        var report = TalkReport(
            group: group.description, title: core.title(of: group), user: core.shownID(of: place.owner, in: group),
            name: core.name(of: place.owner, in: group), me: place.owner == core.identity.user,
            game: game.id.rawValue, gameName: game.name, icon: game.emoji, day: result.day.description,
            puzzle: result.puzzle, model: game.model.rawValue,
            covered: core.isCovered(result, of: place.owner, in: group))
        guard !report.covered else { return report }
        report.label = Scoring.label(for: result, in: game)
        (report.late, report.edited) = (result.isLate, result.isEdited)
        report.mayHide = mayHide(in: group)
        let names = core.names(in: group)
        let reactions = self.reactions(to: place)
        report.mine = reactions.first { $0.user == core.identity.user }?.emoji.text
        report.reactions = self.reports(reactions, names)
        addComments(on: place, names, to: &report)
        return report
    }

    /// Whose words this user sees: those of members, and of no muted ones.
    private func reactions(to place: ResultPlace) -> [GroupTalk.Standing] {
        talk(of: place.group).reactions(to: place.name).filter {
            isMember($0.user, of: place.group) && !core.isMuted($0.user, in: place.group)
        }
    }

    private func reports(_ reactions: [GroupTalk.Standing], _ names: [UserID: String]) -> [ReactionReport] {
        let groups = Dictionary(grouping: reactions) { $0.emoji.text }
        return groups.map { emoji, all in
            ReactionReport(
                emoji: emoji, count: all.count, names: all.prefix(Self.maximumNames).compactMap { names[$0.user] },
                mine: all.contains { $0.user == core.identity.user })
        }.sorted { ($1.count, $0.emoji) < ($0.count, $1.emoji) }
    }

    private func addComments(on place: ResultPlace, _ names: [UserID: String], to report: inout TalkReport) {
        let me = core.identity.user
        let standing = talk(of: place.group).comments(on: place.name).filter {
            isMember($0.author, of: place.group) && (!$0.isHidden || $0.author == me || report.mayHide)
        }
        let shown = standing.filter { !core.isMuted($0.author, in: place.group) }
        report.mutedCount = standing.count - shown.count
        report.earlier = max(shown.count - Self.maximumComments, 0)
        report.comments = shown.suffix(Self.maximumComments).map { said in
            CommentReport(
                id: Self.id(of: said.name), user: core.shownID(of: said.author, in: place.group),
                name: names[said.author] ?? "", me: said.author == me, text: said.comment.shownText,
                written: Timestamp(seconds: said.writtenAt / 1_000).text, edited: said.comment.isEdited,
                hidden: said.isHidden)
        }
    }
}
