import StreakCrypto
public import StreakGames
public import StreakWire

/// The custom games of a group: what its ledger and its merged records come to (Protocol/records.md §3.3).
///
/// Of a game the latest word of its definer, the admins and the owner counts, a withdrawal too; of equally late ones that of
/// the smaller user. Others' words are kept unread, for whoever becomes an admin.
public struct GroupGames: Sendable {
    private struct Word: Sendable {
        /// Nil where the game is withdrawn, or the value cannot be read.
        var definition: GameDefinition?
        var time: HybridTime
    }

    private struct Known: Sendable {
        var definition: GameDefinition
        var author: UserID
    }

    private var words: [GameID: [UserID: Word]] = [:]
    private var known: [GameID: Known] = [:]
    /// The known games by whose word counts, rising.
    private var gamesByAuthor: [UserID: [GameID]] = [:]
    /// Who may define anybody's game: admins and the owner.
    private var admins: Set<UserID>

    /// - Parameter admins: the owner among them.
    public init(admins: Set<UserID> = []) { self.admins = admins }

    public subscript(id: GameID) -> GameDefinition? { known[id]?.definition }

    /// The games that are read and listed, at most `GameDefinition.maximumCount`: one of each author in turn, each author's
    /// by rising ID. However many one member defines, nobody else's are crowded out.
    public var definitions: [GameDefinition] {
        var turns: [(turn: Int, id: GameID)] = []
        // In any order: they are sorted below.
        for games in gamesByAuthor.values {
            for (turn, id) in games.prefix(GameDefinition.maximumCount).enumerated() { turns.append((turn, id)) }
        }
        turns.sort { $0 < $1 }
        return turns.prefix(GameDefinition.maximumCount).compactMap { known[$0.id]?.definition }
    }

    /// Whether a further game of this author would be among `definitions`, whatever its ID.
    public func hasRoom(for author: UserID) -> Bool {
        let turn = gamesByAuthor[author]?.count ?? 0
        let before = gamesByAuthor.values.reduce(0) { $0 + min($1.count, turn + 1) }
        return before < GameDefinition.maximumCount
    }

    /// Whether an account's word about a game counts.
    public func mayDefine(_ id: GameID, _ user: UserID) -> Bool { admins.contains(user) || id.isDefined(by: user) }

    /// Takes the new value of a definition.
    public mutating func apply(_ record: MergedRecord) {
        guard let text = String(validating: record.key.subject, as: UTF8.self), let id = GameID(text), id.isCustom
        else { return }
        // What cannot be read is withdrawn, or of another version.
        let definition = try? GameDefinition(subject: record.key.subject, value: record.value)
        words[id, default: [:]][record.key.user] = Word(definition: definition, time: record.time)
        resolve(id)
    }

    /// Takes note of who the admins are now.
    public mutating func follow(admins: Set<UserID>) {
        guard admins != self.admins else { return }
        self.admins = admins
        // Each game by itself, so in any order.
        for id in words.keys { resolve(id) }
    }

    private mutating func resolve(_ id: GameID) {
        let latest = (words[id] ?? [:]).filter { mayDefine(id, $0.key) }
            .min { ($1.value.time, $0.key) < ($0.value.time, $1.key) }
        let new = latest.flatMap { author, word in word.definition.map { Known(definition: $0, author: author) } }
        let old = known[id]
        known[id] = new
        guard old?.author != new?.author else { return }
        if let author = old?.author {
            let place = place(of: id, by: author)
            gamesByAuthor[author]?.remove(at: place)
        }
        if let author = new?.author {
            let place = place(of: id, by: author)
            gamesByAuthor[author, default: []].insert(id, at: place)
        }
    }

    /// Where a game stands, or would stand, among its author's. O(log n).
    private func place(of id: GameID, by author: UserID) -> Int {
        let games = gamesByAuthor[author] ?? []
        var (low, high) = (0, games.count)
        while low < high {
            let middle = (low + high) / 2
            if games[middle] < id { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension GameID {
    private static let context = Array("streakmesh/v1/game".utf8) + [0]
    /// Hexadecimal digits at an ID's end that name the definer.
    private static let markLength = 16

    /// Whether a custom game's ID says that this account defined it: its last sixteen characters are those of a hash of the
    /// account and what stands before them.
    public func isDefined(by user: UserID) -> Bool {
        guard isCustom, rawValue.utf8.count > Self.markLength else { return false }
        let stem = rawValue.dropLast(Self.markLength)
        return Self.mark(of: String(stem), by: user) == rawValue.dropFirst(stem.count)
    }

    /// The ID of a game that an account defines.
    ///
    /// - Parameter stem: see `GameDefinition.stem`.
    public static func defined(by user: UserID, stem: String) -> GameID? {
        GameID(stem + mark(of: stem, by: user))
    }

    private static func mark(of stem: String, by user: UserID) -> String {
        Blake2b.hash(context + user.bytes.array + Array(stem.utf8)).prefix(markLength / 2).hexadecimal
    }
}
