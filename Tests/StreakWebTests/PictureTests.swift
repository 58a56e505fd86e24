import Foundation
import StreakNode
import Testing

@testable import StreakWeb

/// Writes every page to the folder named by `STREAKMESH_PAGES`. Any file server can show that folder.
@Suite struct PictureTests {
    static let folder = ProcessInfo.processInfo.environment["STREAKMESH_PAGES"]

    private static let member = "/player?group=\(FakeNode.group)&user=\(FakeNode.user(3))"

    private static let shown: [(name: String, scenario: FakeNode.Scenario, path: String, form: String?)] = [
        ("friends", .full, "/friends", nil), ("friends-outsider", .outsider, "/friends", nil),
        ("player", .full, member, nil), ("player-alias", .full, "/player?user=\(FakeNode.user(61))", nil),
        ("group", .full, "/group", nil), ("group-outsider", .outsider, "/group", nil),
        ("group-removed", .outsider, "/group?group=\(FakeNode.user(51))", nil), ("leave", .full, "/leave", nil),
        ("leave-member", .outsider, "/leave", nil), ("invite", .full, "/invite", nil),
        ("codes", .full, "/friends/codes", nil),
        ("codes-off", .outsider, "/friends/codes", nil), ("codes-refused", .full, "/friends/add", "code=abc"),
        ("privacy", .full, "/privacy", nil), ("privacy-outsider", .outsider, "/privacy", nil),
        ("profile", .unconfirmed, "/profile", nil), ("recovery", .unconfirmed, "/recovery", nil),
        ("welcome", .newcomer, "/welcome", nil), ("welcome-failed", .newcomer, "/welcome/link", "link=nothing"),
        ("welcome-done", .newcomer, "/welcome/new", "name=Ben"),
        ("open-unknown", .full, "/open?link=streakmesh%3A%2F%2Fformat", nil),
        ("open-add", .full, "/open?link=streakmesh%3A%2F%2Fadd%3Ftext%3DWordle%201%2C617%203%2F6", nil),
        ("today-lonely", .lonely, "/today", nil), ("history-empty", .silent, "/history", nil),
        ("game-custom", .full, "/game?id=\(FakeNode.customGame)", nil),
        ("recovery-shown", .unconfirmed, "/recovery/show", ""), ("recovery-done", .full, "/recovery", nil),
        ("devices", .full, "/devices", nil), ("devices-link", .full, "/devices/link", ""),
        ("connection", .full, "/connection", nil), ("connection-well", .pair, "/connection", nil),
        ("backup", .full, "/backup", nil), ("guest-start", .unconfirmed, "/guest", nil),
        ("guest", .guest, "/guest", nil),
        ("guest-today", .guest, "/today", nil), ("guest-board", .guest, "/board", nil), ("today", .full, "/today", nil),
        ("today-unconfirmed", .unconfirmed, "/today", nil),
        ("today-conflict", .full, "/add", "text=Wordle+1%2C617+5%2F6&offered=\(FakeNode.group)"),
        ("record", .full, "/record", nil), ("share", .full, "/share?game=quordle&date=2026-11-20", nil),
        ("history", .full, "/history", nil), ("board", .full, "/board?range=7d", nil),
        ("board-outsider", .outsider, "/board?range=7d", nil),
        ("board-game", .full, "/board?range=today&game=wordle", nil),
        ("board-custom", .full, "/board?from=2026-11-01&to=2026-11-10&game=strands", nil),
        ("board-year", .full, "/board?range=365d&metric=logs&scope=all&region=FR", nil),
        ("board-later", .full, "/board?range=365d&offset=100", nil), ("champions", .full, "/champions", nil),
        ("event", .full, "/event", nil), ("event-over", .full, "/event?date=2026-11-12", nil),
        ("event-empty", .silent, "/event", nil),
        ("numbers", .full, "/numbers", nil), ("numbers-game", .full, "/numbers?game=wordle&range=all", nil),
        ("numbers-member", .full, "/numbers?member=\(FakeNode.user(0))", nil),
        ("numbers-empty", .silent, "/numbers", nil), ("streaks", .full, "/streaks", nil),
        ("streaks-empty", .silent, "/streaks", nil), ("achievements", .full, "/achievements", nil),
        ("recap", .full, "/recap", nil), ("templates", .full, "/templates", nil),
        ("picture", .full, "/picture?of=week&shape=square", nil), ("games", .full, "/games", nil),
        ("game", .full, "/game?id=wordle", nil),
        ("game-own", .full, "/game?id=\(FakeNode.habit)", nil), ("define", .full, "/games/define", nil),
        (
            "define-try", .full, "/games/test",
            "name=Block+Blast&model=highScore&pattern=Block+%7Bscore%7D&sample=Block+1200"
        ),
        ("define-wrong", .full, "/games/test", "name=Block+Blast&model=highScore&pattern=Block+%7Bscore%7D&sample=Blo"),
        ("exchange", .full, "/exchange", nil), ("import", .full, "/import/look", "text=date%2Cgame&kind=table"),
        ("import-chat", .full, "/import/look", "text=hello&kind=chat"),
        ("import-failed", .full, "/import/look", "text=garbage&kind=table"), ("reminders", .full, "/reminders", nil),
        ("reminders-off", .silent, "/reminders", nil), ("rules", .full, "/rules", nil),
        ("notifications", .full, "/notifications", nil), ("messages", .full, "/messages", nil),
        ("messages-friend", .full, "/messages?user=\(FakeNode.user(0))", nil),
        ("messages-empty", .silent, "/messages", nil),
        ("player-me", .full, "/player?user=\(FakeNode.user(1))", nil), ("activity", .full, "/activity", nil),
        ("challenges", .full, "/challenges", nil),
    ]

    @Test(.enabled(if: folder != nil)) func `pages are written for looking at`() async throws {
        let folder = URL(fileURLWithPath: try #require(Self.folder))
        let assets = folder.appendingPathComponent("assets")
        try FileManager.default.createDirectory(at: assets, withIntermediateDirectories: true)
        for (name, asset) in Asset.all { try Data(asset.bytes).write(to: assets.appendingPathComponent(name)) }
        for each in Self.shown {
            try await withPage(each.scenario) { page in
                if each.name == "codes-refused" {
                    page.node.refuse(with: .invalidFriendCode(reason: "it has 3 symbols instead of 12"))
                }
                let browser = try await page.signedIn()
                let answer =
                    if let form = each.form { try await browser.post(each.path, form) } else {
                        try await browser.get(each.path)
                    }
                #expect(answer.body.hasPrefix("<!doctype html>"), "\(each.name): \(answer.status)")
                try Data(answer.body.utf8).write(to: folder.appendingPathComponent("\(each.name).html"))
            }
        }
    }
}
