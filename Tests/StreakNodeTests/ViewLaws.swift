import StreakCrypto
import StreakGames
import StreakLinks
import StreakMembership
import StreakRandom
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakEngine
@testable import StreakNode

/// What is shown is a function of what is held (Protocol/records.md §8). After every step, a node that took records as
/// they came shows the same as one that starts from the stored rows.
@Suite struct ViewLaws {
    /// What a view shows.
    private struct Shown: Equatable {
        var results: [DailyScore]
        var name: String?
        var profile: Profile?
        var games: [GameDefinition]
        var favourites: [GameID: Bool]
        var talk: [String]
        var messages: [GroupMessages.Standing]
        var challenges: [GroupChallenges.Standing]
        var replies: [ChallengeReply?]
        var events: [GroupEvents.Planned]
        var seen: HybridTime?

        init(_ view: GroupView, _ replica: GroupReplica, of user: UserID) {
            results = view.index.results(of: PlayerID(user.bytes.array))
            name = ViewLaws.games.lazy.compactMap { view.index.name(of: $0) }.first
            profile = view.profiles[user]
            games = view.games.definitions
            favourites = view.settings.choices(.favourite)
            talk = view.talk.results.flatMap { result in
                view.talk.reactions(to: result).map { "\($0)" } + view.talk.comments(on: result).map { "\($0)" }
            }
            messages = view.messages.messages(of: [user])
            challenges = view.challenges.standing()
            replies = (0...2).map { (number: UInt64) in
                let name = ChallengeName(challenger: user, id: WritingID(rawValue: number))
                return view.challenges.reply(of: user, to: name)
            }
            events = ViewLaws.weeks.map { view.events.planned(weekOf: $0, in: ViewLaws.group) }
            seen = replica.merged.latest(of: user)
        }
    }

    /// One node's copy of the group, its store and its view.
    private struct Node {
        var replica: GroupReplica
        var view: GroupView
        var rows: [RunKey: StoredRun] = [:]
        private let user: UserID

        init(ledger: Ledger, user: UserID) {
            replica = GroupReplica(ledger: ledger, accessKeys: [])
            view = GroupView(admins: [user])
            self.user = user
        }

        var shown: Shown { Shown(view, replica, of: user) }

        /// Whether the run fits.
        mutating func receive(_ run: Run, arrival: UInt64, at now: MonotonicInstant, wall: WallTime) -> Bool {
            guard let (reception, merged) = try? replica.receive(run, arrival: arrival, wall: wall) else {
                return false  // its predecessors come later
            }
            for key in reception.removed { rows[key] = nil }
            for row in reception.stored { rows[row.key] = row }
            take(merged, at: now, wall: wall)
            return true
        }

        mutating func take(_ changes: [MergedRecord], at now: MonotonicInstant, wall: WallTime) {
            for record in changes { view.apply(record) }
            _ = replica.rebuildIfStale(at: now, wall: wall)
            if replica.takeReset() { view = Self.view(of: replica, user) }
        }

        /// A second later: by then, what retractions made stale has been merged again.
        mutating func wait(at now: MonotonicInstant, wall: WallTime) {
            let now = now.advanced(by: .seconds(1))
            let (changes, _) = replica.releaseQuarantined(at: now, wall: wall)
            take(changes, at: now, wall: wall)
        }

        /// What a start from the stored rows gives.
        func restarted(wall: WallTime) -> Node {
            var fresh = Node(ledger: replica.ledger, user: user)
            let sorted = rows.values.sorted {
                ($0.run.feed, $0.branch, $0.run.first) < ($1.run.feed, $1.branch, $1.run.first)
            }
            for row in sorted {
                let fits = fresh.replica.restore(row)
                #expect(fits)
            }
            let unfit = fresh.replica.rebuild(wall: wall)
            #expect(unfit.isEmpty)
            fresh.view = Self.view(of: fresh.replica, user)
            return fresh
        }

        private static func view(of replica: GroupReplica, _ user: UserID) -> GroupView {
            GroupView(admins: [user]) { replica.merged.forEach(results: $0, other: $1) }
        }
    }

    private static let start: Int64 = 1_795_262_400_000
    private static let games = ["wordle", "custom-blocks"].compactMap { GameID($0) }
    private static let group = GroupID(bytes: Bytes32(0, 0, 0, 9))
    /// One has begun, one has not.
    private static let weeks = [PuzzleDay(daysSinceEpoch: 20_773), PuzzleDay(daysSinceEpoch: 20_780)]

    /// Few keys, so that records meet; a third of the values cannot be read.
    private static func record(_ chance: inout SplitMix64, wall: Int64, feeds: [FeedID]) -> Record {
        let ahead: Int64 = [0, 0, 0, 0, 300_000, 700_000, 1_500_000].randomElement(using: &chance) ?? 0
        let time = HybridTime(
            milliseconds: wall + ahead - .random(in: 0...60_000, using: &chance),
            counter: .random(in: 0...1, using: &chance))
        let (kind, subject, readable) = content(&chance, at: time, feeds: feeds)
        let value: [UInt8] =
            switch Int.random(in: 0...5, using: &chance) {
            case 0: []
            case 1: [9]
            case 2: Array(readable.dropLast())
            default: readable
            }
        return Record(kind: kind, time: time, subject: subject, value: value)
    }

    private static func content(
        _ chance: inout SplitMix64, at time: HybridTime, feeds: [FeedID]
    ) -> (RecordKind, [UInt8], [UInt8]) {
        switch Int.random(in: 0...19, using: &chance) {
        case 0: return (.profile, [], Profile(name: "Eva \(Int.random(in: 0...9, using: &chance))").recordValue)
        case 1:
            return (.setting, Array("favourite/wordle".utf8), [.random(in: 0...1, using: &chance)])
        case 2:
            let game = games[1]
            // The constants are within the limits.
            let definition = try? GameDefinition(
                id: game, name: "Blocks \(Int.random(in: 0...9, using: &chance))", icon: "🧱", model: .highScore)
            return (.gameDefinition, GameDefinition.recordSubject(of: game), definition?.recordValue ?? [])
        case 3:
            guard let feed = feeds.randomElement(using: &chance) else { break }
            let first = UInt64.random(in: 1...6, using: &chance)
            let retraction = Retraction(feed: feed, numbers: first...(first + 2))
            return (.retraction, retraction.recordSubject, retraction.recordValue)
        case 10, 11, 12: return talk(&chance)
        case 13, 14, 15: return challenge(&chance)
        case 16, 17:
            let rules = [EventPlan(.mostGames), EventPlan(.newGames)].compactMap(\.self)
            guard let plan = rules.randomElement(using: &chance), let week = weeks.randomElement(using: &chance) else {
                break
            }
            let choice = EventChoice(weekOf: week, plan)
            return (.event, choice.recordSubject, choice.recordValue)
        case 18, 19:
            let id = WritingID(rawValue: .random(in: 0...2, using: &chance))
            let message = FriendMessage(id, text: "\(Int.random(in: 0...9, using: &chance))")
            return (.message, message.recordSubject, message.recordValue)
        default: break
        }
        let game = games[Int.random(in: 0...1, using: &chance)]
        let score = DailyScore(
            game: game, day: PuzzleDay(daysSinceEpoch: 20_778 + .random(in: 0...1, using: &chance)),
            score: .random(in: 1...6, using: &chance), gameName: Bool.random(using: &chance) ? "Named" : nil,
            firstRecordedAt: time.milliseconds / 1_000, contends: game == games[1] && Bool.random(using: &chance))
        return (.dailyScore, score.recordSubject, score.recordValue(at: time))
    }

    private static func challenge(_ chance: inout SplitMix64) -> (RecordKind, [UInt8], [UInt8]) {
        let id = WritingID(rawValue: .random(in: 0...2, using: &chance))
        guard Bool.random(using: &chance) else {
            let answer = ChallengeAnswer(
                to: ChallengeName(challenger: UserID(bytes: Bytes32(0, 0, 0, 5)), id: id),
                accepts: .random(using: &chance))
            return (.challengeAnswer, answer.recordSubject, answer.recordValue)
        }
        // The IDs say 1970.
        let day = PuzzleDay(daysSinceEpoch: .random(in: -2...3, using: &chance))
        let made = Challenge(id, toBeat: ScoreKey(game: games[0], axis: .puzzle(1)), until: day)
        return (.challenge, made.recordSubject, made.recordValue)
    }

    private static func talk(_ chance: inout SplitMix64) -> (RecordKind, [UInt8], [UInt8]) {
        let owner = UserID(bytes: Bytes32(0, 0, 0, 5))
        let key = ScoreKey(game: games[0], axis: .puzzle(.random(in: 1...2, using: &chance)))
        let result = ResultName(owner: owner, key: key)
        let id = WritingID(rawValue: .random(in: 0...2, using: &chance))
        switch (Int.random(in: 0...2, using: &chance), Emoji(Bool.random(using: &chance) ? "👏" : "🔥")) {
        case (0, let emoji?):
            let reaction = Reaction(to: result, emoji)
            return (.reaction, reaction.recordSubject, reaction.recordValue)
        case (1, _):
            // The one account of these histories is the author.
            let hiding = Hiding(of: CommentName(author: owner, id: id))
            return (.hiding, hiding.recordSubject, hiding.recordValue)
        default:
            let comment = ResultComment(id, on: result, text: "\(Int.random(in: 0...9, using: &chance))")
            return (.comment, comment.recordSubject, comment.recordValue)
        }
    }

    private static func world(_ seed: UInt64) throws -> (ledger: Ledger, devices: [DeviceIdentity]) {
        var entropy = SeededEntropy(seed: seed)
        let account = SigningSecretKey.generate(from: &entropy)
        let devices = (0..<2).map { _ in DeviceIdentity.create(accountKey: account, from: &entropy) }
        let founding = try Ledger.found(
            title: "Friends", identity: devices[0], accessKey: AccessKey.generate(from: &entropy), at: start / 1_000,
            entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        _ = try ledger.insert(
            ledger.draft(.addDevice(devices[1].certificate), by: devices[0], at: start / 1_000))
        return (ledger, devices)
    }

    /// A feed as its author holds it, on one of its branches.
    private struct Branch {
        var feed: FeedReplica
        let device: Int
    }

    @Test(arguments: 0..<12 as Range<UInt64>)
    func `unreadable, late, forked, retracted and quarantined records show alike as they come and from the stored rows`(
        seed: UInt64
    ) throws {
        var chance = SplitMix64(seed: seed)
        let (ledger, devices) = try Self.world(seed)
        let user = devices[0].user
        var branches = (0..<4).map { number in
            Branch(
                feed: FeedReplica(
                    FeedID(device: devices[number % 2].device, epoch: Epoch(counter: UInt32(number / 2 + 1), nonce: 7)),
                    in: ledger.group), device: number % 2)
        }
        var nodes = [Node(ledger: ledger, user: user), Node(ledger: ledger, user: user)]
        var pending: [[Run]] = [[], []]
        var arrival: UInt64 = 1
        var (now, wall) = (MonotonicInstant.zero, Self.start)
        func deliver(_ run: Run, to node: Int) -> Bool {
            arrival += 1
            return nodes[node].receive(run, arrival: arrival, at: now, wall: WallTime(milliseconds: wall))
        }
        for _ in 0..<60 {
            now = now.advanced(by: .seconds(90))
            wall += .random(in: 0...240_000, using: &chance)
            let chosen = Int.random(in: branches.indices, using: &chance)
            // An old state of the store, from which the device writes on.
            if branches.count < 7, Int.random(in: 0...7, using: &chance) == 0 { branches.append(branches[chosen]) }
            let feeds = branches.map(\.feed.id)
            let records = (0...Int.random(in: 0...2, using: &chance)).map { _ in
                Self.record(&chance, wall: wall, feeds: feeds).encoded
            }
            let key = devices[branches[chosen].device].signingKey
            let run = branches[chosen].feed.write(RecordList(records), key: key, arrival: 1).run
            for node in nodes.indices {
                pending[node].append(run)
                pending[node].shuffle(using: &chance)
                pending[node].removeAll { Bool.random(using: &chance) && deliver($0, to: node) }
                nodes[node].wait(at: now, wall: WallTime(milliseconds: wall))
                let fresh = nodes[node].restarted(wall: WallTime(milliseconds: wall))
                #expect(nodes[node].replica.merged.all == fresh.replica.merged.all)
                #expect(nodes[node].shown == fresh.shown)
                #expect(nodes[node].replica.digest == fresh.replica.digest)
                if nodes[node].shown != fresh.shown { return }
            }
        }
        // In the end, both have everything that was written.
        for node in nodes.indices {
            while let place = pending[node].indices.first(where: { deliver(pending[node][$0], to: node) }) {
                pending[node].remove(at: place)
            }
            now = now.advanced(by: .seconds(90))
            nodes[node].wait(at: now, wall: WallTime(milliseconds: wall))
        }
        #expect(nodes[0].replica.digest == nodes[1].replica.digest)
        #expect(nodes[0].shown == nodes[1].shown)
    }

    @Test func `a value that cannot be read takes the place of what stood, like a withdrawal`() throws {
        let user = UserID(bytes: Bytes32(0, 0, 0, 1))
        let score = DailyScore(
            game: Self.games[0], day: PuzzleDay(daysSinceEpoch: 20_778), score: 3, firstRecordedAt: Self.start / 1_000)
        let time = HybridTime(milliseconds: Self.start, counter: 0)
        func apply(_ kind: RecordKind, _ subject: [UInt8], _ value: [UInt8], to view: inout GroupView) {
            let key = RecordKey(user: user, kind: kind.rawValue, subject: subject)
            view.apply(MergedRecord(key: key, value: value, time: time))
        }
        let definition = try GameDefinition(id: Self.games[1], name: "Blocks", icon: "🧱", model: .highScore)
        var view = GroupView(admins: [user])
        apply(.profile, [], Profile(name: "Eva").recordValue, to: &view)
        apply(.dailyScore, score.recordSubject, score.recordValue(at: time), to: &view)
        apply(.gameDefinition, GameDefinition.recordSubject(of: definition.id), definition.recordValue, to: &view)
        #expect(view.profiles[user]?.name == "Eva" && view.index.count == 1 && view.games.definitions.count == 1)
        apply(.profile, [], [255], to: &view)
        apply(.dailyScore, score.recordSubject, [9, 4], to: &view)
        apply(.gameDefinition, GameDefinition.recordSubject(of: definition.id), [255], to: &view)
        #expect(view.profiles[user] == nil && view.index.count == 0 && view.games.definitions.isEmpty)
    }
}
