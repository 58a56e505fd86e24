/// What a page, a command or an embedding program asks of a node. The same requests travel over the control socket.
public enum NodeRequest: Codable, Sendable, Equatable {
    /// → `ProfileReport`
    case whoami
    /// → `ProfileReport`
    case rename(name: String)
    /// → `GroupReport`
    case createGroup(title: String)
    /// → `GroupListReport`
    case listGroups
    /// → `GroupReport`. `group` is a title, an ID or a unique prefix of one, in every request.
    case useGroup(group: String)
    /// → `GroupReport`. Friends' nodes delete this user's records where `erasing` is set.
    case leaveGroup(group: String, erasing: Bool)
    /// → `MembersReport`
    case members(group: String?)
    /// → `InviteReport`. `uses` 0 is unlimited; `lifetime` in seconds, at most 90 days.
    case invite(group: String?, uses: Int, lifetime: Int64)
    /// → `InviteReport`: creates the group “Friends” where there is none, else shows the live invite or makes one (B8).
    case inviteFriends
    /// → `InviteListReport`
    case listInvites(group: String?)
    /// → `InviteListReport`
    case revokeInvite(id: String)
    /// → `JoinReport`. `timeout` in seconds. The history to publish: days back from today, 0 only from today, nil all.
    case join(link: String, timeout: Int64, history: Int?)
    /// → `InvitePreview`: what a link says, before anything is dialled.
    case inspectLink(link: String)
    /// → `AddReport`. `date` is `yyyy-MM-dd` and stands for the day where the text gives none.
    case add(text: String, date: String?, replace: Bool)
    /// → `AddReport`: what `add` would do, storing nothing.
    case preview(text: String, date: String?)
    /// → `AddReport`. `seconds` is the solve time of a timed game.
    case record(game: String, score: Int?, isCompleted: Bool, seconds: Int?, date: String?)
    /// → `AddReport`: the withdrawn result, under `added`.
    case delete(game: String, date: String, puzzle: Int?)
    /// → `UndoReport`: takes back the last `add`, `record` or `delete`, wherever it was made.
    case undo
    /// → `BoardReport`
    case board(BoardRequest)
    /// → `ResultsReport`
    case results(game: String?, from: String?, to: String?)
    /// → `StatusReport`
    case status
    /// → `GamesReport`
    case games
    /// → `StatusReport`, after every known peer was dialled and, where one answered, synchronised with or given up.
    case sync
}

/// Which board is wanted; nil fields take the defaults of `streakmesh board`.
public struct BoardRequest: Codable, Sendable, Equatable {
    public var group: String?
    /// A game's ID, name or unique prefix; nil for all games together.
    public var game: String?
    /// `today`, `7d`, `30d`, `365d`, `week`, `month`, `year`, `all`, or `D..D`.
    public var range: String?
    /// The shown day, `yyyy-MM-dd`; nil for the viewer's today.
    public var date: String?
    /// `points`, `streak`, `logs` or `coins`.
    public var metric: String?
    /// Shows covered results.
    public var reveal: Bool

    public init(
        group: String? = nil, game: String? = nil, range: String? = nil, date: String? = nil, metric: String? = nil,
        reveal: Bool = false
    ) {
        self.group = group
        self.game = game
        self.range = range
        self.date = date
        self.metric = metric
        self.reveal = reveal
    }
}

/// Something that answers requests: the node itself, or a running one behind its control socket.
public protocol NodeCalling: Sendable {
    /// Answers one request. Throws `NodeFailure`.
    func call<Report: Codable & Sendable>(_ request: NodeRequest, returning type: Report.Type) async throws -> Report
}
