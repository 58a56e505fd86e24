import StreakEngine
import StreakGames
import StreakLinks
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire
import Testing

@testable import StreakNode

/// A core and a loop on the store of a new account, without a node around them.
private final class Stage: LoopFollower {
    let party: NodeParty
    let folder: DataFolder
    /// A moment after the account was made; it stands still.
    let clock = SettableClock(SystemClock().wallTime.seconds + 60)
    let core: NodeCore
    let loop: NodeLoop
    private(set) var events: [EngineEvent] = []

    init() throws {
        party = try NodeParty()
        try party.makeAccount("Ada")
        folder = party.dataFolder("Ada")
        let store = try Store(opening: folder, newStoreID: MeshNode.newStoreID)
        var configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        let clock = clock
        configuration.wall = { clock.milliseconds }
        core = NodeCore(
            identity: try Account.identity(in: folder), configuration: configuration,
            clock: SystemClock(wall: configuration.wall), inbox: Inbox(), snapshot: try store.snapshot())
        loop = NodeLoop(core: core, store: store)
        loop.follower = self
        core.rebuildViews()
    }

    func put(_ notice: Notice) {}
    func look(for key: Bytes32) {}

    /// Only the views are updated.
    func observe(_ event: EngineEvent) {
        events.append(event)
        switch event {
        case .recordsMerged(let group, let records):
            if core.views[group] == nil { core.rebuildView(of: group) }
            core.apply(records, in: group)
        case .ledgerChanged(let group): core.rebuildView(of: group)
        default: break
        }
    }

    func codeArrived(_ code: FriendCode?, of user: UserID) {}
    func writeNoted() -> Bool { false }
    func followTime() {}
    var nextDeadline: MonotonicInstant? { nil }
    func networkOpened() {}
    func networkClosed() async {}
    func takes(_ input: NetworkInput) -> Bool { false }
    func restarted(damaged: Int) {}

    /// A group of this user's own, which knows this user.
    func found(_ title: String) async throws -> GroupID {
        let people = People(core: core, loop: loop)
        let groups = Groups(core: core, loop: loop, people: people, results: Results(core: core, loop: loop))
        return try core.group(try await groups.createGroup(title: title).id)
    }
}

/// Each service alone: on a core and a loop, without those that it does not ask for.
@Suite(.timeLimit(.minutes(5))) struct ServiceTests {
    private static let day = PuzzleDay(daysSinceEpoch: 20_700)

    private static func score(_ value: Int, isEdited: Bool = false) -> DailyScore {
        DailyScore(game: GameID(literal: "wordle"), day: day, score: value, maxAttempts: 6, isEdited: isEdited)
    }

    /// A result as it stands somewhere, written at a time in milliseconds.
    private static func record(_ score: DailyScore, at milliseconds: Int64, by user: UserID = .init(bytes: .zero))
        -> MergedRecord
    {
        let record = RecordDraft.score(score).record(at: HybridTime(milliseconds: milliseconds, counter: 0))
        return MergedRecord(
            key: RecordKey(user: user, kind: RecordKind.dailyScore.rawValue, subject: record.subject),
            value: record.value, time: record.time)
    }

    // MARK: What is noted of one's own results

    @Test func `a newer record of a group is taken over once, an older one never`() throws {
        let group = GroupID(bytes: .zero)
        var lost = LostResults()
        lost.note(Self.record(Self.score(3), at: 1_000), known: Self.record(Self.score(4), at: 2_000))
        #expect(lost.takeCommands(for: group).isEmpty)
        lost.note(Self.record(Self.score(3), at: 3_000), known: Self.record(Self.score(4), at: 2_000))
        lost.note(Self.record(Self.score(2), at: 2_500), known: nil)
        guard case .write(let writes) = try #require(lost.takeCommands(for: group).first),
            case .copy(let record) = try #require(writes.first?.drafts.first)
        else { throw NodeFailure.nothingToUndo }
        #expect(record.time.milliseconds == 3_000)
        #expect(lost.takeCommands(for: group).isEmpty)
    }

    @Test func `a group with an older record gets the newer one once`() async throws {
        let stage = try Stage()
        let shared = try await stage.found("Red")
        let own = try #require(stage.core.privateGroup)
        try await stage.loop.execute(.write([(shared, [.score(Self.score(4))])]))
        stage.clock.set(stage.clock.milliseconds / 1_000 + 1)
        try await stage.loop.execute(.write([(own, [.score(Self.score(3, isEdited: true))])]))
        var older = OlderResults()
        for record in stage.core.ownRecords(of: shared) where record.isResult(of: stage.core.identity.user) {
            older.note(record, in: shared, known: stage.core.engine.mergedRecord(record.key, of: own))
        }
        for command in older.takeCommands(stage.core) { try await stage.loop.execute(command) }
        #expect(stage.core.published(Self.score(3).key, in: shared)?.score == 3)
        #expect(older.takeCommands(stage.core).isEmpty)
    }

    @Test func `what a place's end leaves to publish is looked at once a change of the ledger`() async throws {
        let stage = try Stage()
        let group = try await stage.found("Red")
        var missed = MissedResults()
        var compared: [GroupID] = []
        missed.review([group])
        #expect(missed.takeCommands(stage.core) { compared.append($0) }.isEmpty)
        // A removal that no longer counts.
        let removal = GroupEnding(word: "removed", operation: OperationID(bytes: .zero))
        try await stage.loop.execute(stage.core.note(removal, of: group))
        missed.review([group])
        #expect(missed.takeCommands(stage.core) { compared.append($0) }.count == 1)
        #expect(compared == [group])
        #expect(missed.takeCommands(stage.core) { compared.append($0) }.isEmpty)
    }

    @Test func `two values of two machines are kept once, an edit is none`() async throws {
        let stage = try Stage()
        let user = stage.core.identity.user
        var index = ScoreIndex()
        index.replace(Self.score(4), of: stage.core.me)
        var differences = Differences()
        differences.note(Self.record(Self.score(3, isEdited: true), at: 1_000, by: user), in: index, of: user)
        #expect(differences.takeCommands(stage.core).isEmpty)
        differences.note(Self.record(Self.score(3), at: 1_000, by: user), in: index, of: user)
        let commands = differences.takeCommands(stage.core)
        #expect(commands.count == 1)
        #expect(differences.takeCommands(stage.core).isEmpty)
        for command in commands { try await stage.loop.execute(command) }
        // Another of the user's machines has asked in the meantime.
        differences.note(Self.record(Self.score(3), at: 1_000, by: user), in: index, of: user)
        #expect(differences.takeCommands(stage.core).isEmpty)
    }

    // MARK: Services

    @Test func `results are recorded and taken back`() async throws {
        let stage = try Stage()
        let results = Results(core: stage.core, loop: stage.loop)
        let added = try await results.add(
            "Wordle 1,701 3/6", date: nil, replacing: false, groups: nil, sharingOnly: false)
        #expect(added.added.map(\.score) == [3])
        #expect(stage.core.ownResults().map(\.score) == [3])
        #expect(try await results.undo().withdrawnCount == 1)
        #expect(stage.core.ownResults().isEmpty)
    }

    @Test func `a board over all groups is made again when a result is new`() async throws {
        let stage = try Stage()
        let group = try await stage.found("Red")
        let boards = Boards(core: stage.core, loop: stage.loop, people: People(core: stage.core, loop: stage.loop))
        var request = BoardRequest(group: nil, range: "all", reveal: true)
        request.everyGroup = true
        #expect(try boards.board(request).rows.first?.played ?? 0 == 0)
        try await stage.loop.execute(.write([(group, [.score(Self.score(4))])]))
        #expect(try boards.board(request).rows.first?.played == 1)
    }

    @Test func `a group is founded, renamed and left`() async throws {
        let stage = try Stage()
        let group = try await stage.found("Red")
        let groups = Groups(
            core: stage.core, loop: stage.loop, people: People(core: stage.core, loop: stage.loop),
            results: Results(core: stage.core, loop: stage.loop))
        #expect(stage.core.activeGroup == group)
        #expect(try await groups.renameGroup(group, to: "Blue").title == "Blue")
        #expect(try await groups.leaveGroup("Blue", erasing: false).role == "left")
        #expect(stage.core.sharedGroups.isEmpty)
    }

    @Test func `a group that a friend's answer led to is told once who this is`() async throws {
        let stage = try Stage()
        guard case .group(let group) = try await stage.loop.execute(.foundGroup(title: "Red")) else {
            throw NodeFailure.noGroup()
        }
        let people = People(core: stage.core, loop: stage.loop)
        let friends = Friends(
            core: stage.core, loop: stage.loop, people: people,
            groups: Groups(
                core: stage.core, loop: stage.loop, people: people,
                results: Results(core: stage.core, loop: stage.loop)))
        #expect(!friends.introduceToNewGroups())
        friends.observe(.joined(UserID(bytes: .zero), group))
        #expect(friends.introduceToNewGroups())
        stage.loop.process()
        #expect(stage.core.views[group]?.profiles[stage.core.identity.user]?.name == "Ada")
        #expect(!friends.introduceToNewGroups())
        friends.observe(.joined(UserID(bytes: .zero), group))
        friends.forget()
        #expect(!friends.introduceToNewGroups())
    }

    @Test func `a code that is wanted is worked out and kept`() async throws {
        let stage = try Stage()
        let user = UserID(bytes: Bytes32(1, 2, 3, 4))
        let people = People(core: stage.core, loop: stage.loop)
        #expect(stage.core.knownCode(of: user) == nil)
        await people.computeCodes(of: [user])
        #expect(stage.core.knownCode(of: user) == (try FriendCode(of: user)).description)
    }

    @Test func `an account is renamed, and its secret goes once it was shown`() async throws {
        let stage = try Stage()
        let account = OwnAccount(core: stage.core, loop: stage.loop, store: stage.loop.store, folder: stage.folder)
        #expect(try await account.rename(to: "Adele").name == "Adele")
        let key = try account.recoveryKey().key
        #expect(try account.confirmRecoveryKey(key).recoveryConfirmed)
        #expect(throws: NodeFailure.recoveryKeyNeeded) { try account.recoveryKey() }
    }

    @Test func `a game is defined for a group and chosen as a favourite`() async throws {
        let stage = try Stage()
        _ = try await stage.found("Red")
        let games = Games(core: stage.core, loop: stage.loop)
        let defined = try await games.define(GameForm(name: "Blocks", model: "highScore"), group: nil)
        #expect(defined.mine)
        #expect(try await games.setFavourite(defined.id, true).favourite)
        let favourites = try games.games(search: nil, category: nil, favouritesOnly: true, group: nil).games
        #expect(favourites.map(\.id).contains(defined.id))
    }

    @Test func `reminders have a time while they are on`() async throws {
        let stage = try Stage()
        let reminders = Reminders(core: stage.core, loop: stage.loop)
        #expect(reminders.next == nil)
        try await reminders.change(ReminderChange(on: true, time: "18:30", desktop: false))
        #expect(reminders.next != nil)
        #expect(reminders.report(drawn: false).time == "18:30")
        try await reminders.change(ReminderChange(on: false))
        #expect(reminders.next == nil)
    }

    @Test func `damage and refusals are counted, and damage is told when it is found later`() async throws {
        let stage = try Stage()
        let health = Health(
            core: stage.core, loop: stage.loop, internet: Internet(core: stage.core, loop: stage.loop),
            folder: stage.folder)
        var notices = stage.core.inbox.subscribe().makeAsyncIterator()
        health.damageFoundAtStart(setAside: 1, lostChanges: 0)
        health.reportDamage(setAside: 0)
        health.reportDamage(setAside: 2)
        #expect(await notices.next() == .notice(health.damage.sentences.joined(separator: " ")))
        for _ in 0..<3 { health.noteRefusal(of: .unknownKind(99)) }
        let status = health.status()
        #expect(status.damage?.setAside == 3)
        #expect(status.refused.map(\.count) == [3])
    }

    @Test func `a guest plays in a folder of its own, which goes with it`() async throws {
        let stage = try Stage()
        let guest = Guest(core: stage.core, loop: stage.loop, folder: stage.folder)
        #expect(try await guest.start(named: "Gus").active)
        #expect(guest.isPlaying)
        #expect(try await guest.status().name == "Gus")
        #expect(try await guest.stop(.discard).results == 0)
        #expect(!guest.isPlaying)
        #expect(try await guest.status().name == nil)
    }

    @Test func `a command that the store refuses fails, and nothing is left on what is not stored`() async throws {
        let stage = try Stage()
        let own = try #require(stage.core.privateGroup)
        try stage.loop.store.close()
        await #expect(throws: NodeFailure.self) {
            try await stage.loop.execute(.write([(own, [.score(Self.score(4))])]))
        }
        #expect(!stage.loop.isReliable)
    }
}
