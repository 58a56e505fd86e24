import ArgumentParser
import StreakGames
import StreakNode
import StreakWeb
import Testing

@testable import StreakNode
@testable import streakmesh

/// Answers as people read them.
@Suite struct ReportTextTests {
    private static func board(from: String, to: String, rows: [BoardRowReport] = []) -> BoardReport {
        BoardReport(
            group: "g", title: "Breakfast", from: from, to: to, game: nil, gameName: nil, metric: "points", ranked: 0,
            rows: rows, mine: nil, coveredCount: 0, partial: false, today: "2026-11-21", games: [])
    }

    @Test(arguments: [
        ("today", "2026-11-21", "2026-11-21", "today, 2026-11-21"), ("today", "2026-11-20", "2026-11-20", "2026-11-20"),
        ("all", "2026-11-21", "2026-11-21", "all time, 2026-11-21"),
        ("7d", "2026-11-15", "2026-11-21", "7 days, 2026-11-15 to 2026-11-21"),
        ("month", "2026-11-01", "2026-11-30", "month, 2026-11-01 to 2026-11-30"),
        ("2026-11-21..2026-11-21", "2026-11-21", "2026-11-21", "2026-11-21"),
    ])
    func `a board is headed with its range`(range: String, from: String, to: String, text: String) {
        #expect(Self.board(from: from, to: to).period(range) == text)
    }

    @Test(arguments: [(false, "late, played 1 of 3"), (true, "late")])
    func `a covered row does not tell how much was played`(isCovered: Bool, marks: String) {
        let row = BoardRowReport(
            rank: 1, tied: false, user: "ab", name: "Béla", me: false, value: 4, raw: nil, label: "4 pts", delta: nil,
            late: true, edited: false, covered: isCovered, played: 1, of: 3, perGame: [:])
        #expect(row.marks == marks)
    }

    @Test func `one's own hidden row is shown alone, and says that nobody else sees it`() throws {
        let mine = BoardRowReport(
            rank: nil, tied: false, user: "ab", name: "Béla", me: true, value: 4, raw: nil, label: "4 pts", delta: nil,
            late: false, edited: false, covered: false, played: 1, of: 1, perGame: [:], onlyMe: true)
        #expect(mine.marks == "you, only you see this")
        var report = Self.board(from: "2026-11-21", to: "2026-11-21")
        let command = try #require(try StreakMeshCommand.parseAsRoot(["board"]) as? BoardCommand)
        let style = OutputStyle(usesColour: false)
        #expect(command.lines(for: report, style: style).joined().contains("No scores yet"))
        report.mine = mine
        let lines = command.lines(for: report, style: style)
        #expect(lines.count == 2 && lines[1].contains("4 pts") && lines[1].contains("only you see this"))
    }

    @Test func `without an account the games are those of the catalogue`() {
        let report = GamesReport(Catalogue.standard.games)
        #expect(report.games.map(\.id) == Catalogue.standard.games.map(\.id.rawValue))
        #expect(report.games.contains { $0.favourite })
        #expect(report.games.allSatisfy { $0.definition == nil })
    }

    private static func status(members: Int, online: Int, peers: [String]) -> StatusReport {
        StatusReport(
            state: "live",
            groups: [GroupStatus(id: "g", title: "t", digest: "", records: 0, members: members, online: online)],
            peers: peers.map { PeerStatus(device: $0, user: nil, name: nil, state: "linked", via: nil, address: nil) },
            version: "", running: true, listen: nil, web: nil, lastSync: nil)
    }

    @Test(
        arguments: [
            (2, 1, [], [], true), (2, 2, ["a"], [], false), (2, 1, [], ["a"], false), (2, 1, ["a"], ["a"], true),
            (1, 1, [], [], false),
        ] as [(Int, Int, [String], [String], Bool)])
    func `leaving says when no friend has heard of it`(
        members: Int, online: Int, before: [String], after: [String], isUnheard: Bool
    ) {
        let departure = Departure(
            GroupReport(id: "g", title: "t", role: "left", members: 0, active: false),
            before: Self.status(members: members, online: online, peers: before),
            after: Self.status(members: members, online: 1, peers: after))
        #expect(departure.isUnheard == isUnheard)
        #expect(departure.lines(OutputStyle(usesColour: false)).count == (isUnheard ? 2 : 1))
    }

    private static func group(_ role: String, _ title: String, ended: String? = nil) -> GroupReport {
        GroupReport(id: "4c1d2e3f5a", title: title, role: role, members: 0, active: false, ended: ended)
    }

    @Test func `groups that have ended are told of in their own words, with how to take them off the list`() {
        let day = "2026-11-20T10:00:00Z"
        let groups = [
            Self.group("owner", "Mine"), Self.group("removed", "Red", ended: day),
            Self.group("left", "Blue", ended: day),
            Self.group("revoked", "Green\u{1B}[2J"),
        ]
        let off = "Your own results stay. `streakmesh group leave 4c1d2e3f` takes it off your list."
        #expect(
            groups.endingLines(OutputStyle(usesColour: false)) == [
                "! You were removed from “Red” on 20 November 2026. \(off)",
                "! This machine was shut out of “Green[2J”: it gets nothing there and shares nothing. \(off)",
            ])
    }

    @Test func `the status has no row of a group that has ended`() {
        var report = Self.status(members: 2, online: 1, peers: [])
        report.groups[0].title = "Red"
        #expect(report.lines(OutputStyle(usesColour: false)).contains { $0.contains("Red") })
        for role in ["left", "removed", "revoked"] {
            report.groups[0].role = role
            #expect(!report.lines(OutputStyle(usesColour: false)).contains { $0.contains("Red") })
        }
    }

    @Test func `members are listed with since when and by whom, also those who went, on a terminal of 80 columns`() {
        func member(_ name: String, _ role: String, by: String?) -> MemberReport {
            MemberReport(
                user: name, name: name, role: role, me: false, online: true, lastSeen: nil, behind: 0, via: "direct",
                code: "7K3M-9QXT-42WJ", devices: 1, since: "2026-11-03T10:00:00Z", admittedBy: by)
        }
        let report = MembersReport(
            group: "g", title: "Red",
            members: [
                member("Ada", "owner", by: "Ada"), member("Ben", "admin", by: "Ada"),
                member("Chiara", "member", by: "Ben"),
                member("Dan", "member", by: nil),
            ],
            former: [
                FormerMemberReport(
                    user: "e", name: "Eve", reason: "removed", erased: false, ended: "2026-11-19T10:00:00Z",
                    endedBy: "Ada"),
                FormerMemberReport(user: "f", name: "Fay", reason: "left", erased: true, ended: "2026-11-18T10:00:00Z"),
            ])
        let lines = report.lines(OutputStyle(usesColour: false))
        #expect(
            lines.suffix(9) == [
                "member  since            how", "Ada     3 November 2026  founded it",
                "Ben     3 November 2026  let in by Ada", "Chiara  3 November 2026  let in by Ben",
                "Dan     3 November 2026", "", "no longer in it",
                "Eve              was removed on 19 November 2026 by Ada",
                "Fay              left on 18 November 2026                results deleted",
            ])
        #expect(lines.allSatisfy { $0.displayWidth <= 80 }, "\(lines)")
    }

    @Test func `machines of another private group are said to share groups only`() {
        func device(_ id: String, this: Bool, sharesPrivate: Bool) -> DeviceReport {
            DeviceReport(
                device: id, this: this, state: "current", online: false, certifiedBy: "account",
                sharesPrivate: sharesPrivate)
        }
        var report = DeviceListReport(devices: [
            device("aa", this: true, sharesPrivate: true), device("bb", this: false, sharesPrivate: true),
        ])
        #expect(!report.lines(OutputStyle(usesColour: false)).contains { $0.contains("groups only") })
        report.devices[1].sharesPrivate = false
        let lines = report.lines(OutputStyle(usesColour: false))
        #expect(lines[2].hasSuffix("groups only") && lines.contains { $0.contains("both have your private results") })
    }

    @Test func `after a revocation it is said which groups refuse it, and what the machine had linked`() {
        func device(_ id: String, state: String, by issuer: String) -> DeviceReport {
            DeviceReport(
                device: id, this: false, state: state, online: false, certifiedBy: issuer,
                origin: issuer == "account" ? "account" : "device")
        }
        let lost = "ab12cd34ef"
        var report = DeviceListReport(devices: [
            device(lost, state: "revoked", by: "account"), device("1111222233", state: "current", by: lost),
            device("4444555566", state: "revoked", by: lost), device("7777888899", state: "current", by: "account"),
        ])
        #expect(
            report.sentences(afterShuttingOut: "ab12") == [
                "Shut out. Friends' machines follow as soon as they hear of it.",
                "It had linked 11112222, which stays yours. Shut out, too, what you do not know.",
            ])
        report.devices[1].state = "revoked"
        report.refusedBy = ["Red"]
        #expect(
            report.sentences(afterShuttingOut: "ab12").dropFirst() == [
                "“Red” can take no further changes, so the machine is still in it."
            ])
    }

    @Test(arguments: [(true, 2, true), (true, 0, false), (false, 2, false)])
    func `what is held back though a group is shared with can be sent, and how is said`(
        sharing: Bool, heldBack: Int, isAdvised: Bool
    ) {
        let report = PrivacyReport(
            group: "g", title: "Red", anonymous: false, name: "Ada", user: "a", alias: nil, hidden: false, region: nil,
            lastSeen: true, sharing: sharing, unshared: [], published: 1, heldBack: heldBack)
        let lines = report.lines(OutputStyle(usesColour: false))
        #expect(lines.contains { $0.contains("sharing resume --history all") } == isAdvised)
    }

    @Test func `reminders are told without what is not set`() throws {
        var report = RemindersReport(
            on: true, smart: true, time: "19:00", fixedTime: "19:00", quiet: nil, window: nil, coverage: nil,
            computedOn: nil, lastReminded: nil, next: "2026-11-22T19:00:00Z", text: nil, desktop: true, command: nil,
            excluded: [], hours: [], plots: [])
        let command = try RemindersCommand.parse([])
        let lines = command.lines(for: report, style: OutputStyle(usesColour: false))
        #expect(
            lines == [
                "reminders      on", "time           19:00, until your habit is known",
                "you play most  too few results to say",
                "quiet          never", "desktop        on", "next           22 November 2026, 19:00 UTC",
                "Nothing is at risk now.",
            ])
        report.excluded = ["wordle"]
        report.command = "say"
        let more = command.lines(for: report, style: OutputStyle(usesColour: false))
        #expect(more.contains("not of         wordle") && more.contains("command        say"))
    }

    @Test func `notifications are told kind by kind, and notices without what was seen`() throws {
        var report = NotificationsReport(
            kinds: [.init(kind: "challenge", on: true), .init(kind: "beaten", on: false)], quiet: nil, shownToday: 1,
            most: 3, desktop: true, command: nil, reminders: false, fresh: 1,
            notices: [
                NoticeReport(
                    id: "1", kind: "beaten", at: "2026-11-21T08:00:00Z", text: "Béla beat you.", seen: false),
                NoticeReport(id: "2", kind: "joined", at: "2026-11-20T08:00:00Z", text: "Béla joined.", seen: true),
            ])
        let style = OutputStyle(usesColour: false)
        let command = try NotificationsCommand.parse([])
        #expect(
            command.lines(for: report, style: style) == [
                "challenge  on", "beaten     off", "quiet      never", "today      1 of 3", "desktop    on",
                "reminders  off", "1 thing is new: `streakmesh notices` shows them.",
            ])
        let now: Int64 = 1_795_253_400
        #expect(NoticesCommand.lines(for: report, style: style, now: now).map { $0.prefix(14) } == ["Béla beat you."])
        report.notices.removeFirst()
        #expect(NoticesCommand.lines(for: report, style: style, now: now) == ["Nothing is new."])
    }

    @Test(arguments: [
        (0, nil), (1, "1 at risk: play it today to keep it."), (2, "2 at risk: play them today to keep them."),
    ])
    func `streaks at risk are counted`(count: Int, text: String?) throws {
        let run = DayRunReport(current: 0, longest: 0, start: nil, last: nil)
        let streak = StreakReport(
            game: "wordle", gameName: "Wordle", icon: "🟩", current: 1, longest: 1, start: nil, lastPlayed: nil,
            freezes: 0, frozen: 0, open: true, atRisk: true, unit: "day")
        let report = StreaksReport(
            name: "Ada", date: "2026-11-21", overall: run, active: run, streaks: [streak],
            atRisk: Array(repeating: "wordle", count: count))
        let lines = try StreaksCommand.parse([]).lines(for: report, style: OutputStyle(usesColour: false))
        #expect(lines.last { $0.contains("play ") } == text)
    }
}
