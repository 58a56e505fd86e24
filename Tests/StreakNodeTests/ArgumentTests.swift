import StreakGames
import StreakStorage
import Testing

@testable import StreakNode

/// A mistake in the request itself is reported whatever state the account is in.
@Suite struct ArgumentTests {
    static let requests: [(any NodeRequest, NodeFailure)] = [
        (BoardRequest(range: "sometimes"), .invalidRange("sometimes")),
        (BoardRequest(group: "Red", date: "soon"), .invalidDate("soon")),
        (BoardRequest(metric: "luck"), .invalidMetric("luck")),
        (StatisticsRequest.show(game: nil, range: "x", date: nil, group: nil, member: "Ben"), .invalidRange("x")),
        (VersusRequest.show(user: "Ben", game: nil, range: "x", date: nil, group: nil), .invalidRange("x")),
        (RecapRequest.show(date: "x", group: nil), .invalidDate("x")),
        (
            ChampionsRequest.show(period: "day", game: nil, group: nil),
            .invalidSetting(name: "period", values: ["week", "month"])
        ),
        (EventRequest.show(date: "x", group: nil), .invalidDate("x")),
        (
            EventRequest.choose(rule: "luck", game: nil, group: nil),
            .invalidSetting(name: "rule", values: ["points", "double", "hard-mode", "most-games", "new-games"])
        ),
        (
            EventRequest.choose(rule: "double", game: nil, group: nil),
            .invalidEvent(reason: "The rule “double” needs a game.")
        ),
        (
            EventRequest.choose(rule: "most-games", game: "wordle", group: nil),
            .invalidEvent(reason: "The rule “most-games” takes no game.")
        ),
        (
            GameRequest.define(GameForm(name: "Run", icon: "🏃", model: "count", aggregation: "luck"), group: nil),
            .invalidGame(reason: "Over several days the best, the sum or the latest counts.")
        ),
        (
            GameRequest.define(GameForm(name: "", icon: "🏃", model: "count"), group: nil),
            .invalidGame(reason: GameDefinitionFault.nameEmpty.description)
        ),
        (
            NotificationRequest.change(NotificationChange(off: ["luck"])),
            .invalidSetting(
                name: "kind", values: ["challenge", "message", "answer", "beaten", "ending", "climbed", "started"])
        ),
        (ResultsRequest.list(game: nil, from: "x", to: nil), .invalidDate("x")),
        (ScoreRequest.publish(game: "wordle", date: "x", puzzle: nil, groups: ["Red"]), .invalidDate("x")),
        (
            GroupSettingsRequest.change(group: nil, GroupSettingsChange(invites: "nobody")),
            .invalidSetting(name: "invites", values: ["everyone", "admins", "owner"])
        ),
        (
            GroupSettingsRequest.change(group: nil, GroupSettingsChange(archiveDays: 400)),
            .invalidSetting(name: "archive", values: ["0 (no limit)", "1 to 366 days"])
        ),
        (
            PrivacyRequest.change(group: nil, PrivacyChange(region: String(repeating: "x", count: 65))),
            .invalidRegion(limit: 16)
        ),
        (
            PrivacyRequest.change(group: nil, PrivacyChange(alias: String(repeating: "x", count: 41))),
            .invalidAlias(limit: 40)
        ),
        (GroupRequest.rename(group: nil, title: " "), .invalidTitle(limit: 60)),
        (ProfileRequest.rename(name: "7K3M-9QXT-42WJ"), .invalidName(limit: 40)),
        (GroupRequest.create(title: "4c1d2e3f"), .invalidTitle(limit: 60)),
        (
            InviteRequest.create(group: nil, uses: 1, lifetime: 0, needsApproval: false),
            .invalidInvite(reason: "an invite lasts at most 90 days")
        ),
        (
            FriendshipRequest.add(code: "7K3M-9QXT-42WD"),
            .invalidFriendCode(reason: "at least one of its symbols is mistyped")
        ),
        (FriendshipRequest.add(code: "7"), .invalidFriendCode(reason: "it has 1 symbol instead of 12")),
        (
            ExportRequest.export(format: "xml", game: nil, from: nil, to: nil),
            .invalidSetting(name: "format", values: ["csv", "json"])
        ),
        (
            ReminderRequest.change(ReminderChange(time: "25:00")),
            .invalidTimes(
                name: "The time", text: "25:00", example: "19:00", reason: "it is a time of day from 00:00 to 23:59")
        ),
    ]

    @Test(arguments: requests.indices)
    func `arguments are judged before the state`(index: Int) async throws {
        let (request, failure) = Self.requests[index]
        #expect(throws: failure) { try request.checkArguments() }
        // Ada is in no group.
        _ = try await NodeParty.alone { node, _ in
            await #expect(throws: failure) { _ = try await node.call(request) }
        }
        let party = try NodeParty()
        let empty = StartingNode(
            in: party.dataFolder("empty"),
            configuration: NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: []))
        await #expect(throws: failure) { _ = try await empty.call(request) }
        await empty.close()
    }
}
