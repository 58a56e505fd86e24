import StreakScores
public import StreakWire

/// What is said about a group's results, derived from its merged records and who its admins are: reactions, comments, and
/// which comments are hidden (Protocol/records.md §3.6–3.8).
///
/// It knows neither which results stand nor who is a member: who reads it asks for standing results of members only.
public struct GroupTalk: Sendable {
    /// One user's reaction.
    public struct Standing: Hashable, Sendable {
        public let user: UserID
        public let emoji: Emoji
        public let time: HybridTime
    }

    /// A comment that stands.
    public struct Said: Hashable, Sendable {
        public let author: UserID
        public let comment: ResultComment
        /// When the comment was first written, in milliseconds since 1970: as its author says, but not after the record.
        public let writtenAt: Int64
        /// Whether the owner or an admin has hidden it.
        public let isHidden: Bool

        public var name: CommentName { CommentName(author: author, id: comment.id) }
    }

    private struct Kept: Sendable {
        let comment: ResultComment
        let time: HybridTime
    }

    /// What is said about one result.
    private struct Words: Sendable {
        var reactions: [UserID: Standing] = [:]
        /// IDs of each author's comments, rising.
        var comments: [UserID: [WritingID]] = [:]

        var isEmpty: Bool { reactions.isEmpty && comments.isEmpty }
    }

    private struct Word: Sendable {
        let hides: Bool
        let time: HybridTime
    }

    /// Of one user's comments on one result, so many count: those with the largest IDs.
    public static let maximumCommentsOfOne = 50

    /// By the owner of the result, whether there is such a result or not.
    private var said: [UserID: [ScoreKey: Words]] = [:]
    private var comments: [CommentName: Kept] = [:]
    private var words: [CommentName: [UserID: Word]] = [:]
    private var admins: Set<UserID>

    /// - Parameter admins: includes the owner.
    public init(admins: Set<UserID> = []) { self.admins = admins }

    /// Updates the set of admins.
    public mutating func follow(admins: Set<UserID>) { self.admins = admins }

    // MARK: Merging

    /// Takes the new value of a reaction, a comment or a hiding. What cannot be read counts as a withdrawal.
    public mutating func apply(_ record: MergedRecord) {
        switch RecordKind(rawValue: record.key.kind) {
        case .reaction: applyReaction(record)
        case .comment: applyComment(record)
        case .hiding: applyHiding(record)
        case .dailyScore, .profile, .address, .gameDefinition, .challenge, .challengeAnswer, .event, .setting,
            .retraction, .message, nil:
            break
        }
    }

    private mutating func applyReaction(_ record: MergedRecord) {
        // A subject that names no result is never shown, whatever its value.
        guard let result = try? Reaction.result(ofSubject: record.key.subject) else { return }
        let user = record.key.user
        // Withdrawn, or of another version.
        let reaction = try? Reaction(subject: record.key.subject, value: record.value)
        change(result) { words in
            words.reactions[user] = reaction.map { Standing(user: user, emoji: $0.emoji, time: record.time) }
        }
    }

    private mutating func applyComment(_ record: MergedRecord) {
        // A subject that is no ID is never shown, whatever its value.
        guard let id = try? WritingID(subject: record.key.subject) else { return }
        let name = CommentName(author: record.key.user, id: id)
        // Withdrawn, or of another version.
        let comment = try? ResultComment(subject: record.key.subject, value: record.value)
        let old = comments.removeValue(forKey: name)
        if let old, old.comment.result != comment?.result { remove(name, from: old.comment.result) }
        guard let comment else { return }
        comments[name] = Kept(comment: comment, time: record.time)
        if old?.comment.result != comment.result { add(name, to: comment.result) }
    }

    private mutating func applyHiding(_ record: MergedRecord) {
        // A subject that names no comment hides nothing, whatever its value.
        guard let comment = try? Hiding.comment(ofSubject: record.key.subject) else { return }
        // A withdrawal, or a word of another version, shows the comment.
        let hides = (try? Hiding(subject: record.key.subject, value: record.value)) != nil
        words[comment, default: [:]][record.key.user] = Word(hides: hides, time: record.time)
    }

    private mutating func add(_ name: CommentName, to result: ResultName) {
        change(result) { $0.comments[name.author, default: []].insertRising(name.id) }
    }

    private mutating func remove(_ name: CommentName, from result: ResultName) {
        change(result) { words in
            words.comments[name.author]?.removeRising(name.id)
            if words.comments[name.author]?.isEmpty ?? false { words.comments[name.author] = nil }
        }
    }

    private mutating func change(_ result: ResultName, _ body: (inout Words) -> Void) {
        body(&said[result.owner, default: [:]][result.key, default: Words()])
        if spoken(about: result).isEmpty { said[result.owner]?[result.key] = nil }
        if said[result.owner]?.isEmpty ?? false { said[result.owner] = nil }
    }

    // MARK: Reading

    private func spoken(about result: ResultName) -> Words { said[result.owner]?[result.key] ?? Words() }

    /// The reactions to a result, by time.
    public func reactions(to result: ResultName) -> [Standing] {
        spoken(about: result).reactions.values.sorted { ($0.time, $0.user) < ($1.time, $1.user) }
    }

    /// The comments on a result, hidden ones too, the oldest first.
    public func comments(on result: ResultName) -> [Said] {
        var found: [Said] = []
        // In any order: they are sorted below.
        for (author, ids) in spoken(about: result).comments {
            found += ids.suffix(Self.maximumCommentsOfOne).compactMap {
                said(CommentName(author: author, id: $0))
            }
        }
        return found.sorted { ($0.writtenAt, $0.name) < ($1.writtenAt, $1.name) }
    }

    /// A comment that stands; nil if there is none.
    public func said(_ name: CommentName) -> Said? {
        comments[name].map { kept in
            Said(
                author: name.author, comment: kept.comment,
                writtenAt: min(name.id.milliseconds, kept.time.milliseconds), isHidden: isHidden(name))
        }
    }

    /// All comments that stand, in the order of their names.
    public var names: [CommentName] { comments.keys.sorted() }

    /// The results that somebody has reacted to or commented on, in order.
    public var results: [ResultName] { said.keys.sorted().flatMap(results) }

    /// The results of one user that somebody has reacted to or commented on, in order.
    public func results(of owner: UserID) -> [ResultName] {
        (said[owner] ?? [:]).keys.sorted().map { ResultName(owner: owner, key: $0) }
    }

    /// Whether the last word of those who are admins now hides a comment. Of equally late words the smaller user's counts.
    private func isHidden(_ comment: CommentName) -> Bool {
        (words[comment] ?? [:]).filter { admins.contains($0.key) }
            .min { ($1.value.time, $0.key) < ($0.value.time, $1.key) }?.value.hides ?? false
    }
}
