/// What one group contributes to a board over several.
public struct GroupResults: Sendable {
    public var index: ScoreIndex
    /// The group's members, as they may be shown.
    public var players: [Player]
    /// The ID under which a member is shown, if it differs from the index's. An anonymous member has a separate row for
    /// each group.
    public var aliases: [PlayerID: PlayerID]

    public init(index: ScoreIndex, players: [Player], aliases: [PlayerID: PlayerID] = [:]) {
        self.index = index
        self.players = players
        self.aliases = aliases
    }
}

/// Everybody in several groups, with each person and each result once.
///
/// If groups have different values for one key, the last changed one wins; then an edited one; then the one with the
/// larger bytes. Of a `highScore`, the better one wins. Results from a group in which a player is hidden count only if
/// the player is hidden in all. Histories of only one group are shared with its index, not copied.
public struct GroupsUnion: Sendable {
    public private(set) var index = ScoreIndex()
    /// In order of IDs.
    public private(set) var players: [Player] = []

    /// O(players · games), plus O(results) for players in several groups.
    public init(_ groups: [GroupResults]) {
        for group in groups { index.adoptDefinitions(of: group.index) }
        let sources = Self.sources(groups)
        for id in sources.keys.sorted() { read(sources[id] ?? [], as: id) }
    }

    /// Rereads everything of one shown player after a change. The result is the same as after rereading all players.
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

    /// By shown ID: the player's sources in all groups.
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
