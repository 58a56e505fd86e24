import Mustache

/// The page's templates, parsed once. Every value is escaped: no template uses `{{{ }}}` or `{{& }}` (tested).
struct Templates: Sendable {
    private let library: MustacheLibrary

    static let sources: [String: [UInt8]] = [
        "layout": PackageResources.layout_mustache,
        "fragment": PackageResources.fragment_mustache,
        "plain": PackageResources.plain_mustache,
        "icons": PackageResources.icons_mustache,
        "chip": PackageResources.chip_mustache,
        "avatar": PackageResources.avatar_mustache,
        "banner": PackageResources.banner_mustache,
        "today": PackageResources.today_mustache,
        "outcome": PackageResources.outcome_mustache,
        "board": PackageResources.board_mustache,
        "row": PackageResources.row_mustache,
        "games": PackageResources.games_mustache,
        "player": PackageResources.player_mustache,
        "history": PackageResources.history_mustache,
        "result": PackageResources.result_mustache,
        "record": PackageResources.record_mustache,
        "friends": PackageResources.friends_mustache,
        "invite": PackageResources.invite_mustache,
        "join": PackageResources.join_mustache,
        "leave": PackageResources.leave_mustache,
        "profile": PackageResources.profile_mustache,
        "failure": PackageResources.failure_mustache,
    ]

    init() throws {
        var library = MustacheLibrary()
        for (name, source) in Self.sources {
            try library.register(String(decoding: source, as: UTF8.self), named: name)
        }
        self.library = library
    }

    /// Renders one template; empty only where no template has this name.
    func render(_ name: String, _ view: some Sendable) -> String {
        library.render(view, withTemplate: name) ?? ""
    }
}
