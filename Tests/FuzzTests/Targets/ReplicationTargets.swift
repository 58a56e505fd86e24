import StreakCrypto
import StreakGames
import StreakMembership
import StreakScores
import StreakWire

@testable import StreakReplication

extension FuzzTarget {
    /// Records, runs and feeds.
    static let replicationTargets: [FuzzTarget] = [
        FuzzTarget("record") { bytes in
            guard let record = accepted({ try Record(decoding: bytes) }) else { return }
            try demand(record.encoded == bytes, "a record is encoded as it came")
            try readValue(of: record)
        },
        FuzzTarget("run") { bytes in
            let run = accepted {
                var reader = WireReader(bytes)
                let run = try Run(from: &reader)
                try reader.finish()
                return run
            }
            guard let run else { return }
            var writer = WireWriter()
            run.encode(into: &writer)
            try demand(writer.bytes == bytes, "a run is encoded as it came")
            try check(packed: run.packed, count: run.count)
            var feeds = GroupFeeds(group: GroupID(bytes: .zero))
            _ = accepted { try feeds.receive(run, arrival: 1) }
        },
        // Two bytes of the number of records, then their packing.
        FuzzTarget("run-columns") { bytes in
            var source = ByteSource(bytes)
            let count = Int(source.short()) % (Run.maximumCount + 1)
            try check(packed: source.remainder(), count: count)
        },
        FuzzTarget("feed", feed),
        FuzzTarget("boards", boards),
    ]

    private static func check(packed: [UInt8], count: Int) throws {
        guard let records = accepted({ try RecordPacking.unpack(packed, count: count) }) else { return }
        let list = Array(records)
        try demand(list.count == count, "a run holds as many records as it says")
        let again = RecordPacking.pack(list)
        let reread = accepted { try RecordPacking.unpack(again, count: count) }
        try demand(reread.map(Array.init) == list, "records survive packing")
        for record in list { _ = accepted { try Record(decoding: Array(record)) } }
    }

    /// What a node makes of a record's value, whatever its kind says.
    static func readValue(of record: Record) throws {
        let (subject, value, time) = (record.subject, record.value, record.time)
        if let score = accepted({ try DailyScore(subject: subject, value: value, time: time) }) {
            let again = accepted { try DailyScore(subject: subject, value: score.recordValue(at: time), time: time) }
            try demand(again == score, "a result is what it was encoded from")
            try demand(score.recordSubject == subject, "a result names its subject")
        }
        for kind in RecordKind.allCases { if let type = valueType(of: kind) { try readValue(type, subject, value) } }
    }

    /// The type that reads a kind's values, of all but results; nil for what no program of this version reads.
    private static func valueType(of kind: RecordKind) -> (any RecordValue.Type)? {
        switch kind {
        case .profile: Profile.self
        case .gameDefinition: GameDefinition.self
        case .setting: Setting.self
        case .retraction: Retraction.self
        case .reaction: Reaction.self
        case .comment: ResultComment.self
        case .hiding: Hiding.self
        case .message: FriendMessage.self
        case .challenge: Challenge.self
        case .challengeAnswer: ChallengeAnswer.self
        case .event: EventChoice.self
        case .dailyScore, .address: nil
        }
    }

    private static func readValue<Value: RecordValue>(
        _: Value.Type, _ subject: [UInt8], _ value: [UInt8]
    ) throws {
        guard let read = accepted({ try Value(subject: subject, value: value) }) else { return }
        let again = accepted { try Value(subject: read.recordSubject, value: read.recordValue) }
        try demand(again == read, "a value of kind \(Value.kind) is what it was encoded from")
        try demand(read.recordSubject == subject, "a value of kind \(Value.kind) names its subject")
    }

    /// Runs of one device, honestly signed over whatever records, received in any order and by two others.
    @Sendable private static func feed(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        var entropy = SeededEntropy(seed: 3)
        let key = SigningSecretKey.generate(from: &entropy)
        let group = GroupID(bytes: .zero)
        let device = DeviceID(key.publicKey)
        var (first, second) = (GroupFeeds(group: group), GroupFeeds(group: group))
        var writers: [FeedReplica] = []
        var runs: [Run] = []
        while !source.isEmpty, runs.count < 16 {
            switch source.choice(of: 8) {
            case 0:
                let epoch = Epoch(counter: UInt32(source.byte()), nonce: UInt64(source.byte()))
                writers.append(FeedReplica(FeedID(device: device, epoch: epoch), in: group))
            case 1:
                // An old state of the store goes on: a fork.
                if let old = source.element(of: writers) { writers.append(old) }
            default:
                guard !writers.isEmpty else { continue }
                let index = source.choice(of: writers.count)
                let records = (0..<(1 + source.choice(of: 6))).map { _ in source.piece() }
                let run = writers[index].write(RecordList(records), key: key, arrival: 1).run
                runs.append(run)
                if source.flag() { _ = accepted { try first.receive(run, arrival: UInt64(runs.count)) } }
            }
        }
        for run in runs { _ = accepted { try first.receive(run, arrival: 100) } }
        // Backwards, until nothing is new.
        for _ in runs { for run in runs.reversed() { _ = accepted { try second.receive(run, arrival: 100) } } }
        try demand(first.tips.map(\.tip) == second.tips.map(\.tip), "feeds do not depend on the order of arrival")
        var restored = GroupFeeds(group: group)
        for feed in first.feeds {
            for run in feed.storedRuns { try demand(restored.restore(run), "what was stored fits") }
        }
        try demand(restored.tips.map(\.tip) == first.tips.map(\.tip), "a feed is what was stored of it")
    }

    /// Results as others may send them, on every board and in every number about them.
    @Sendable private static func boards(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        var index = ScoreIndex()
        let players = (0..<3).map { Player(id: PlayerID([UInt8($0)]), name: "\($0)") }
        let games = Catalogue.standard.games
        var chosen: Set<GameID> = []
        while !source.isEmpty {
            guard let game = source.element(of: games), let player = source.element(of: players) else { return }
            let day = source.element(of: [20_000_101, 20_260_101, 20_260_102, 20_260_103, 99_991_231]) ?? 20_260_101
            var subject = WireWriter()
            let isNumbered = source.flag()
            subject.write(UInt8(isNumbered ? 1 : 0))
            subject.writeVarint(isNumbered ? source.number() >> 32 : UInt64(day))
            subject.writeRaw(Array(game.id.rawValue.utf8))
            let time = HybridTime(rawValue: source.number())
            let score = accepted { try DailyScore(subject: subject.bytes, value: source.piece(), time: time) }
            guard let score else { continue }
            index.replace(score, of: player.id)
            chosen.insert(game.id)
        }
        for day in [20_260_102, 99_991_231].compactMap(PuzzleDay.init(yyyymmdd:)) {
            try look(at: index, on: day, players: players, games: chosen.sorted().prefix(4))
        }
    }

    private static func look(
        at index: ScoreIndex, on day: PuzzleDay, players: [Player], games: ArraySlice<GameID>
    ) throws {
        func game(_ id: GameID) -> Game? { Catalogue.standard[id] }
        for range in [BoardRange.day, .week, .rolling(365), .year, .all] {
            let span = range.span(around: day, today: day)
            for id in [nil] + games.map(Optional.some) {
                for metric in BoardMetric.allCases {
                    let query = BoardQuery(
                        from: span.from, to: span.to, game: id, metric: metric, viewer: players[0].id, today: day)
                    let board = index.board(query, players: players, games: game)
                    try demand(board.rows.count <= players.count, "a board has no more rows than players")
                }
            }
            for player in players {
                let insights = PlayerInsights(of: player.id, in: index, games: game)
                _ = insights.overview(of: span)
                _ = insights.achievements(on: day)
                _ = insights.streaks(on: day)
                _ = insights.weeklyRecap(on: day)
                for id in games { _ = game(id).map { insights.deepDive(into: $0, over: span) } }
            }
        }
    }
}
