import StreakStorage
import Testing

@testable import StreakNode

/// What is wrong with a request itself is said whatever state the account is in.
@Suite struct ArgumentTests {
    static let requests: [(NodeRequest, NodeFailure)] = [
        (.board(BoardRequest(range: "sometimes")), .invalidRange("sometimes")),
        (.board(BoardRequest(group: "Red", date: "soon")), .invalidDate("soon")),
        (.board(BoardRequest(metric: "luck")), .invalidMetric("luck")),
        (.insight(.statistics(game: nil, range: "x", date: nil, group: nil, member: "Ben")), .invalidRange("x")),
        (.insight(.versus(user: "Ben", game: nil, range: "x", date: nil, group: nil)), .invalidRange("x")),
        (.insight(.recap(date: "x", group: nil)), .invalidDate("x")),
        (
            .insight(.champions(period: "day", game: nil, group: nil)),
            .invalidSetting(name: "period", values: ["week", "month"])
        ),
        (.score(.results(game: nil, from: "x", to: nil)), .invalidDate("x")),
        (.score(.publish(game: "wordle", date: "x", puzzle: nil, groups: ["Red"])), .invalidDate("x")),
        (
            .group(.changeSettings(group: nil, GroupSettingsChange(invites: "nobody"))),
            .invalidSetting(name: "invites", values: ["everyone", "admins", "owner"])
        ),
        (
            .group(.changeSettings(group: nil, GroupSettingsChange(archiveDays: 400))),
            .invalidSetting(name: "archive", values: ["0", "7", "366"])
        ),
        (.group(.rename(group: nil, title: " ")), .invalidTitle(limit: 60)),
        (.profile(.rename(name: "7K3M-9QXT-42WJ")), .invalidName(limit: 40)),
        (.group(.create(title: "4c1d2e3f")), .invalidTitle(limit: 60)),
        (
            .invite(.create(group: nil, uses: 1, lifetime: 0, needsApproval: false)),
            .invalidInvite(reason: "an invite lasts at most 90 days")
        ),
        (.friend(.add(code: "7K3M-9QXT-42WD")), .invalidFriendCode(reason: "at least one of its symbols is mistyped")),
        (.friend(.add(code: "7")), .invalidFriendCode(reason: "it has 1 symbol in place of 12")),
        (
            .exchange(.export(format: "xml", game: nil, from: nil, to: nil)),
            .invalidSetting(name: "format", values: ["csv", "json"])
        ),
        (
            .reminder(.change(ReminderChange(time: "25:00"))),
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
            await #expect(throws: failure) { _ = try await node.call(request, returning: StatusReport.self) }
        }
        let party = try NodeParty()
        let empty = StartingNode(
            in: party.dataFolder("empty"),
            configuration: NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: []))
        await #expect(throws: failure) { _ = try await empty.call(request, returning: StatusReport.self) }
        await empty.close()
    }
}
