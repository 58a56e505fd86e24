public import StreakGames

/// The player of a result: opaque bytes, compared byte by byte.
///
/// The mesh uses the user ID, or a group-specific ID for an anonymous member.
public struct PlayerID: Hashable, Comparable, Sendable {
    public let bytes: [UInt8]

    public init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    public static func < (left: PlayerID, right: PlayerID) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

/// Somebody whom a board may list.
public struct Player: Hashable, Sendable {
    public var id: PlayerID
    /// As shown on this board: the display name or the alias.
    public var name: String
    /// Opted out of leaderboards: on no board and in no count, but can see their own row.
    public var isHidden: Bool
    /// The day of the latest record of any kind, if it is known and may be shown.
    public var lastSeen: PuzzleDay?
    /// The day of admission to the group, if known. Nobody misses puzzles before it.
    public var memberSince: PuzzleDay?
    /// The region tag, if one is set and shared; free text such as `FR`.
    public var region: String?

    public init(
        id: PlayerID, name: String, isHidden: Bool = false, lastSeen: PuzzleDay? = nil, memberSince: PuzzleDay? = nil,
        region: String? = nil
    ) {
        self.id = id
        self.name = name
        self.isHidden = isHidden
        self.lastSeen = lastSeen
        self.memberSince = memberSince
        self.region = region
    }
}
