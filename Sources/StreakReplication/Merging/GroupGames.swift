import StreakCrypto
public import StreakGames
public import StreakWire

/// A group's custom games, derived from its ledger and merged records (Protocol/records.md §3.3).
///
/// For each game the latest statement of its definer, an admin or the owner counts, including withdrawals; of equally
/// late ones, the smaller user's. Other members' statements are kept unread, because they may become admins.
public struct GroupGames: Sendable {
    private struct Statement: Sendable {
        /// Nil if the game is withdrawn or its value cannot be read.
        var definition: GameDefinition?
        var time: HybridTime
    }

    private struct Known: Sendable {
        var definition: GameDefinition
        var author: UserID
    }

    private var statements: [GameID: [UserID: Statement]] = [:]
    private var known: [GameID: Known] = [:]
    /// Known games by the user whose statement counts, rising.
    private var gamesByAuthor: [UserID: [GameID]] = [:]
    /// Users who may define any game: admins and the owner.
    private var admins: Set<UserID>

    /// - Parameter admins: includes the owner.
    public init(admins: Set<UserID> = []) { self.admins = admins }

    public subscript(id: GameID) -> GameDefinition? { known[id]?.definition }

    /// The listed games, at most `GameDefinition.maximumCount`: one of each author in turn, each author's by rising ID.
    /// So one member's many games cannot crowd out others'.
    public var definitions: [GameDefinition] {
        var turns: [(turn: Int, id: GameID)] = []
        // In any order: they are sorted below.
        for games in gamesByAuthor.values {
            for (turn, id) in games.prefix(GameDefinition.maximumCount).enumerated() { turns.append((turn, id)) }
        }
        turns.sort { $0 < $1 }
        return turns.prefix(GameDefinition.maximumCount).compactMap { known[$0.id]?.definition }
    }

    /// Whether another game of this author would be among `definitions`, whatever its ID.
    public func hasRoom(for author: UserID) -> Bool {
        let turn = gamesByAuthor[author]?.count ?? 0
        let before = gamesByAuthor.values.reduce(0) { $0 + min($1.count, turn + 1) }
        return before < GameDefinition.maximumCount
    }

    /// Whether an account's statement about a game counts.
    public func mayDefine(_ id: GameID, _ user: UserID) -> Bool { admins.contains(user) || id.isDefined(by: user) }

    /// Takes the new value of a definition.
    public mutating func apply(_ record: MergedRecord) {
        guard let text = String(validating: record.key.subject, as: UTF8.self), let id = GameID(text), id.isCustom
        else { return }
        // An unreadable value is a withdrawal, or from another version.
        let definition = try? GameDefinition(subject: record.key.subject, value: record.value)
        statements[id, default: [:]][record.key.user] = Statement(definition: definition, time: record.time)
        resolve(id)
    }

    /// Updates the set of admins.
    public mutating func follow(admins: Set<UserID>) {
        guard admins != self.admins else { return }
        self.admins = admins
        // Games are independent, so any order will do.
        for id in statements.keys { resolve(id) }
    }

    private mutating func resolve(_ id: GameID) {
        let latest = (statements[id] ?? [:]).filter { mayDefine(id, $0.key) }
            .min { ($1.value.time, $0.key) < ($0.value.time, $1.key) }
        let new = latest.flatMap { author, statement in
            statement.definition.map { Known(definition: $0, author: author) }
        }
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

    /// The index of a game among its author's, or where it would be. O(log n).
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
    /// The number of hexadecimal digits at an ID's end that identify the definer.
    private static let markLength = 16

    /// Whether a custom game's ID shows this account as its definer: its last sixteen characters are from a hash of the
    /// account and the characters before them.
    public func isDefined(by user: UserID) -> Bool {
        guard isCustom, rawValue.utf8.count > Self.markLength else { return false }
        let stem = rawValue.dropLast(Self.markLength)
        return Self.mark(of: String(stem), by: user) == rawValue.dropFirst(stem.count)
    }

    /// The ID for a game that an account defines.
    ///
    /// - Parameter stem: see `GameDefinition.stem`.
    public static func defined(by user: UserID, stem: String) -> GameID? {
        GameID(stem + mark(of: stem, by: user))
    }

    private static func mark(of stem: String, by user: UserID) -> String {
        Blake2b.hash(context + user.bytes.array + Array(stem.utf8)).prefix(markLength / 2).hexadecimal
    }
}
