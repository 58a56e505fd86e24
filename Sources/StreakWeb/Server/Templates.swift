import Mustache
import StreakGames

/// How a value becomes part of a page.
private struct PageText: MustacheContentType {
    static let name = "PAGE"

    func escapeText(_ text: String) -> String { text.escapedAsMarkup }
}

/// The page's templates, parsed once. `PageText` escapes every value. No template uses `{{{ }}}` or `{{& }}` (tested),
/// except for drawings that `PlotView` has checked.
struct Templates: Sendable {
    private let library: MustacheLibrary

    static let sources: [String: [UInt8]] = [
        "layout": PackageResources.layout_mustache,
        "fragment": PackageResources.fragment_mustache,
        "plain": PackageResources.plain_mustache,
        "welcome": PackageResources.welcome_mustache,
        "icons": PackageResources.icons_mustache,
        "chip": PackageResources.chip_mustache,
        "bell": PackageResources.bell_mustache,
        "notifications": PackageResources.notifications_mustache,
        "avatar": PackageResources.avatar_mustache,
        "banner": PackageResources.banner_mustache,
        "today": PackageResources.today_mustache,
        "shutout": PackageResources.shutout_mustache,
        "outcome": PackageResources.outcome_mustache,
        "board": PackageResources.board_mustache,
        "row": PackageResources.row_mustache,
        "games": PackageResources.games_mustache,
        "player": PackageResources.player_mustache,
        "activity": PackageResources.activity_mustache,
        "challenges": PackageResources.challenges_mustache,
        "challenge": PackageResources.challenge_mustache,
        "messages": PackageResources.messages_mustache,
        "talk": PackageResources.talk_mustache,
        "talkresult": PackageResources.talkresult_mustache,
        "history": PackageResources.history_mustache,
        "result": PackageResources.result_mustache,
        "record": PackageResources.record_mustache,
        "friends": PackageResources.friends_mustache,
        "invite": PackageResources.invite_mustache,
        "join": PackageResources.join_mustache,
        "leave": PackageResources.leave_mustache,
        "profile": PackageResources.profile_mustache,
        "failure": PackageResources.failure_mustache,
        "notices": PackageResources.notices_mustache,
        "qr": PackageResources.qr_mustache,
        "sharing": PackageResources.sharing_mustache,
        "share": PackageResources.share_mustache,
        "group": PackageResources.group_mustache,
        "codes": PackageResources.codes_mustache,
        "privacy": PackageResources.privacy_mustache,
        "recovery": PackageResources.recovery_mustache,
        "devices": PackageResources.devices_mustache,
        "connection": PackageResources.connection_mustache,
        "backup": PackageResources.backup_mustache,
        "guest": PackageResources.guest_mustache,
        "game": PackageResources.game_mustache,
        "define": PackageResources.define_mustache,
        "reminders": PackageResources.reminders_mustache,
        "rules": PackageResources.rules_mustache,
        "exchange": PackageResources.exchange_mustache,
        "picture": PackageResources.picture_mustache,
        "templates": PackageResources.templates_mustache,
        "plot": PackageResources.plot_mustache,
        "tiles": PackageResources.tiles_mustache,
        "numbershead": PackageResources.numbershead_mustache,
        "numbers": PackageResources.numbers_mustache,
        "streakline": PackageResources.streakline_mustache,
        "streaks": PackageResources.streaks_mustache,
        "atrisk": PackageResources.atrisk_mustache,
        "achievements": PackageResources.achievements_mustache,
        "celebration": PackageResources.celebration_mustache,
        "recap": PackageResources.recap_mustache,
        "event": PackageResources.event_mustache,
        "champions": PackageResources.champions_mustache,
    ]

    /// Compiled in and parsed once: parsing takes longer than anything else at the start of a page.
    private static let parsed = Result { try parse() }

    init() throws { library = try Self.parsed.get() }

    private static func parse() throws -> MustacheLibrary {
        MustacheContentTypes.register(PageText(), named: PageText.name)
        var library = MustacheLibrary()
        for (name, source) in sources {
            // Set in every template: the library falls back to its own escaping, by `Character`, in each partial.
            let source = "{{% CONTENT_TYPE: \(PageText.name)}}" + String(decoding: source, as: UTF8.self)
            try library.register(source, named: name)
        }
        return library
    }

    /// Renders one template; empty only if no template has this name.
    func render(_ name: String, _ view: some Sendable) -> String {
        library.render(view, withTemplate: name) ?? ""
    }
}
