import Foundation
import GRDB
import StreakTestSupport
import Testing

/// People come and go, lose machines and buy new ones, with nothing but the mesh to decide.
@Suite struct MembershipTests {
    /// A group of these, all running, whose founder is the first.
    private static func club(_ lab: Lab, _ names: String...) async throws -> [RunningNode] {
        var nodes: [RunningNode] = []
        for name in names {
            let friend = try await lab.friend(name)
            nodes.append(try await friend.start())
            if nodes.count == 1 {
                try await friend.ask("group", "create", "Breakfast club")
            } else {
                let link = try #require(try await nodes[0].friend.ask("invite")["link"].text)
                try await friend.ask("join", link)
            }
        }
        try await lab.agreement(of: nodes.map(\.friend))
        return nodes
    }

    private static func role(of friend: Friend) async throws -> String? {
        try await friend.ask("group", "list")["groups"][0]["role"].text
    }

    @Test(.timeLimit(.minutes(10)))
    func `who is removed gets nothing more, at once or when it returns, and keeps its own results`() async throws {
        try await Lab.open { lab in
            let nodes = try await Self.club(lab, "Ada", "Béla", "Chloë")
            let (ada, bela, chloe) = (nodes[0].friend, nodes[1].friend, nodes[2].friend)
            for friend in [ada, bela, chloe] {
                try await friend.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            }
            try await lab.agreement(of: [ada, bela, chloe])

            // Online.
            let (belaSeen, chloeSeen) = (nodes[1].events.count, nodes[2].events.count)
            let members = try await ada.ask("member", "remove", "Chloë")
            #expect(members["former"][0]["reason"].text == "removed")
            try await nodes[1].changed(from: belaSeen)
            try await nodes[2].changed(from: chloeSeen)
            try await lab.eventually("Chloë knows") { try await Self.role(of: chloe) == "removed" }
            try await lab.eventually("Béla knows") { try await bela.ask("members")["members"].items.count == 2 }
            let refused = try await chloe.run("add", input: ShareTexts.connections(629))
            #expect(refused.exitCode == 0, "recording for oneself goes on: \(refused)")
            #expect(try refused.json["published"].items.isEmpty)
            #expect(try await chloe.run("invite", "--group", "Breakfast").exitCode == 77)
            try await Self.expectOnlyOwnRuns(of: chloe)

            // Offline.
            try await nodes[1].stop()
            try await ada.ask("member", "remove", "Béla")
            try await ada.ask("add", input: ShareTexts.connections(630))
            let returned = try await bela.start()
            try await lab.eventually("Béla knows") { try await Self.role(of: bela) == "removed" }
            #expect(try await bela.ask("results")["results"].items.count == 1)
            try await Self.expectOnlyOwnRuns(of: bela)
            for command in ["board", "members"] {
                let answer = try await bela.run(command, "--group", "Breakfast")
                #expect((answer.exitCode, answer.errorCode) == (77, "notMember"), "\(answer)")
            }
            let list = try await lab.run([BuiltProgram.path, "--data", bela.folder, "group", "list"])
            #expect(list.output.contains("! You were removed from “Breakfast"), "\(list)")
            #expect(try await bela.ask("group", "leave", "Breakfast")["dismissed"].bool == true)
            #expect(try await bela.ask("group", "list")["groups"].items.isEmpty)
            #expect(try await ada.board().map { $0["name"].text } == ["Ada"], "a board has the rows of members")
            withExtendedLifetime(returned) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a lost machine's results come back from a friend, by the recovery key alone`() async throws {
        try await Lab.open { lab in
            let nodes = try await Self.club(lab, "Ada", "Béla")
            let (ada, bela) = (nodes[0].friend, nodes[1].friend)
            let key = try #require(try await bela.ask("recovery", "show")["key"].text)
            #expect(try await bela.run("recovery", "confirm", input: "0000-0000\n").exitCode == 65)
            #expect(
                try await bela.ask("recovery", "confirm", input: key.lowercased() + "\n")["recoveryConfirmed"]
                    == .bool(true))
            #expect(try await bela.run("recovery", "show").exitCode == 77)
            for number in 1_349...1_351 {
                try await bela.ask("add", input: ShareTexts.wordle(number, guesses: 4))
            }
            let device = try #require(try await bela.ask("whoami")["device"].text)
            let before = try await lab.agreement(of: [ada, bela])
            await nodes[1].kill()
            try FileManager.default.removeItem(atPath: bela.folder)

            let again = lab.person("Béla’s new machine")
            let link = try #require(try await ada.ask("invite")["link"].text)
            let profile = try await again.ask("recover", "--name", "Béla", input: key + "\n")
            #expect(profile["device"].text != device)
            let running = try await again.start()
            #expect(try await again.ask("join", link)["members"].integer == 2)
            try await lab.eventually("the results are back") {
                try await again.ask("results")["results"].items.count == 3
            }
            #expect(try await ada.ask("members")["members"].items.count == 2)
            try await again.ask("device", "revoke", String(device.prefix(12)), input: key + "\n")
            try await lab.agreement(of: [ada, again])
            #expect(try await ada.digest() != before)
            let row = try await ada.board("--metric", "logs").first { $0["name"].text == "Béla" }
            #expect(row?["value"].integer == 3)
            withExtendedLifetime(running) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a friend's node knows the groups of a lost machine, and the new one comes back when its user says so`()
        async throws
    {
        try await Lab.open { lab in
            let nodes = try await Self.club(lab, "Ada", "Béla")
            let (ada, bela) = (nodes[0].friend, nodes[1].friend)
            let key = try #require(try await bela.ask("recovery", "show")["key"].text)
            try await bela.ask("recovery", "confirm", input: key + "\n")
            for number in 1_350...1_351 {
                try await bela.ask("add", input: ShareTexts.wordle(number, guesses: 4))
            }
            try await lab.agreement(of: [ada, bela])
            await nodes[1].kill()
            try FileManager.default.removeItem(atPath: bela.folder)

            let again = lab.person("Béla’s new machine")
            try await again.ask("recover", "--name", "Béla", input: key + "\n")
            let running = try await again.start("--peer", nodes[0].address)
            let code = try #require(try await ada.ask("friend", "code")["code"].text)
            try await again.ask("friend", "add", code)
            try await lab.eventually("the group is offered", limit: .seconds(60)) {
                try await again.ask("friend", "list")["returns"].items.map { $0["title"].text } == ["Breakfast club"]
            }
            // Before its user says so the machine is nobody's there, and gets nothing.
            #expect(try await again.ask("friend", "list")["returns"][0]["code"].text == code)
            #expect(try await again.ask("group", "list")["groups"].items.isEmpty)
            #expect(try await again.ask("results")["results"].items.isEmpty)
            #expect(try await ada.ask("members")["members"].items.map { $0["devices"].integer } == [1, 1])
            #expect(try await again.run("friend", "rejoin", "Lunch club").exitCode == 65)

            #expect(try await again.ask("friend", "rejoin", "Breakfast")["returns"].items.isEmpty)
            try await lab.eventually("the results are back") {
                try await again.ask("results")["results"].items.count == 2
            }
            try await lab.agreement(of: [ada, again])
            #expect(
                try await ada.ask("members")["members"].items.map { $0["devices"].integer }.sorted { $0 ?? 0 < $1 ?? 0 }
                    == [1, 2])
            withExtendedLifetime((nodes, running)) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a machine made by the recovery key and one that is left end with all that is private on both`() async throws {
        try await Lab.open { lab in
            let nodes = try await Self.club(lab, "Ada", "Béla")
            let (ada, bela) = (nodes[0].friend, nodes[1].friend)
            let key = try #require(try await bela.ask("recovery", "show")["key"].text)
            let device = try #require(try await bela.ask("whoami")["device"].text)
            let laptop = lab.person("Béla’s laptop")
            let link = try #require(try await bela.ask("device", "link")["link"].text)
            try await laptop.ask("device", "join", link)
            let left = try await laptop.start()
            try await laptop.ask("add", "--private", input: ShareTexts.wordle(1_350, guesses: 3))
            try await bela.ask("add", input: ShareTexts.wordle(1_351, guesses: 4))
            try await bela.ask("add", "--private", input: ShareTexts.connections(629))
            try await lab.eventually("the laptop has all three") {
                try await laptop.ask("results")["results"].items.count == 3
            }
            // The first machine is lost, and nobody has told anybody; the laptop sleeps while another one is made.
            await nodes[1].kill()
            try FileManager.default.removeItem(atPath: bela.folder)
            try await left.stop()

            let again = lab.person("Béla’s new machine")
            let invite = try #require(try await ada.ask("invite")["link"].text)
            try await again.ask("recover", "--name", "Béla", input: key + "\n")
            let new = try await again.start()
            try await again.ask("add", "--private", input: ShareTexts.mini("3/1/2025", time: "0:42"))
            try await again.ask("join", invite)
            try await lab.eventually("what was shared is back") {
                try await again.ask("results")["results"].items.count == 2
            }
            try await again.ask("device", "revoke", String(device.prefix(12)), input: key + "\n")

            // The two meet by an address alone, of a machine that the laptop has not heard of, with all that either had.
            let woken = try await laptop.start("--peer", new.address)
            for machine in [laptop, again] {
                try await lab.eventually("both have all four", limit: .seconds(60)) {
                    try await machine.ask("results")["results"].items.count == 4
                }
                let machines = try await machine.ask("device", "list")["devices"].items
                #expect(machines.count { $0["state"].text == "current" } == 2)
                #expect(
                    machines.allSatisfy { $0["state"].text != "current" || $0["sharesPrivate"] == .bool(true) },
                    "\(machines)")
                #expect(
                    try await machine.ask("group", "list")["groups"].items.map { $0["title"].text } == [
                        "Breakfast club"
                    ])
            }
            // What is private from now on is on both, also where one starts anew.
            try await again.ask("games", "favourite", "waffle")
            await woken.kill()
            let returned = try await laptop.start("--peer", new.address)
            try await laptop.ask("add", "--private", input: ShareTexts.mini("3/2/2025", time: "0:40"))
            try await lab.eventually("the new one has it") {
                try await again.ask("results")["results"].items.count == 5
            }
            try await lab.eventually("the laptop has the favourite") {
                try await laptop.ask("games", "list", "--favourites")["games"].items.contains {
                    $0["id"].text == "waffle"
                }
            }
            try await lab.agreement(of: [ada, laptop, again])
            #expect(try await ada.board().map { $0["played"].integer } == [1], "a friend sees what was shared")
            withExtendedLifetime((nodes, new, returned)) {}
        }
    }

    @Test(.timeLimit(.minutes(10)))
    func `a second machine sees private results, and nothing of them is in a friend's database`() async throws {
        try await Lab.open { lab in
            let nodes = try await Self.club(lab, "Ada", "Béla")
            let (ada, bela) = (nodes[0].friend, nodes[1].friend)
            try await ada.ask("add", input: ShareTexts.wordle(1_351, guesses: 3))
            try await ada.ask("add", "--private", input: ShareTexts.connections(629))
            let link = try #require(try await ada.ask("device", "link")["link"].text)
            let laptop = lab.person("Ada’s laptop")
            #expect(try await laptop.ask("device", "join", link)["name"].text == "Ada")
            #expect(try await laptop.ask("results")["results"].items.count == 2, "what was reachable is there at once")
            #expect(try await laptop.run("device", "join", link).exitCode == 73)
            let running = try await laptop.start()
            try await lab.eventually("the laptop has both") {
                try await laptop.ask("results")["results"].items.count == 2
            }
            try await laptop.ask("add", "--private", input: ShareTexts.mini("3/1/2025", time: "0:42"))
            try await lab.eventually("and Ada has what it adds") {
                try await ada.ask("results")["results"].items.count == 3
            }
            try await lab.agreement(of: [ada, bela, laptop])
            #expect(try await bela.ask("members")["members"].items.map { $0["devices"].integer } == [1, 2])
            #expect(try await bela.board().map { $0["played"].integer } == [1])
            let privateGroup = try Self.group(inLink: link)
            #expect(try Self.database(of: ada).range(of: privateGroup) != nil)
            #expect(try Self.database(of: laptop).range(of: privateGroup) != nil)
            #expect(try Self.database(of: bela).range(of: privateGroup) == nil)
            withExtendedLifetime((nodes, running)) {}
        }
    }

    /// The group that a link names: bytes 17 to 48 of what its base32 holds (Protocol/membership.md §5).
    private static func group(inLink link: String) throws -> Data {
        let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567")
        var (value, bits, bytes) = (0, 0, Data())
        for character in try #require(link.split(separator: "/").last).lowercased() {
            value = (value << 5 | (try #require(alphabet.firstIndex(of: character)))) & 0xFFF
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(value >> bits & 0xFF))
            }
        }
        return bytes[17..<49]
    }

    /// What a friend's database holds was written by its own device, and by none of the others'.
    private static func expectOnlyOwnRuns(of friend: Friend) async throws {
        let own = try #require(try await friend.ask("whoami")["device"].text)
        // A copy: the running node keeps the database to itself.
        let original = friend.folder + "/streakmesh.sqlite"
        let copy = "\(friend.lab.folder)/\(UUID().uuidString).sqlite"
        for ending in ["", "-wal"] where FileManager.default.fileExists(atPath: original + ending) {
            try FileManager.default.copyItem(atPath: original + ending, toPath: copy + ending)
        }
        let database = try DatabaseQueue(path: copy)
        let authors = try await database.read { database in
            try Set(
                String.fetchAll(
                    database, sql: "SELECT hex(device) FROM runs UNION SELECT hex(device) FROM set_aside_runs"))
        }.map { $0.lowercased() }
        #expect(authors == [own.lowercased()], "\(friend.name)")
    }

    /// All of a friend's database, its journal included.
    private static func database(of friend: Friend) throws -> Data {
        let folder = URL(fileURLWithPath: friend.folder)
        let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        return try files.filter { $0.lastPathComponent.hasPrefix("streakmesh.sqlite") }
            .reduce(into: Data()) { $0 += try Data(contentsOf: $1) }
    }
}
