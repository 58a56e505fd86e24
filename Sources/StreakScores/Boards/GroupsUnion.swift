/// What one group adds to a board over several.
public struct GroupResults: Sendable {
    public var index: ScoreIndex
    /// The group's members as they may be shown.
    public var players: [Player]
    /// The ID a member is shown under, where that is not the one the index knows: an anonymous member stays a row of
    /// its own in every group.
    public var aliases: [PlayerID: PlayerID]

    public init(index: ScoreIndex, players: [Player], aliases: [PlayerID: PlayerID] = [:]) {
        self.index = index
        self.players = players
        self.aliases = aliases
    }
}

/// Everybody in several groups, each person once and each of their results once.
///
/// Where groups hold different values of one key, the one changed last stands, of equals an edited one, else the one
/// whose bytes are larger; the better `highScore`. Results of a group in which a player is hidden count only where the
/// player is hidden in all. Histories that only one group has are shared with its index, not copied.
public struct GroupsUnion: Sendable {
    public private(set) var index = ScoreIndex()
    /// In order of IDs.
    public private(set) var players: [Player] = []

    /// O(players · games), and O(results) for those who are in several groups.
    public init(_ groups: [GroupResults]) {
        for group in groups { index.adoptDefinitions(of: group.index) }
        let sources = Self.sources(groups)
        for id in sources.keys.sorted() { read(sources[id] ?? [], as: id) }
    }

    /// Reads everything of one shown player anew after a change; as if all had been read anew.
    public mutating func refresh(_ player: PlayerID, from groups: [GroupResults]) {
        index.removeAll(of: player)
        players.removeAll { $0.id == player }
        read(Self.sources(groups)[player] ?? [], as: player)
        players.sort { $0.id < $1.id }
    }

    private struct Source {
        var player: Player
        var index: ScoreIndex
        var id: PlayerID
    }

    /// By shown ID, in every group that has the player.
    private static func sources(_ groups: [GroupResults]) -> [PlayerID: [Source]] {
        var sources: [PlayerID: [Source]] = [:]
        for group in groups {
            let originals = Dictionary(group.aliases.map { ($1, $0) }) { min($0, $1) }
            for player in group.players {
                let source = Source(player: player, index: group.index, id: originals[player.id] ?? player.id)
                sources[player.id, default: []].append(source)
            }
        }
        return sources
    }

    private mutating func read(_ sources: [Source], as id: PlayerID) {
        let open = sources.filter { !$0.player.isHidden }
        let counted = open.isEmpty ? sources : open
        guard var player = counted.first?.player else { return }
        for source in counted {
            player.name = min(player.name, source.player.name)
            player.lastSeen = [player.lastSeen, source.player.lastSeen].compactMap { $0 }.max()
            player.memberSince = [player.memberSince, source.player.memberSince].compactMap { $0 }.min()
            player.region = [player.region, source.player.region].compactMap { $0 }.min()
            for shelf in source.index.shelves(of: source.id, game: nil) {
                index.adopt(shelf.history, game: source.index.gameIDs[shelf.game], of: id)
            }
        }
        players.append(player)
    }
}
