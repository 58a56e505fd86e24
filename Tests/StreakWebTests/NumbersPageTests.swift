import Foundation
import StreakNode
import Testing

@testable import StreakWeb

extension SentForm {
    static let blocks = GameForm(
        name: "Block Blast", icon: "🧱", model: "highScore", maximum: 9, best: 1, unit: "pts", cadence: "daily",
        pattern: "Block {score}")
    private static let typed =
        "name=+Block+Blast+&icon=%F0%9F%A7%B1&model=highScore&maximum=9&best=1&unit=pts&cadence=daily&aggregation="
        + "&pattern=Block+%7Bscore%7D"

    static let all: [SentForm] = [
        SentForm("/achievements/celebrate", "", AchievementsRequest.celebrate),
        SentForm(
            "/games/favourite", "game=wordle&favourite=on", GameRequest.setFavourite(game: "wordle", isFavourite: true)),
        SentForm(
            "/games/favourite", "game=wordle&favourite=off",
            GameRequest.setFavourite(game: "wordle", isFavourite: false)),
        SentForm(
            "/games/define", "\(typed)&group=\(FakeNode.group)", GameRequest.define(blocks, group: FakeNode.group)),
        SentForm(
            "/games/define", "id=custom-1&group=g&name=Run&icon=%F0%9F%8F%83&model=count",
            GameRequest.define(GameForm(id: "custom-1", name: "Run", icon: "🏃", model: "count"), group: "g")),
        SentForm("/games/remove", "game=custom-1&group=g", GamesRequest.remove(game: "custom-1", group: "g")),
        SentForm(
            "/log", "game=custom-1",
            ScoreRequest.record(game: "custom-1", score: nil, isCompleted: true, seconds: nil, date: nil, groups: nil)),
        SentForm("/reminders", "on=on", ReminderRequest.change(ReminderChange(on: true))),
        SentForm("/reminders", "on=off", ReminderRequest.change(ReminderChange(on: false))),
        SentForm(
            "/reminders", "when=smart&time=20%3A00&quietFrom=22%3A00&quietTo=08%3A00&desktop=1",
            ReminderRequest.change(ReminderChange(smart: true, time: "20:00", quiet: "22:00-08:00", desktop: true))),
        SentForm(
            "/reminders", "when=fixed&time=07%3A15&quietFrom=&quietTo=",
            ReminderRequest.change(ReminderChange(smart: false, time: "07:15", quiet: "", desktop: false))),
        SentForm(
            "/notifications", "kind-challenge=1&kind-beaten=1&quietFrom=23%3A00&quietTo=07%3A00&desktop=1",
            NotificationRequest.change(
                NotificationChange(
                    on: ["challenge", "beaten"], off: ["message", "answer", "ending", "climbed", "started"],
                    quiet: "23:00-07:00", desktop: true))),
        SentForm(
            "/notifications",
            "kind-challenge=1&kind-message=1&kind-answer=1&kind-beaten=1&kind-ending=1&kind-climbed=1&kind-started=1",
            NotificationRequest.change(
                NotificationChange(
                    on: ["challenge", "message", "answer", "beaten", "ending", "climbed", "started"], quiet: "",
                    desktop: false))),
        SentForm("/reminders", "exclude=mini", ReminderRequest.change(ReminderChange(exclude: ["mini"]))),
        SentForm("/reminders", "include=mini", ReminderRequest.change(ReminderChange(include: ["mini"]))),
        SentForm(
            "/record", "game=wordle&score=4&date=2026-11-20&edit=1",
            ScoreRequest.record(
                game: "wordle", score: 4, isCompleted: true, seconds: nil, date: "2026-11-20", groups: nil,
                replace: true)),
    ]
}

@Suite struct NumbersFormTests {
    @Test(arguments: SentForm.all)
    func `a form asks the node for what it says, and goes on to a page`(form: SentForm) async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let answer = try await browser.post(form.path, form.body)
            #expect(answer.status == 303)
            #expect(page.node.changes.are([form.request]))
        }
    }

    @Test(arguments: SentForm.all)
    func `what the node refuses is said in words`(form: SentForm) async throws {
        try await withPage { page in
            page.node.refuse(with: .notAllowed(action: "do this"))
            let browser = try await page.signedIn()
            var answer = try await browser.post(form.path, form.body + "&back=%2Fgames")
            if answer.status == 303 { answer = try await browser.get(answer.headers["location"] ?? "") }
            #expect(answer.body.contains("Your role does not allow this: do this."))
        }
    }

    @Test func `the page names the fields that a pattern has`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/games/define").body
            for field in ["{score}", "{max}", "{number}", "{hints}", "{time}", "{date}", "{any}"] {
                #expect(body.contains("<code>\(field)</code>"), "\(field)")
            }
            #expect(!body.contains("{maximum}"))
        }
    }

    @Test func `every game is in reach, also without a result`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let streaks = try await browser.get("/streaks").body
            let games = try await browser.get("/games").body
            func links(_ body: String) -> Set<Substring> {
                Set(body.split(separator: "href=\"/game?id=").dropFirst().map { $0.prefix { $0 != "\"" && $0 != "&" } })
            }
            let played = Set(
                streaks.split(separator: "game=").dropFirst().map { $0.prefix { $0 != "\"" && $0 != "&" } })
            #expect(links(games).count > 3)
            #expect(links(games).subtracting(links(streaks)).isSubset(of: played))
            #expect(streaks.contains("without a result</summary>"))
            #expect(try await browser.get("/today").body.contains("href=\"/games\">All games</a>"))
        }
    }

    @Test func `a game that cannot be is not saved, and what was typed stays`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let unnamed = try await browser.post("/games/define", "name=&unit=km%22%3E&model=count")
            #expect(unnamed.status == 422)
            #expect(unnamed.body.contains("A game needs a name."))
            #expect(unnamed.body.contains("value=\"km&quot;&gt;\""))
            #expect(unnamed.body.contains("<option value=\"count\" selected>"))
            let letters = try await browser.post("/games/define", "name=A&maximum=six&model=count")
            #expect(letters.status == 422)
            #expect(letters.body.contains("The maximum is not a whole number."))
            #expect(
                !page.node.asked.contains {
                    if case .define(let form, _) = $0 as? GameRequest { form.name == "A" } else { false }
                })
        }
    }

    @Test func `a pattern is tried without storing anything`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let fits = try await browser.post(
                "/games/test", "pattern=Block+%7Bscore%7D&sample=Block+1200&model=highScore")
            #expect(fits.body.contains("It fits. This is what is read:"))
            #expect(fits.body.contains("<dt>Score</dt><dd>1200</dd>"))
            #expect(fits.body.contains("<dt>Time</dt><dd>1:05</dd>"))
            let off = try await browser.post("/games/test", "pattern=Block+%7Bscore%7D&sample=%3Cb%3E&model=highScore")
            #expect(off.body.contains("A number was expected, but “&lt;b&gt;” is there."))
            #expect(page.node.changes.isEmpty)
        }
    }
}

@Suite struct NumbersPageTests {
    @Test func `numbers are shown for a game, a range and a member`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let all = try await browser.get("/numbers").body
            #expect(
                page.node.asked.contains(
                    StatisticsRequest.show(game: nil, range: "30d", date: nil, group: nil, plots: true)))
            for text in [
                "<dd>1,284</dd>", "<dd>93 %<small>1190 of 1284</small>", "32 h 15 min", "class=\"plot plot-lines\"",
                "class=\"plot plot-calendar\"", "23 Oct – 21 Nov",
            ] {
                #expect(all.contains(text), "\(text)")
            }
            let game = try await browser.get("/numbers?game=wordle&range=all").body
            #expect(game.contains("<dt>Average</dt><dd>3.8</dd>"))
            #expect(game.contains("Wordle · All time"))
            let member = try await browser.get("/numbers?member=\(FakeNode.user(0))&group=\(FakeNode.group)").body
            #expect(member.contains("<h1>Ada Lovelace: overview</h1>"))
            #expect(member.contains("2 results are covered until you have played, and left out here."))
            #expect(
                page.node.asked.contains(
                    StatisticsRequest.show(
                        game: nil, range: "30d", date: nil, group: FakeNode.group, member: FakeNode.user(0),
                        plots: true)))
        }
    }

    @Test func `streaks tell what is at risk, and so does today`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            for path in ["/streaks", "/today"] {
                let body = try await browser.get(path).body
                #expect(body.contains("Play today, or these streaks end"))
                #expect(body.contains("The Mini <small>23 days</small>"))
            }
            let streaks = try await browser.get("/streaks").body
            #expect(streaks.contains("best 112 days, since 12 October 2026"))
            #expect(
                streaks.contains("class=\"tag\">1 frozen</span>") && streaks.contains("class=\"tag\">2 freezes</span>"))
            #expect(streaks.contains("<span class=\"value\">3 weeks</span>"))
            let then = try await browser.get("/streaks?date=2026-11-02").body
            #expect(!then.contains("Play today"))
        }
    }

    @Test func `an unlock is celebrated once`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/achievements").body
            #expect(body.contains("<span>💎 Daily Devotee, diamond"))
            #expect(body.contains("data-text=\"💎 I reached "))
            #expect(body.contains("<li class=\"unlock\" data-icon=\"💎\" data-title=\"Daily Devotee, diamond\">"))
            #expect(!body.contains("data-rest="))
            #expect(body.contains("<progress max=\"2700\" value=\"520\">"))
            #expect(body.contains("2,180 to level 15"))
            let other = try await browser.get("/achievements?member=\(FakeNode.user(0))").body
            #expect(!other.contains("class=\"unlock\""))
        }
        // An import may reach dozens at once.
        try await withPage(.unconfirmed) { page in
            let body = try await page.signedIn().get("/today").body
            #expect(body.contains("<a href=\"/achievements\">and 2 more</a>"))
            #expect(body.components(separatedBy: "class=\"unlock\"").count == 4)
            #expect(body.contains("role=\"status\" data-rest=\"5 achievements reached\">"))
        }
    }

    @Test func `a week ends with the current one`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let now = try await browser.get("/recap").body
            #expect(now.contains("Week 47, 16 Nov – 22 November 2026"))
            #expect(!now.contains("Later week"))
            #expect(now.contains("from 7 to 3"))
            let before = try await browser.get("/recap?date=2026-11-10").body
            #expect(before.contains("href=\"/recap?date=2026-11-16\""))
        }
    }

    @Test func `a player is compared with me, but I am not`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let other = try await browser.get("/player?user=\(FakeNode.user(0))&range=7d").body
            #expect(other.contains("You against Ada Lovelace"))
            #expect(other.contains("Ada Lovelace has won the last 3."))
            #expect(other.contains("on average 0:45 against 0:41"))
            #expect(
                page.node.asked.contains(
                    VersusRequest.show(
                        user: FakeNode.user(0), game: nil, range: "7d", date: nil, group: FakeNode.group,
                        plots: true)))
            let mine = try await browser.get("/player?user=\(FakeNode.user(1))").body
            #expect(!mine.contains("You against"))
        }
    }

    @Test func `a player’s page has what they reached, and buttons to challenge them and to write`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let other = try await browser.get("/player?user=\(FakeNode.user(0))&range=7d").body
            #expect(other.contains("Wins less losses"))
            #expect(other.contains("Level</span> 14") && other.contains("<strong>17,420</strong> coins"))
            #expect(other.contains("#3 of 5, 14 May 2026") && other.contains("nobody else yet"))
            #expect(other.contains("5 of 10 achievements") && other.contains("Daily Devotee, diamond"))
            for figure in ["512<span class=\"detail\">results</span>", "41 days", "32 h 15 min"] {
                #expect(other.contains(figure))
            }
            #expect(other.contains("2 results are covered until you have played"))
            #expect(other.contains("href=\"#challenge\">Challenge</a>"))
            #expect(other.contains("href=\"/messages?user=\(FakeNode.user(0))\">Message</a>"))
            let mine = try await browser.get("/player?user=\(FakeNode.user(1))").body
            #expect(mine.contains("In numbers") && !mine.contains(">Message</a>") && !mine.contains("#challenge"))
            let hidden = try await browser.get("/player?user=\(FakeNode.user(6))").body
            #expect(!hidden.contains("In numbers") && hidden.contains("Challenges"))
        }
    }

    @Test func `messages are shown, written, changed and deleted`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let ada = FakeNode.user(0)
            let list = try await browser.get("/messages").body
            #expect(list.contains("1 new") && list.contains("Nothing written yet"))
            #expect(!page.node.asked.contains(MessageRequest.look(user: ada)))
            let open = try await browser.get("/messages?user=\(ada)").body
            #expect(open.contains("Again tomorrow?") && open.contains("action=\"/message/edit\""))
            #expect(page.node.asked.contains(MessageRequest.look(user: ada)))
            _ = try await browser.post("/message", "user=\(ada)&text=Hello")
            _ = try await browser.post("/message/edit", "id=3fa94c11&text=Hi")
            _ = try await browser.post("/message/delete", "id=3fa94c11")
            #expect(page.node.asked.contains(MessageRequest.write(user: ada, text: "Hello")))
            #expect(page.node.asked.contains(MessageRequest.edit(message: "3fa94c11", text: "Hi")))
            #expect(page.node.asked.contains(MessageRequest.delete(message: "3fa94c11")))
            let activity = try await browser.get("/activity").body
            #expect(activity.contains("Messages, 1 new"))
            #expect(activity.contains("href=\"/messages?user=\(FakeNode.user(6))\""))
            // What others achieved leads to a challenge and to their numbers; one's own, and what was said, does not.
            let rivals = activity.split(separator: "#challenge\"").dropLast().compactMap { part in
                (0..<7).first { part.hasSuffix("&amp;user=\(FakeNode.user($0))") }
            }
            #expect(rivals == [0, 2, 3])
        }
    }

    @Test func `champions share a week`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/champions").body
            #expect(body.contains("Week 46, 9 Nov 2026"))
            #expect(body.contains("181 points, 7 ranked"))
            #expect(body.contains("Wall of champions") && body.contains("5 weeks"))
            #expect(body.contains("the last 2 in a row, longest run 3") && body.contains("last in week 46"))
        }
    }

    @Test func `an event says what is played for, who leads, how long it lasts, and where I stand`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/event").body
            for text in [
                "Double Wordle", "Chosen by", "1d 13h 0m", "=2 of 3", "Play Wordle now", "2 results are covered",
                "Most games",
                "Tied for rank 2,",
            ] {
                #expect(body.contains(text), "\(text)")
            }
            #expect(!body.contains("🏅 winner") && !body.contains("Corrected"))
        }
    }

    @Test func `an event that is over says who won, what it earned, and what was corrected`() async throws {
        try await withPage { page in
            let body = try await page.signedIn().get("/event?date=2026-11-12").body
            for text in ["How it ended", "🏅 winner", "1,000 coins and the badge", "Corrected", "This week’s event"] {
                #expect(body.contains(text), "\(text)")
            }
            #expect(!body.contains("Play Wordle now"))
        }
    }

    @Test func `who may choose the next event chooses it on the page, and nobody else is asked`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            #expect(try await browser.get("/event").body.contains("action=\"/event/choose\""))
            let group = FakeNode.group
            let answer = try await browser.post("/event/choose", "rule=double&game=wordle&group=\(group)")
            #expect(answer.status == 303)
            #expect(page.node.asked.contains(EventRequest.choose(rule: "double", game: "wordle", group: group)))
            // Rules over all games ignore the game that the form has.
            _ = try await browser.post("/event/choose", "rule=most-games&game=wordle&group=\(group)")
            #expect(page.node.asked.contains(EventRequest.choose(rule: "most-games", game: nil, group: group)))
            _ = try await browser.post("/event/withdraw", "group=\(group)")
            #expect(page.node.asked.contains(EventRequest.withdraw(group: group)))
        }
        try await withPage(.outsider) { page in
            let body = try await page.signedIn().get("/event").body
            #expect(body.contains("Weekly event") && !body.contains("/event/choose"))
        }
    }

    @Test func `a board of one's own days is paged by its length, to today and no further`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let body = try await browser.get("/board?from=2026-11-01&to=2026-11-07").body
            #expect(body.contains("range=2026-10-25..2026-10-31"))
            #expect(body.contains("range=2026-11-08..2026-11-14"))
            let last = try await browser.get("/board?from=2026-11-12&to=2026-11-18").body
            #expect(last.contains("range=2026-11-15..2026-11-21"))
        }
    }

    @Test func `a board goes on after its first page, and over groups, networks and regions`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            let year = try await browser.get("/board?range=365d").body
            #expect(year.contains("range=365d&amp;shown=200\""))
            #expect(year.contains("100 more"))
            let later = try await browser.get("/board?range=365d&offset=100").body
            #expect(later.contains("Back to the top"))
            #expect(!later.contains("class=\"podium\""))
            _ = try await browser.get("/board?range=today&scope=nearby&region=FR")
            let asked = page.node.asked.compactMap { $0 as? BoardRequest }
            #expect(asked.map(\.limit) == [100, 100, 100])
            #expect(asked[1].offset == 100)
            #expect(asked[2].nearby && asked[2].region == "FR" && !asked[2].everyGroup)
        }
    }

    @Test func `games are found, and a game says how its share reads`() async throws {
        try await withPage { page in
            let browser = try await page.signedIn()
            _ = try await browser.get("/games?q=+word+&category=word&favourites=1")
            #expect(
                page.node.asked.contains(
                    GamesRequest.list(search: "word", category: "word", favouritesOnly: true, group: nil)))
            #expect(try await browser.get("/game?id=wordle").body.contains("Wordle 1,981 3/6"))
            let habit = try await browser.get("/game?id=\(FakeNode.habit)").body
            #expect(habit.contains("Log one"))
            let today = try await browser.get("/today").body
            #expect(today.contains("value=\"\(FakeNode.habit)\""))
            #expect(today.contains("Push-ups <small>2 today</small>"))
            #expect(!today.contains("No. 1,361,757,531"))
        }
    }
}

@Suite struct PlotViewTests {
    @Test func `what a plot draws is taken over`() {
        for plot in [
            Drawing.bars("<b>", [1, 2]), Drawing.line("a"), Drawing.columns("a"), Drawing.calendar("a"),
        ] { #expect(PlotView(plot).svg != nil) }
    }

    @Test(arguments: [
        "", "text", "<svg class=\"plot\"><script>alert(1)</script></svg>", "<svg onload=\"alert(1)\"></svg>",
        "<svg class=\"plot\"><a href=\"javascript:alert(1)\">x</a></svg>", "<svg class=\"a\" style=\"x\"></svg>",
        "<svg class=\"a\"><rect x=1 onclick=\"b\"/></svg>", "<svg class=\"a\"><foreignObject></foreignObject></svg>",
        "<svg class=\"a\"><image x=\"1\"/></svg>", "<svg class=\"a\"></svg><img src=\"x\">",
        "<svg class=\"a\"><rect x=\"1",
        "<svg class=\"a\"><!-- --><rect/></svg>", "<svg class=\"plot>\" onload=\"alert(1)\"></svg>",
        "<svg class=\"a\"><use id=\"a\"/></svg>", "<SVG class=\"a\"></SVG>", "<svg\tonload=\"a\"></svg>",
    ])
    func `anything else is not`(svg: String) {
        #expect(!PlotView.isDrawing(svg))
    }
}
