import Testing

@testable import StreakNode
@testable import StreakWeb

extension SentForm {
    static let group = FakeNode.group

    static let membership: [SentForm] = [
        SentForm("/member/promote", "group=\(group)&user=ab", MemberRequest.promote(group: group, user: "ab")),
        SentForm("/member/demote", "group=\(group)&user=ab", MemberRequest.demote(group: group, user: "ab")),
        SentForm("/member/remove", "group=\(group)&user=ab", MemberRequest.remove(group: group, user: "ab")),
        SentForm(
            "/member/remove-only", "group=\(group)&user=ab",
            MemberRequest.remove(group: group, user: "ab", keepingInvites: true)),
        SentForm("/requests/approve", "id=77aa", AdmissionRequest.approve(id: "77aa")),
        SentForm("/requests/deny", "id=77aa", AdmissionRequest.deny(id: "77aa")),
        SentForm("/group/rename", "group=\(group)&title=New", GroupRequest.rename(group: group, title: "New")),
        SentForm(
            "/group/settings", "group=\(group)&invites=owner&spoilers=off",
            GroupSettingsRequest.change(group: group, GroupSettingsChange(invites: "owner", spoilerGuard: false))),
        SentForm(
            "/group/settings", "group=\(group)&missed=worst%2B1&freezes=on&archive=7",
            GroupSettingsRequest.change(
                group: group, GroupSettingsChange(missedDay: "worst+1", freezes: true, archiveDays: 7))),
        SentForm("/group/heir", "group=\(group)&user=ab", GroupRequest.heir(group: group, user: "ab")),
        SentForm("/group/heir", "group=\(group)&user=", GroupRequest.heir(group: group, user: nil)),
        SentForm("/group/transfer", "group=\(group)&user=ab", GroupRequest.transfer(group: group, user: "ab")),
        SentForm("/group/take-over", "group=\(group)", GroupRequest.takeOver(group: group)),
        SentForm(
            "/challenge", "group=\(group)&to=ab&result=wordle%7C2026-11-20%7C&until=2026-11-23",
            ChallengeRequest.make(
                ResultReference(game: "wordle", date: "2026-11-20", group: group), to: "ab", until: "2026-11-23")),
        SentForm(
            "/challenge", "group=\(group)&to=&game=wordle&until=",
            ChallengeRequest.make(ResultReference(game: "wordle", group: group))),
        SentForm("/group/annul", "group=\(group)&id=5a5a", AnnulmentRequest.annul(group: group, id: "5a5a")),
        SentForm("/groups/leave", "group=\(group)&how=keep", GroupRequest.leave(group: group, erasing: false)),
        SentForm("/groups/leave", "group=\(group)&how=erase", GroupRequest.leave(group: group, erasing: true)),
        SentForm(
            "/groups/dismiss", "group=\(FakeNode.user(51))",
            GroupRequest.leave(group: FakeNode.user(51), erasing: false)),
        SentForm(
            "/invite", "group=\(group)&uses=5&days=30&approval=1",
            InviteRequest.create(group: group, uses: 5, lifetime: 30 * 86_400, needsApproval: true)),
        SentForm("/invite/revoke", "id=a1b2c3", InviteListRequest.revoke(id: "a1b2c3")),
        SentForm("/friends/rejoin", "group=ab", FriendshipRequest.rejoin(group: "ab")),
        SentForm("/friends/dismiss", "group=ab", FriendshipRequest.dismiss(group: "ab")),
        SentForm(
            "/rules", "missed=zero&freezes=on&archive=30",
            GroupSettingsRequest.ownRules(GroupSettingsChange(missedDay: "zero", freezes: true, archiveDays: 30))),
    ]

    static let privacy: [SentForm] = [
        SentForm(
            "/privacy", "group=\(group)&anonymous=1&alias=Fox&hidden=1&region=FR",
            PrivacyRequest.change(
                group: group,
                PrivacyChange(anonymous: true, alias: "Fox", hidden: true, region: "FR", lastSeen: false))),
        SentForm(
            "/privacy", "group=\(group)&alias=Fox&lastSeen=1",
            PrivacyRequest.change(
                group: group, PrivacyChange(anonymous: false, hidden: false, region: "", lastSeen: true))),
        SentForm(
            "/privacy/games", "group=\(group)&unshare=mini",
            PrivacyRequest.change(group: group, PrivacyChange(unshare: ["mini"]))),
        SentForm(
            "/privacy/games", "group=\(group)&share=mini",
            PrivacyRequest.change(group: group, PrivacyChange(share: ["mini"]))),
        SentForm("/sharing/stop", "group=\(group)", PrivacyRequest.stopSharing(group: group)),
        SentForm(
            "/sharing/resume", "group=\(group)&history=today", PrivacyRequest.resumeSharing(group: group, history: 0)),
        SentForm(
            "/sharing/resume", "group=\(group)&history=month", PrivacyRequest.resumeSharing(group: group, history: 30)),
        SentForm(
            "/sharing/resume", "group=\(group)&history=all", PrivacyRequest.resumeSharing(group: group, history: nil)),
    ]

    static let friends: [SentForm] = [
        SentForm("/friends/add", "code=+7k3m-9qxt-42wd+", FriendshipRequest.add(code: "7k3m-9qxt-42wd")),
        SentForm("/friends/answer", "answer=on", FriendshipRequest.answer(true)),
        SentForm("/friends/answer", "answer=off", FriendshipRequest.answer(false)),
        SentForm("/friends/cancel", "code=4TV7-K2M9-QXDR", FriendshipRequest.cancel(code: "4TV7-K2M9-QXDR")),
        SentForm("/friends/approve", "user=ab", FriendshipRequest.approve(user: "ab")),
        SentForm("/friends/decline", "user=ab", FriendshipRequest.decline(user: "ab")),
        SentForm("/friends/block", "user=ab", FriendshipRequest.block(user: "ab")),
        SentForm("/friends/unblock", "user=ab", FriendshipRequest.unblock(user: "ab")),
        SentForm("/friends/remove", "user=ab", FriendshipRequest.remove(user: "ab")),
    ]

    static let account: [SentForm] = [
        SentForm(
            "/devices/revoke", "device=ab&key=K7Q2-M9XD", DeviceRequest.revoke(device: "ab", key: "K7Q2-M9XD")),
        SentForm("/devices/rename", "device=ab&name=Attic", DeviceRequest.rename(device: "ab", name: "Attic")),
        SentForm("/devices/revoke", "device=ab", DeviceRequest.revoke(device: "ab", key: nil)),
        SentForm("/recovery/confirm", "key=\(FakeNode.key)", RecoveryRequest.confirm(key: FakeNode.key)),
        SentForm(
            "/backup", "file=%2Ftmp%2Fa.backup&passphrase=long+enough&again=long+enough",
            BackupRequest.write(file: "/tmp/a.backup", passphrase: "long enough")),
        SentForm("/guest/start", "name=Zo%C3%AB", GuestRequest.start(name: "Zoë")),
        SentForm("/guest/stop", "how=keep", GuestRequest.stop(.keep)),
        SentForm("/guest/stop", "how=export&file=%2Ftmp%2Fa.json", GuestRequest.stop(.export(file: "/tmp/a.json"))),
        SentForm("/guest/stop", "how=discard", GuestRequest.stop(.discard)),
    ]
}

@Suite struct MembershipFormTests {
    @Test(arguments: SentForm.membership + SentForm.privacy + SentForm.friends + SentForm.account)
    func `a form asks the node for what it says, and goes on to a page`(form: SentForm) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post(form.path, form.body)
            #expect(answer.status == 303)
            #expect(page.node.changes.are([form.request]))
        }
    }

    @Test(arguments: Site.forms.map(\.path))
    func `no form is carried out for another site or a stranger`(path: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for headers in [["Origin": "http://evil.example"], ["Sec-Fetch-Site": "cross-site"]] {
                #expect(try await browser.send("POST", path, body: "user=a", headers: headers).status == 403)
            }
            #expect(try await page.stranger.post(path, "user=a").status == 401)
            #expect(page.node.asked.isEmpty)
        }
    }

    @Test func `every form of every template leads to a handler`() {
        let known = Set(Site.forms.map(\.path))
        for (name, source) in Templates.sources {
            let text = String(decoding: source, as: UTF8.self)
            for part in text.split(separator: "action=\"/").dropFirst() {
                let path = "/" + part.prefix { $0 != "\"" }
                let isSearch = [
                    "/board", "/games", "/history", "/numbers", "/streaks", "/champions", "/export", "/connection",
                ].contains(path)
                #expect(known.contains(path) || isSearch, "\(name) sends to \(path)")
            }
        }
    }

    @Test(arguments: SentForm.membership + SentForm.privacy + SentForm.friends + SentForm.account)
    func `what the node refuses is said in words`(form: SentForm) async throws {
        try await withPage { page in
            page.node.refuse(with: .notAllowed(action: "do this"))
            let browser = try await page.signedIn()
            var answer = try await browser.post(form.path, form.body + "&back=%2Ffriends")
            if answer.status == 303 { answer = try await browser.get(answer.headers["location"] ?? "") }
            #expect(answer.body.contains("Your role does not allow this: do this."))
            #expect(answer.body.contains("<span class=\"code\">notAllowed</span>"))
        }
    }

    static let codeFailures: [NodeFailure] = [
        .invalidFriendCode(reason: "it is empty"),
        .invalidFriendCode(reason: "at least one of its symbols is mistyped"), .ownFriendCode,
        .alreadyFriends(title: "Ann and Ben"), .friendAlreadyAsked, .friendBlocked,
        .limitReached(what: "requests", limit: 16),
    ]

    @Test(arguments: codeFailures)
    func `each reason not to take a friend code has its own words, and the code stays`(failure: NodeFailure)
        async throws
    {
        try await withPage { page in
            page.node.refuse(with: failure)
            let browser = try await page.signedIn()
            let answer = try await browser.post("/friends/add", "code=7K3M%22%3E%3Cb%3E")
            #expect(answer.status >= 400)
            #expect(answer.body.contains(FailureText.describe(failure).message.prefix { $0 != "“" }))
            #expect(answer.body.contains("value=\"7K3M&quot;&gt;&lt;b&gt;\""))
        }
    }

    @Test(arguments: ["", "%00", "a%0Ab"])
    func `a name that no file can have is refused here`(name: String) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post("/backup", "file=\(name)&passphrase=long+enough&again=long+enough")
            #expect(answer.status == 422)
            #expect(!page.node.asked.contains { $0 is RecoveryRequest || $0 is BackupRequest })
        }
    }

    @Test func `two passphrases that differ write no backup, and neither is shown`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post("/backup", "file=a&passphrase=secret+one&again=secret+two")
            #expect(answer.status == 422)
            #expect(answer.body.contains("The two passphrases differ."))
            #expect(!answer.body.contains("secret"))
            #expect(!page.node.asked.contains { $0 is RecoveryRequest || $0 is BackupRequest })
        }
    }
}

@Suite struct MembershipPageTests {
    @Test func `the list explains each member`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/friends").body
            for text in [
                "Since 14 February 2026, founded it", "let in by Ada Lovelace",
                "Behind by 12 records", "2 machines", "<span class=\"tag\">heir</span>",
                "<span class=\"tag\">on no board</span>", "<span class=\"tag\">alias</span>", "Last seen: unknown",
                "Left; their results are deleted",
                "Was removed on 19 November 2026 by Ada Lovelace; what they shared stays", "2M9X-7K3M-42WD",
                "action=\"/requests/approve\"", "Somebody asks to be your friend",
            ] { #expect(body.contains(text), "\(text)") }
        }
    }

    @Test func `who is back after a recovery sees the groups that friends tell of, and decides`() async throws {
        try await withPage(.full) { page in
            let body = try await page.signedIn().get("/friends").body
            for text in [
                "You were in “Breakfast club”", "With 4 members, says your friend 9XDR-4TV7-K2MQ",
                "You were in “Two of us”", "With one member, says your friend \(FakeNode.user(26).prefix(8))…",
                "action=\"/friends/rejoin\"", "action=\"/friends/dismiss\"",
            ] { #expect(body.contains(text), "\(text)") }
        }
        try await withPage(.silent) { page in
            let body = try await page.signedIn().get("/friends").body
            #expect(!body.contains("/friends/rejoin"))
        }
    }

    @Test func `what own numbers follow is shown and offered`() async throws {
        try await withPage(.full) { page in
            let browser = try await page.signedIn()
            #expect(try await browser.get("/profile").body.contains("href=\"/rules\""))
            let body = try await browser.get("/rules").body
            #expect(body.contains("<option value=\"nothing\" selected>"))
            #expect(body.contains("<option value=\"off\" selected>"))
            #expect(body.contains("<option value=\"0\" selected>Whenever it comes"))
            #expect(page.node.asked.contains(GroupSettingsRequest.ownRules(GroupSettingsChange())))
        }
    }

    @Test func `only who decides sees what decides`() async throws {
        let forms = [
            "/requests/approve", "/requests/deny", "/member/promote", "/member/demote", "/member/remove",
            "/group/rename", "/group/settings", "/group/transfer", "/group/heir", "/group/annul",
        ]
        func offered(_ scenario: FakeNode.Scenario) async throws -> Set<String> {
            let found = Found()
            try await withPage(scenario) { page in
                let browser = try await page.signedIn()
                for path in [
                    "/friends", "/group", "/player?user=\(FakeNode.user(2))", "/player?user=\(FakeNode.user(3))",
                ] {
                    let body = try await browser.get(path).body
                    await found.add(forms.filter { body.contains("action=\"\($0)\"") })
                }
            }
            return await found.paths
        }
        #expect(try await offered(.full) == Set(forms))
        #expect(try await offered(.outsider).isEmpty)
    }

    private actor Found {
        var paths: Set<String> = []
        func add(_ more: [String]) { paths.formUnion(more) }
    }

    @Test func `the heir may take over, after reading what that means`() async throws {
        try await withPage(.outsider) { page in
            let body = try await page.signedIn().get("/group").body
            #expect(body.contains("action=\"/group/take-over\""))
        }
        try await withPage(.full) { page in
            let body = try await page.signedIn().get("/group").body
            #expect(!body.contains("action=\"/group/take-over\""))
        }
        try await withPage(.hostile) { page in
            let body = try await page.signedIn().get("/group").body
            #expect(body.contains("action=\"/group/take-over\""))
            #expect(body.contains("Your heir took the group over"))
        }
    }

    @Test func `an admin's removal is told to the owner with what annulling it comes to`() async throws {
        try await withPage(.full) { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/group").body
            #expect(body.contains("Chiara Rossi removed Hugo on 18 November 2026."))
            #expect(
                body.contains(
                    "Hugo is in again, and Chiara Rossi is a plain member. Also in again: Dmitri. The group is called "
                        + "“Sunday puzzlers” again. 2 other changes that depended on Chiara Rossi being an admin no longer "
                        + "count."))
            _ = try await browser.post("/group/annul", "group=\(FakeNode.group)&id=5a5a")
            #expect(try await browser.get("/group").body.contains("Annulled. Hugo is in again"))
        }
    }

    @Test func `each way of leaving says beforehand what the others keep`() async throws {
        try await withPage(.outsider) { page in
            let body = try await page.signedIn().get("/leave").body.replacing(/\s+/, with: " ")
            #expect(body.contains("The other 6 members keep what you have shared so far, and nothing tells them"))
            #expect(
                body.contains("The other 6 members keep what you have shared so far, and it stays on their boards."))
            #expect(body.contains("The other 6 members&#39; machines delete your results as soon as they hear of it."))
            #expect(body.contains("You have stopped sharing here."))
            #expect(body.contains("value=\"erase\""))
        }
        try await withPage(.pair) { page in
            let body = try await page.signedIn().get("/leave").body.replacing(/\s+/, with: " ")
            #expect(body.contains("The other member keeps what you have shared so far, and nothing tells them"))
            #expect(body.contains("The other member&#39;s machines delete your results as soon as they hear of it."))
            #expect(!body.contains("member keep ") && !body.contains("member&#39;s machines deletes"))
        }
        try await withPage(.silent) { page in
            let body = try await page.signedIn().get("/leave").body.replacing(/\s+/, with: " ")
            #expect(body.contains("Nobody else has anything of yours to delete."))
            #expect(!body.contains("The other"))
        }
        // An owner hands the group on first.
        try await withPage(.full) { page in
            let body = try await page.signedIn().get("/leave").body.replacing(/\s+/, with: " ")
            #expect(body.contains("action=\"/sharing/stop\""))
            #expect(body.contains("a group needs an owner"))
            #expect(!body.contains("action=\"/groups/leave\""))
        }
    }

    @Test func `a group that has removed me says so, wherever it is opened`() async throws {
        try await withPage(.outsider) { page in
            let browser = try await page.signedIn()
            let gone = FakeNode.user(51)
            #expect(try await browser.get("/friends").body.contains("you were removed"))
            for path in ["/friends", "/board", "/leave"] {
                let answer = try await browser.get("\(path)?group=\(gone)")
                #expect(answer.headers["location"] == "/group?group=\(gone)")
            }
            let body = try await browser.get("/group?group=\(gone)").body
            #expect(body.contains("You were removed from “Old school friends” on 20 November 2026."))
            #expect(body.contains("Your own results stay."))
        }
    }

    static let removal = "You were removed from “Old school friends” on 20 November 2026. Your own results stay."

    @Test(arguments: ["/today", "/board?range=today", "/friends", "/history", "/profile", "/numbers"])
    func `a group that has removed me is told of on every page, until it is taken off the list`(path: String)
        async throws
    {
        for scenario in [FakeNode.Scenario.outsider, .removed] {
            try await withPage(scenario) { page in
                let body = try await page.signedIn().get(path).body
                #expect(body.contains(Self.removal), "\(scenario)")
                #expect(body.contains("action=\"/groups/dismiss\""))
                #expect(!body.contains("No friends yet.") && !body.contains("No group yet"))
            }
        }
        try await withPage(.full) { page in
            let body = try await page.signedIn().get(path).body
            #expect(!body.contains("/groups/dismiss"), "who left knows it")
        }
        try await withPage(.silent) { page in
            let body = try await page.signedIn().get(path).body
            #expect(!body.contains("/groups/dismiss"))
        }
    }

    @Test func `where the only group has removed me no page speaks of no friends yet`() async throws {
        try await withPage(.removed) { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/board", "/friends"] {
                #expect(try await browser.get(path).body.contains("You are in no group now"), "\(path)")
            }
        }
    }

    @Test func `a group that I am in again is not left by taking it off the list`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.post("/groups/dismiss", "group=\(FakeNode.group)").status == 303)
            #expect(page.node.changes.isEmpty)
        }
    }

    @Test func `results of a game that is shared again can be sent from where that is said`() async throws {
        try await withPage(.unconfirmed) { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/privacy").body
            #expect(body.contains("2 results are held back. Which of them go there?"))
            #expect(body.contains("action=\"/sharing/resume\"") && body.contains("action=\"/sharing/stop\""))
            _ = try await browser.post("/privacy/games", "group=\(FakeNode.group)&share=mini&back=%2Fprivacy")
            #expect(try await browser.get("/privacy").body.contains("go there when you send them, under Sharing."))
        }
    }

    @Test func `invites show how often and how long they are good, and whose they are`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/invite").body
            for text in [
                "Good for one friend", "Good for any number of friends", "Used up, used 3 times", "with approval",
                "used more often than meant", "made by Ada Lovelace", "name=\"approval\"", "class=\"qr\"",
            ] { #expect(body.contains(text), "\(text)") }
        }
    }

    @Test func `requests and friends by code are shown with their state`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/friends/codes").body
            for text in [
                "Still looking until 28 November 2026, 09:30 UTC", "The owner has your request", "The owner said yes",
                "The owner has declined.", "Asked 20 min ago.", "You said yes", "action=\"/friends/unblock\"",
                "compare the code", "class=\"qr\"", "Stop answering", "<span class=\"name\">Gil</span>",
            ] { #expect(body.contains(text), "\(text)") }
        }
        try await withPage(.outsider) { page in
            let body = try await page.signedIn().get("/friends/codes").body
            #expect(body.contains("does not answer anybody who looks for this code"))
            #expect(body.contains("Answer again"))
        }
    }

    @Test func `every question about a person names their name, code and ID`() async throws {
        try await withPage { page in
            let visitor = try await page.signedIn()
            let codes = try await visitor.get("/friends/codes").body
            let friends = try await page.node.call(FriendshipRequest.list)
            let asker = try #require(friends.received.first), friend = try #require(friends.friends.first { $0.pair })
            for (verb, person) in [
                ("Block", PersonReport(user: asker.user, name: asker.name, code: asker.code)),
                ("End it with", PersonReport(user: friend.user, name: friend.name, code: friend.code)),
            ] {
                #expect(codes.contains("\(verb) \(person.described)?"), "\(person)")
            }
            let members = try await page.node.call(MemberRequest.list(group: nil))
            let member = try #require(members.members.first { !$0.me && $0.role == "member" && !$0.anonymous })
            let described = PersonReport(user: member.user, name: member.name, code: member.code).described
            #expect(described.contains("“\(member.name)” (friend code") && described.contains(member.user.prefix(16)))
            let player = try await visitor.get("/player?group=\(members.group)&user=\(member.user)").body
            #expect(player.contains("Remove \(described)?"))
            let group = try await visitor.get("/group?group=\(members.group)").body
            #expect(group.contains(">\(described)</option>"), "the group is handed on to one of these")
        }
    }

    @Test func `a board says under what name one stands, and which row nobody else sees`() async throws {
        try await withPage(.outsider) { page in
            let body = try await page.signedIn().get("/board?range=7d").body
            #expect(body.contains("Player#A1B2, you, 29 pts, played 5 of 7, only you see this, alias"))
            // Without a rank, but with a result.
            #expect(!body.contains("No result yet"))
            #expect(!body.contains(FakeNode.user(1)))
            #expect(body.contains("class=\"tag\">FR</span>"))
        }
    }

    @Test func `privacy is shown as it is, with what an alias cannot do`() async throws {
        try await withPage(.outsider) { page in
            let body = try await page.signedIn().get("/privacy").body
            for text in [
                "Player#A1B2", "for this group only", "name=\"anonymous\" value=\"1\" checked",
                "name=\"hidden\" value=\"1\" checked", "value=\"FR\"", "31 results are held back",
                "can tell that both are", "action=\"/sharing/resume\"", "value=\"strands\">Share again",
            ] { #expect(body.contains(text), "\(text)") }
            #expect(!body.contains("name=\"lastSeen\" value=\"1\" checked"))
        }
    }
}

@Suite struct AccountPageTests {
    @Test func `the recovery key is shown only when asked for, and reminded of until it is confirmed`() async throws {
        try await withPage(.unconfirmed) { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/board?range=today", "/profile"] {
                #expect(try await browser.get(path).body.contains("Your recovery key is not written down."))
            }
            let before = try await browser.get("/recovery")
            #expect(!before.body.contains("K7Q2"))
            #expect(!before.body.contains("is not written down."))
            let shown = try await browser.post("/recovery/show", "")
            #expect(shown.status == 200)
            #expect(shown.headers["cache-control"] == "no-store")
            #expect(shown.body.contains("<li>K7Q2</li><li>M9XD</li>"))
            let wrong = try await browser.post("/recovery/confirm", "key=wrong")
            #expect(wrong.status == 422)
            #expect(wrong.body.contains("This is not a recovery key"))
            #expect(!wrong.body.contains("wrong"))
        }
        try await withPage { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/today").body
            #expect(!body.contains("recovery key"))
            #expect(try await browser.get("/recovery").body.contains("nobody can show it again"))
        }
    }

    @Test func `machines are listed, and a link for a new one is shown with its end`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let list = try await browser.get("/devices").body
            for text in ["this machine, made with the account", "last seen 2 days ago", "shut out", "name=\"key\""] {
                #expect(list.contains(text), "\(text)")
            }
            #expect(!list.contains("streakmesh://device/"))
            let link = try await browser.post("/devices/link", "")
            #expect(link.body.contains("streakmesh://device/K7Q2"))
            #expect(link.body.contains("in 10 min"))
            #expect(link.body.contains("class=\"qr\""))
        }
        try await withPage(.unconfirmed) { page in
            let body = try await page.signedIn().get("/devices").body
            #expect(!body.contains("name=\"key\""))
            #expect(body.contains("Once they meet, on one network or in a group, what you keep to yourself"))
            #expect(body.contains("Machines that have met share your private results"))
        }
        try await withPage { page in
            let body = try await page.signedIn().get("/devices").body
            #expect(body.contains("shut out, made with the recovery key"))
            #expect(!body.contains("since one of the two was made with the recovery key"))
            #expect(body.contains("They share your private results"))
        }
    }

    @Test func `while a guest plays every page says so, and what is the host's waits`() async throws {
        try await withPage(.guest) { page in
            let browser = try await page.signedIn()
            for path in ["/today", "/history", "/record", "/numbers", "/streaks", "/board", "/exchange", "/guest"] {
                let answer = try await browser.get(path)
                #expect(answer.status == 200)
                #expect(answer.body.contains("Zoë is playing as a guest."))
                #expect(!answer.body.contains("action=\"/invite/friends\""))
            }
            for path in [
                "/friends", "/friends/codes", "/devices", "/reminders", "/notifications",
            ] {
                let answer = try await browser.get(path)
                #expect(answer.status == 403, "\(path)")
                #expect(
                    answer.body.contains("Zoë is playing as a guest. Until that ends, this cannot be done."), "\(path)")
                #expect(answer.body.contains("href=\"/guest\""))
            }
            #expect(try await browser.get("/profile").headers["location"] == "/guest")
            let refused = try await browser.post("/groups/create", "title=Mine&back=%2Ftoday")
            #expect(refused.status == 303)
            #expect(try await browser.get("/today").body.contains("Until that ends, this cannot be done."))
            #expect(try await browser.post("/add", "text=Wordle+1%2C617+3%2F6").status == 303)
        }
    }

    @Test func `results that a guest has left can be ended without starting`() async throws {
        try await withPage(.unconfirmed) { page in
            let body = try await page.signedIn().get("/guest").body
            #expect(body.contains("Zoë has left 3 results here and can play on."))
            // The next guest is not led into them by a prefilled name.
            #expect(body.contains("<button class=\"button\" name=\"name\" value=\"Zoë\">Zoë plays again</button>"))
            #expect(!body.contains("<input name=\"name\""))
            #expect(body.contains("name=\"how\" value=\"discard\">"))
            #expect(!body.contains("value=\"keep\""))
        }
        try await withPage { page in
            let body = try await page.signedIn().get("/guest").body
            #expect(body.contains("action=\"/guest/start\""))
            #expect(!body.contains("action=\"/guest/stop\""))
        }
    }
}
