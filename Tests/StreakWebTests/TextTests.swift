import Foundation
import Testing

@testable import StreakNode
@testable import StreakWeb

@Suite struct FailureTextTests {
    static let all: [NodeFailure] = [
        .noAccount, .accountExists, .accountDamaged, .cannotCreate(reason: "r"), .invalidName(limit: 40),
        .invalidTitle(limit: 60), .unknownGroup("x"),
        .ambiguousGroup("x", candidates: ["a", "b"]),
        .noGroup(), .unknownReturn("x"), .gameOfAnother("x"),
        .accountUnderWay, .notMember(title: "t"), .notAllowed(action: "invite"), .linkForDevice, .linkForGroup,
        .alreadyRole(name: "n", role: "admin"),
        .ownerCannotLeave(title: "t"), .linkMalformed, .linkDamaged, .linkTampered, .linkUnsupported(version: 2),
        .linkExpired(at: "2026-11-20T10:00:00Z"), .linkUsedUp, .linkRevoked, .removedFromGroup,
        .alreadyMember(title: "t"),
        .linkOfAnotherGroup, .cannotAdmit, .groupTooLarge, .nobodyReachable, .clockWrong(seconds: 126_144_000),
        .unknownInvite("x"),
        .invalidInvite(reason: "r"),
        .unknownGame("x", suggestions: []), .ambiguousGame("x", candidates: ["a"]), .invalidScore(reason: "r"),
        .invalidDate("x"), .futureDate("2030-01-01"), .invalidRange("x"), .invalidMetric("x"),
        .noSuchResult(game: "wordle", day: "2026-11-21"), .nothingToUndo, .textTooLong(limit: 65_536),
        .folderBusy(pid: 42), .diskFull, .newerData, .earlierData,
        .storageFailed("/secret/path"), .cannotListen(address: "127.0.0.1:7420", reason: "taken"), .invalidRequest("r"),
        .limitReached(what: "groups", limit: 8), .stopping,
        .invalidRecoveryKey(reason: "r"), .otherRecoveryKey, .recoveryKeyNeeded, .invalidBackup(reason: "r"),
        .weakPassphrase(minimum: 8), .cannotWriteFile(reason: "r"), .guestPlaying(name: "n"), .noGuest,
        .unknownMember("x"), .ambiguousMember("x", candidates: ["a", "b"]), .approvalNeeded(title: "t"), .joinDenied,
        .unknownRequest("x"), .unknownRemoval("x"), .unknownDevice("x"), .alreadyShutOut("x"), .machineFull,
        .sharingStopped(title: "t"),
        .invalidAlias(limit: 40),
        .invalidRegion(limit: 16), .invalidSetting(name: "invites", values: ["everyone"]),
        .invalidFriendCode(reason: "it is empty"), .ownFriendCode, .alreadyFriends(title: "Ann & Ben"),
        .alreadyBlocked("ben"), .notBlocked("ben"), .severalLinks, .guestResultsKept(name: "Gus", count: 3),
        .friendAlreadyAsked, .friendBlocked, .notAPair(title: "t"), .machineShutOut, .unknownFriend("ben"),
        .deviceLinkUnknown, .tooManyDevices,
        .invalidGame(reason: "A game needs a name."), .importFailed(reason: "No column of it is a date."),
        .unknownSender(nil, candidates: ["a", "b"]), .ambiguousDates(line: 3),
        .beforeFirstPuzzle(game: "Wordle", first: "2021-06-19"),
        .noResultOfMember(name: "Ben", game: "Wordle"), .resultCovered(game: "Wordle"), .invalidEmoji,
        .invalidComment(limit: 500), .unknownComment("x"), .commentOfAnother,
        .invalidMessage(limit: 500), .unknownMessage("x"), .noPair(name: "Ben"),
        .unknownChallenge("x"), .challengeRefused(.played(name: "Ben")),
        .nothingToShare(reason: "r"), .invalidTemplate(reason: "r"),
        .invalidEvent(reason: "The rule “double” needs a game."),
        .invalidTimes(name: "quiet", text: "x", example: "22:00-07:00", reason: "r"),
    ]

    @Test func `every refusal of a challenge has its own sentence`() {
        let refusals: [ChallengeRefusal] = [
            .played(name: "Ben"), .allPlayed, .playedByMe, .hidden(name: "Ben"), .hiddenMyself, .myself,
            .habit(game: "Press-ups"), .lastDay(first: "2026-11-20", last: "2026-11-28"), .ended, .toOthers, .ofAnother,
            .made(until: "2026-11-28"),
        ]
        let texts = refusals.map { FailureText.describe(.challengeRefused($0)) }
        #expect(Set(texts.map(\.message)).count == refusals.count)
    }

    @Test func `every failure has its own code, a sentence and a next step`() {
        var codes: Set<String> = []
        for failure in Self.all {
            let text = FailureText.describe(failure)
            #expect(codes.insert(text.code).inserted, "\(text.code) twice")
            // The code is the case's name, on which programs rely.
            #expect("\(failure)".hasPrefix(text.code), "\(failure) is called \(text.code)")
            #expect(text.message.hasSuffix(".") || text.message.hasSuffix("?"))
            #expect(text.hint.hasSuffix(".") || text.hint.hasSuffix("?"))
            #expect([1, 64, 65, 69, 73, 75, 77].contains(text.exitCode))
            #expect(!text.message.contains("/secret"))
        }
    }

    @Test func `an expired link tells of the clock where that may be the reason`() {
        let expired = "2026-11-20T10:00:00Z"
        func message(_ now: String?) -> String { FailureText.describe(.linkExpired(at: expired, now: now)).message }
        #expect(message("2026-11-20T12:00:00Z") == "This link expired on 20 November 2026, 10:00 UTC.")
        #expect(
            message("2031-03-03T12:00:00Z")
                == "This link expired on 20 November 2026, 10:00 UTC. This machine’s clock says 3 March 2031, 12:00 UTC; if that is wrong, set the clock."
        )
    }

    @Test func `a user who is no longer in any group is told what happened`() {
        let ended = GroupReport(
            id: "4c1d", title: "Red", role: "removed", members: 0, active: false, ended: "2026-11-20T10:00:00Z")
        let text = FailureText.describe(.noGroup(ended: [ended]))
        #expect(text.code == "noGroup")
        #expect(text.message == "You were removed from “Red” on 20 November 2026. You are in no other group.")
    }

    @Test func `the guide lists every code beside its exit code`() throws {
        let guide = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/cli.md")
        let rows = try String(contentsOf: guide, encoding: .utf8).split(separator: "\n").filter { $0.hasPrefix("| ") }
        for failure in Self.all {
            let text = FailureText.describe(failure)
            let row = rows.first { $0.hasPrefix("| \(text.exitCode) |") } ?? ""
            #expect(row.contains("`\(text.code)`"), "\(text.code) is not in the row of \(text.exitCode)")
        }
    }

    @Test(arguments: [
        (NodeFailure.linkMalformed, Int32(65)), (.linkTampered, 65), (.linkExpired(at: ""), 65), (.linkUsedUp, 77),
        (.linkRevoked, 77), (.removedFromGroup, 77), (.nobodyReachable, 69), (.accountExists, 73),
        (.folderBusy(pid: 1), 75),
    ])
    func `exit codes are those of the command line's contract`(failure: NodeFailure, code: Int32) {
        #expect(FailureText.describe(failure).exitCode == code)
    }

    @Test func `a machine that can write nothing further is told about the clock and what to do`() {
        let text = FailureText.describe(.machineFull)
        let page = FailureView(.machineFull)
        for hint in [text.hint, page.hint] { #expect(hint.contains("clock") && hint.contains("folder")) }
        #expect(text.hint.contains("`streakmesh device link`") && !page.hint.contains("streakmesh "))
    }

    @Test(arguments: [
        ("left", "You left “Club” on 20 November 2026.", "you left"),
        ("removed", "You were removed from “Club” on 20 November 2026.", "you were removed"),
        ("revoked", "This machine was shut out of “Club” on 20 November 2026", "this machine was shut out"),
        ("notLetIn", "You were not let in to “Club” on 20 November 2026", "you were not let in"),
    ])
    func `a person is removed and a machine shut out, in whole sentences and in notes`(
        role: String, sentence: String, note: String
    ) throws {
        let group = GroupReport(
            id: "ab", title: "Club", role: role, members: 2, active: false, sharing: false,
            ended: "2026-11-20T10:00:00Z")
        #expect(group.endingSentence?.hasPrefix(sentence) == true)
        #expect(group.endingText?.hasPrefix(sentence) == true)
        #expect(group.endingNote == note)
        #expect(sentence.lowercased().hasPrefix(note))
    }

    @Test(arguments: RoleReason.allCases)
    func `each reason of a role has its own sentence and next step`(reason: RoleReason) {
        let text = FailureText.describe(.notAllowed(action: "remove this member", reason: reason))
        #expect((text.code, text.exitCode) == ("notAllowed", 77))
        let others = RoleReason.allCases.filter { $0 != reason }.map {
            FailureText.describe(.notAllowed(action: "remove this member", reason: $0))
        }
        #expect(!others.map(\.message).contains(text.message) && !others.map(\.hint).contains(text.hint))
        #expect(!FailureView(.notAllowed(action: "x", reason: reason)).hint.contains("streakmesh "))
        // The hint names an admin only if an admin may do it.
        #expect(text.hint.contains("an admin") == (reason == .needsAdmin))
    }

    @Test(arguments: [
        DeviceLinkFailure.malformed, .tampered, .expired(at: "2026-11-20T10:00:00Z", now: nil), .usedUp,
        .nobodyReachable,
    ])
    func `what is wrong with a device link is said without friends and groups`(failure: DeviceLinkFailure) {
        let text = FailureText.describe(.deviceLink(failure))
        let usual = FailureText.describe(failure.ofInvite)
        #expect((text.code, text.exitCode) == (usual.code, usual.exitCode))
        let page = FailureView(.deviceLink(failure))
        for sentence in [text.message, text.hint, page.message, page.hint] {
            for word in ["friend", "group", "invite", "join/"] { #expect(!sentence.contains(word), "\(sentence)") }
        }
        #expect(!page.hint.contains("streakmesh "))
        #expect(NodeFailure.deviceLink(failure).httpStatus == failure.ofInvite.httpStatus)
    }

    @Test func `what can go wrong on a page is never answered with a command`() {
        // These end a command before there is a page, or concern the node's own folder.
        let elsewhere = ["noAccount", "accountExists", "accountDamaged", "cannotCreate", "folderBusy"]
        for failure in Self.all {
            let view = FailureView(failure)
            guard !elsewhere.contains(view.code) else { continue }
            #expect(!view.hint.contains("streakmesh "), "\(view.code): \(view.hint)")
            #expect(!view.hint.contains("--"), "\(view.code): \(view.hint)")
            #expect(view.hint.hasSuffix(".") || view.hint.hasSuffix("?"))
        }
    }

    @Test func `own sentences are whole, and a hint is about what is wrong`() {
        let models = "A game is scored by one of lowerAttempts, lowerGuesses, lowerHints, lowerTimeSeconds, highScore."
        #expect(FailureText.describe(.invalidGame(reason: models)).message == models)
        #expect(!FailureText.describe(.invalidGame(reason: models)).hint.contains("pattern"))
        #expect(FailureText.describe(.invalidGame(reason: models, isPattern: true)).hint.contains("pattern"))
        let score = FailureText.describe(.invalidScore(reason: String(repeating: "word ", count: 30) + "end")).message
        #expect(score.hasSuffix("end."))
        #expect(FailureText.describe(.invalidScore(reason: String(repeating: "a\n", count: 5_000))).message.count < 500)
    }

    @Test func `foreign text is cut to one line`() {
        let message = FailureText.describe(.unknownGroup(String(repeating: "a\n", count: 500))).message
        #expect(message.count < 120)
        #expect(!message.contains("\n"))
    }
}

@Suite struct TimestampTests {
    @Test(arguments: [
        ("1970-01-01T00:00:00Z", Int64(0)), ("2026-11-21T09:30:00Z", FakeNode.now), ("2026-11-21T09:30Z", FakeNode.now),
        ("2026-11-21T09:30:00.250Z", FakeNode.now),
    ])
    func `instants are read`(text: String, seconds: Int64) {
        #expect(Timestamp(text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "2026-11-21", "2026-13-01T00:00Z", "2026-11-21T25:00Z", "2026-11-21T", "T", "2026-11-21T١:٠٠",
    ])
    func `what is no instant is not`(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test(arguments: [
        (Int64(0), "just now"), (300, "5 min ago"), (7_300, "2 h ago"), (90_000, "1 day ago"), (-259_200, "in 3 days"),
        (-30, "in less than a minute"), (-604_795, "in 7 days"), (-604_800, "in 7 days"), (-3_595, "in 1 h"),
        (-3_569, "in 59 min"), (-86_390, "in 1 day"), (-84_599, "in 23 h"), (-595, "in 10 min"), (-129_599, "in 1 day"),
        (-129_600, "in 2 days"), (86_399, "23 h ago"), (604_799, "6 days ago"), (59, "just now"),
    ])
    func `ages are words`(age: Int64, words: String) {
        #expect(Timestamp(seconds: FakeNode.now - age).relativeText(to: FakeNode.now) == words)
    }

    @Test(arguments: [
        (Int64(0), "0 s ago"), (12, "12 s ago"), (59, "59 s ago"), (60, "1 min ago"), (-5, "in less than a minute"),
    ])
    func `what was heard is told to the second at first`(age: Int64, words: String) {
        #expect(Timestamp(seconds: FakeNode.now - age).agoText(to: FakeNode.now) == words)
    }

    @Test func `a member list says how each is reached, since when, and who is looked for`() throws {
        let now = try #require(Timestamp("2026-11-21T09:30:00Z")).seconds
        func presence(_ change: (inout MemberReport) -> Void) -> String {
            var member = MemberReport(
                user: "u", name: "Ben", role: "member", me: false, online: false, lastSeen: nil, behind: nil, via: nil,
                code: nil, devices: 1)
            change(&member)
            return MemberView(member, group: "g", now: now).presence
        }
        let ways = ["lan", "ipv6", "mapped", "punched", "named", "of a later version"].map { path in
            presence {
                ($0.online, $0.via, $0.path, $0.linkedSince) = (true, "direct", path, "2026-11-21T09:10:00Z")
            }
        }
        #expect(ways[0] == "Online, on your network, linked 20 min ago")
        #expect(ways[2] == "Online, through a port that a router has opened, linked 20 min ago")
        #expect(ways[5] == "Online, directly, linked 20 min ago" && Set(ways).count == 6)
        #expect(presence { ($0.online, $0.via, $0.by) = (true, "member", "Ada") } == "Online, through Ada")
        #expect(presence { $0.looking = true } == "Last seen: unknown, looking")
        // What the machine told is newer, or it is not.
        let (early, late) = ("2026-11-21T03:30:00Z", "2026-11-21T06:30:00Z")
        let heard = presence { ($0.lastSeen, $0.toldAt, $0.looking) = (early, late, true) }
        #expect(heard == "Last heard 3 h ago, looking")
        #expect(presence { ($0.lastSeen, $0.toldAt) = (late, early) } == "Last seen 3 h ago")
        #expect(presence { $0.toldAt = late } == "Last heard 3 h ago")
        let noted = presence { ($0.toldAt, $0.toldInNote, $0.looking) = (late, true, true) }
        #expect(noted == "Last heard 3 h ago through the BitTorrent network, looking")
    }

    @Test func `a state says when anybody was last heard`() throws {
        func peer(_ heard: String?) -> PeerStatus {
            PeerStatus(device: "", user: nil, name: nil, state: "silent", via: nil, address: nil, lastHeard: heard)
        }
        let peers = [peer(nil), peer("2026-11-21T09:29:10Z"), peer("2026-11-21T09:29:48Z")]
        let now = try #require(Timestamp("2026-11-21T09:30:00Z")).seconds
        func report(_ peers: [PeerStatus]) -> StatusReport {
            StatusReport(
                state: "silent", groups: [], peers: peers, version: "", running: true, listen: nil, web: nil,
                lastSync: nil)
        }
        #expect(report(peers).heardText(at: now) == "heard 12 s ago")
        #expect(peers.map { $0.heardText(at: now) } == [nil, "heard 50 s ago", "heard 12 s ago"])
        #expect(report([]).heardText(at: now) == nil)
    }

    @Test func `who is alone in a group is told who left it, and when`() {
        func member(_ name: String, isMe: Bool) -> MemberReport {
            MemberReport(user: name, name: name, role: "owner", me: isMe, online: true, devices: 1)
        }
        let gone = FormerMemberReport(
            user: "b", name: "Ben", reason: "left", erased: false, ended: "2026-11-03T10:00:00Z", endedBy: nil)
        var report = MembersReport(group: "g", title: "Ada & Ben", members: [member("Ada", isMe: true)], former: [gone])
        #expect(report.lonelyText == "Ben left on 3 November 2026. Nobody else is in this group now.")
        report.members.append(member("Cy", isMe: false))
        #expect(report.lonelyText == nil)
        report = MembersReport(group: "g", title: "New", members: [member("Ada", isMe: true)])
        #expect(report.lonelyText == nil)
        let pair = LonelyPairReport(group: "g", title: "Ada & Ben", name: "Ben", ended: "2026-11-03T10:00:00Z")
        #expect(pair.text == "left on 3 November 2026, and you are alone in “Ada & Ben”")
    }

    @Test(
        arguments: [
            ("account", "made with the account"), ("recoveryKey", "made with the recovery key"),
            ("device", "linked by 4c1d9e70"), (nil, "made with the account or the recovery key"),
        ] as [(String?, String)])
    func `a machine says how it came`(origin: String?, words: String) {
        let report = DeviceReport(
            device: "d", this: true, state: "current", online: true, certifiedBy: "4c1d9e70aabbccdd", origin: origin)
        #expect(report.originText == words)
    }

    @Test func `the ends of time do not trap`() {
        #expect(!Timestamp(seconds: .max).relativeText(to: .min).isEmpty)
        #expect(!Timestamp(seconds: .max).relativeText(to: 0).isEmpty)
        #expect(!Timestamp(seconds: .min).relativeText(to: .max).isEmpty)
        #expect(!Timestamp(seconds: .max).dateText.isEmpty)
    }
}

@Suite struct AvatarTests {
    @Test(arguments: [
        ("Ada Lovelace", "AL"), ("ben", "B"), ("  Élodie  de la  Tour ", "ÉT"), ("👩‍👩‍👧 family", "👩‍👩‍👧F"), ("", ""),
    ])
    func `initials are the first graphemes of the first and last word`(name: String, initials: String) {
        #expect(AvatarView(user: "00", name: name).initials == initials)
    }

    @Test func `the gradient follows the user, not the name, and all are used`() {
        #expect(AvatarView(user: "ab", name: "A").tone == AvatarView(user: "ab", name: "B").tone)
        let tones = Set((0..<2_000).map { AvatarView(user: "user \($0)", name: "").tone })
        #expect(tones == Set(0..<24))
    }
}

@Suite struct QRCodeTests {
    static let link =
        "streakmesh://join/" + String(repeating: "K7Q2M9XDR4TVBN3HJ8W5C1ZYPA06EGFS", count: 14).prefix(440)

    @Test func `a link makes a small symbol, with a quiet zone in the terminal`() throws {
        let code = try #require(QRCode(text: Self.link))
        // Version 13 has 69 modules a side.
        #expect(code.size <= 69)
        let lines = code.terminalText.split(separator: "\n")
        #expect(lines.count == (code.size + 4 + 1) / 2)
        #expect(code.svg().hasPrefix("<svg"))
    }

    @Test(arguments: ["", "a\0b", String(repeating: "a", count: 3_000)])
    func `what fits no symbol makes none`(text: String) {
        #expect(QRCode(text: text) == nil)
    }

    @Test(arguments: [
        (link, link.uppercased()), ("http://127.0.0.1:7420/sign-in?token=aB", "http://127.0.0.1:7420/sign-in?token=aB"),
    ])
    func `a reader reads what was written`(text: String, expected: String) throws {
        let reader = URL(fileURLWithPath: "/usr/bin/zbarimg")
        guard FileManager.default.isExecutableFile(atPath: reader.path) else {
            print("zbarimg is not installed: the symbol was not read back")
            return
        }
        let code = try #require(QRCode(text: text))
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("qr-\(UUID().uuidString).pbm")
        // A file left in the temporary folder does no harm.
        defer { try? FileManager.default.removeItem(at: file) }
        try Self.bitmap(code).write(to: file, atomically: true, encoding: .ascii)
        let process = Process()
        process.executableURL = reader
        process.arguments = ["--quiet", "--raw", file.path]
        let pipe = Pipe()
        process.standardOutput = pipe
        process.standardError = FileHandle.nullDevice
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        #expect(String(decoding: data, as: UTF8.self).trimmingSpaces == expected)
    }

    /// A bitmap of the terminal's half blocks, six pixels a module.
    private static func bitmap(_ code: QRCode) -> String {
        var rows: [String] = []
        for line in code.terminalText.split(separator: "\n") {
            let cells = line.filter { "█▀▄ ".contains($0) }
            for dark in ["█▀", "█▄"] {
                let row = cells.map { String(repeating: dark.contains($0) ? "1 " : "0 ", count: 6) }.joined()
                rows += Array(repeating: row, count: 6)
            }
        }
        return "P1\n\((code.size + 4) * 6) \(rows.count)\n" + rows.joined(separator: "\n") + "\n"
    }
}

@Suite struct FormFieldsTests {
    @Test func `fields are decoded`() throws {
        let fields = try #require(FormFields(parsing: "a=1+2&b=%C3%A9&c=&d&a=3"))
        #expect(fields["a"] == "3")
        #expect(fields["b"] == "é")
        #expect(fields["c"] == nil)
        #expect(fields["d"] == nil)
    }

    @Test func `links are encoded so that they come back`() throws {
        let text = "a&b=c d/é?#🟩"
        let query = PageLink("/x").adding("q", text).text.dropFirst(3)
        #expect(FormFields(parsing: query)?["q"] == text)
    }

    @Test func `undo names up to three results, and counts what is more`() {
        let result = FakeNode(.full).result("wordle", day: "2026-11-21")
        func text(_ restored: Int, _ withdrawn: Int) -> String {
            Site.undoText(
                UndoReport(
                    restored: Array(repeating: result, count: min(restored, 1_000)),
                    withdrawn: Array(repeating: result, count: min(withdrawn, 1_000)), restoredCount: restored,
                    withdrawnCount: withdrawn))
        }
        let name = "\(result.gameName), \(result.label),"
        #expect(text(1, 0) == "\(name) is back.")
        #expect(text(1, 2) == "\(name) is back. \(name) is gone again. \(name) is gone again.")
        #expect(text(1, 19_999) == "One result is back as it was. 19,999 results are gone again.")
        #expect(text(4, 0) == "4 results are back as they were.")
        #expect(text(3, 1) == "3 results are back as they were. One result is gone again.")
    }

    @Test(arguments: [(0, "0 s"), (7, "7 s"), (59, "59 s"), (60, "1 min"), (3_599, "59 min"), (11_130, "3 h 5 min")])
    func `time spent is said in the unit that fits`(seconds: Int, text: String) {
        #expect(Elapsed.text(seconds: seconds) == text)
    }
}
