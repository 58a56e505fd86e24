import StreakCrypto
import StreakGames
import StreakRandom
import StreakScores
import StreakWire
import Testing

@testable import StreakReplication

struct MergeLaws {
    struct Item: Hashable {
        let record: Record
        /// The record's bytes, possibly with a tail.
        var bytes: [UInt8] { record.encoded }
        let user: UserID
        let device: DeviceID
    }

    /// Few users, devices, subjects and times, so that records compete.
    private func items(_ numbers: inout SplitMix64, count: Int) -> [Item] {
        (0..<count).map { _ in
            let user = UInt64.random(in: 1...2, using: &numbers)
            let device = UInt64.random(in: 1...2, using: &numbers)
            let ahead = Int.random(in: 0...9, using: &numbers) == 0 ? HybridClock.maximumLead : 0
            let time = HybridTime(
                milliseconds: FeedScript.start + ahead + .random(in: 0...3, using: &numbers),
                counter: .random(in: 0...1, using: &numbers))
            let value = [UInt8](
                repeating: .random(in: 0...3, using: &numbers),
                count: [0, 0, 1, 8, 9, 15, 16, 40].randomElement(using: &numbers) ?? 0)
            let record = Record(
                kind: Int.random(in: 0...3, using: &numbers) == 0 ? .profile : .dailyScore, time: time,
                subject: subject(&numbers), value: value)
            return Item(
                record: tailed(record, &numbers), user: UserID(bytes: Bytes32(0, 0, 0, user)),
                device: DeviceID(bytes: Bytes32(0, 0, user, device)))
        }
    }

    /// A result's subject, or an invalid one: without a number, with a third axis, with a number that is too large or
    /// not in its shortest form.
    private func subject(_ numbers: inout SplitMix64) -> [UInt8] {
        let games = ["a", "b", ""]
        let game = Array((games.randomElement(using: &numbers) ?? "").utf8)
        switch Int.random(in: 0...9, using: &numbers) {
        case 0: return [.random(in: 0...2, using: &numbers)]
        case 1: return [2, 1] + game
        case 2: return [0, 0x81, 0] + game
        case 3: return [0, 0x81, 0x80, 0x80, 0x80, 0x80, 0x20] + game
        default: return [.random(in: 0...1, using: &numbers), .random(in: 0...2, using: &numbers)] + game
        }
    }

    private func tailed(_ record: Record, _ numbers: inout SplitMix64) -> Record {
        guard Int.random(in: 0...2, using: &numbers) == 0 else { return record }
        // It has a valid layout, so it decodes.
        return (try? Record(decoding: record.encoded + [.random(in: 0...3, using: &numbers)])) ?? record
    }

    private func merge(_ items: [Item], into map: inout MergedRecords, wall: Int64 = FeedScript.start) {
        for item in items {
            map.merge(item.bytes, user: item.user, device: item.device, wall: wall)
        }
    }

    /// The rule, implemented a second time.
    private func expected(_ items: [Item], wall: Int64) -> [RecordKey: [UInt8]] {
        var best: [RecordKey: Item] = [:]
        for item in items where item.record.time.milliseconds <= wall + HybridClock.maximumLead {
            let key = RecordKey(user: item.user, kind: item.record.kind, subject: item.record.subject)
            guard let current = best[key] else {
                best[key] = item
                continue
            }
            let mine = (item.record.time, item.device), theirs = (current.record.time, current.device)
            let isLater =
                mine == theirs
                ? Blake2b.hash(current.record.encoded).lexicographicallyPrecedes(Blake2b.hash(item.record.encoded))
                : mine > theirs
            if isLater { best[key] = item }
        }
        return best.mapValues(\.record.value)
    }

    private func check(_ map: MergedRecords, _ expected: [RecordKey: [UInt8]]) {
        #expect(map.all.map(\.key).sorted() == expected.keys.sorted())
        for record in map.all {
            #expect(record.value == expected[record.key])
            #expect(map.record(record.key) == record)
        }
        #expect(map.count == expected.values.count { !$0.isEmpty })
    }

    @Test(arguments: 1...4) func `results read in place are those of the merged records`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        var map = MergedRecords()
        for number in 0..<600 {
            let day = PuzzleDay(daysSinceEpoch: 20_000 + .random(in: 0...99, using: &numbers))
            let names = [nil, "A name that is longer than what stands inline", ""]
            let score = DailyScore(
                game: try #require(GameID(["wordle", "globle", "c-1"].randomElement(using: &numbers) ?? "")), day: day,
                puzzle: .random(in: 0...50, using: &numbers), isKeyedByPuzzle: Bool.random(using: &numbers),
                score: .random(in: 0...300, using: &numbers), seconds: Bool.random(using: &numbers) ? 59 : nil,
                gameName: names.randomElement(using: &numbers) ?? nil, firstRecordedAt: day.endEverywhere)
            let time = HybridTime(milliseconds: FeedScript.start - Int64(1_000 - number), counter: 0)
            let isWithdrawn = Int.random(in: 0...9, using: &numbers) == 0
            let record = Record(
                kind: .dailyScore, time: time, subject: score.recordSubject,
                value: isWithdrawn ? [] : score.recordValue(at: time))
            let user = UserID(bytes: Bytes32(0, 0, 0, .random(in: 1...2, using: &numbers)))
            map.merge(
                record.encoded, user: user, device: DeviceID(bytes: Bytes32(0, 0, 0, 9)), wall: FeedScript.start)
        }
        // Neither of these can be read as a result.
        for subject in [[0, 1] + Array("wordle".utf8), [1, 1] + Array("WORDLE".utf8)] as [[UInt8]] {
            let time = HybridTime(milliseconds: FeedScript.start, counter: 0)
            map.merge(
                Record(kind: .dailyScore, time: time, subject: subject, value: [0, 0, 0]).encoded,
                user: UserID(bytes: Bytes32(0, 0, 0, 1)), device: DeviceID(bytes: Bytes32(0, 0, 0, 9)),
                wall: FeedScript.start)
        }
        var found: [UserID: [DailyScore]] = [:]
        var latest: [UserID: HybridTime] = [:]
        map.forEach { results in
            results.forEach { found[results.user, default: []].append($0) }
            latest[results.user] = map.latest(of: results.user)
        } other: { record in
            Issue.record("\(record) is a result")
        }
        for (user, records) in Dictionary(grouping: map.all, by: \.key.user) {
            let scores = records.compactMap { record -> DailyScore? in
                // A withdrawal cannot be read, nor can those two.
                var score = try? DailyScore(subject: record.key.subject, value: record.value, time: record.time)
                score?.updatedAt = record.time.milliseconds / 1_000
                return score
            }
            #expect(!scores.isEmpty && found[user] == scores)
            #expect(latest[user] == records.map(\.time).max())
        }
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any order, any repetition and any grouping give one map`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let items = items(&numbers, count: 60)
        let expected = expected(items, wall: FeedScript.start)
        var ordered = MergedRecords()
        merge(items, into: &ordered)
        check(ordered, expected)
        for _ in 0..<4 {
            var other = MergedRecords()
            merge(items.shuffled(using: &numbers), into: &other)
            merge(Array(items.shuffled(using: &numbers).prefix(20)), into: &other)
            #expect(other.all == ordered.all)
            #expect(other.quarantinedCount == ordered.quarantinedCount)
            #expect(other.nextRelease == ordered.nextRelease)
        }
        // Two halves, in either order: (a ∪ b) = (b ∪ a).
        let cut = Int.random(in: 0...items.count, using: &numbers)
        var left = MergedRecords()
        merge(Array(items[..<cut]), into: &left)
        merge(Array(items[cut...]), into: &left)
        var right = MergedRecords()
        merge(Array(items[cut...]), into: &right)
        merge(Array(items[..<cut]), into: &right)
        #expect(left.all == right.all)
    }

    @Test(arguments: 0..<20 as Range<UInt64>)
    func `quarantined records count once their time has come, and not a millisecond before`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let items = items(&numbers, count: 80)
        var map = MergedRecords()
        merge(items, into: &map)
        for wall in FeedScript.start...(FeedScript.start + 4) {
            _ = map.release(wallMilliseconds: wall)
            check(map, expected(items, wall: wall))
            if let next = map.nextRelease { #expect(next > wall) }
        }
        #expect(map.quarantinedCount == 0)
        #expect(map.nextRelease == nil)
    }

    /// A node that holds few of the waiting records goes through those of their devices again, and ends in the same
    /// state as all others.
    @Test(arguments: 0..<40 as Range<UInt64>)
    func `a quarantine without room for all lets every record count in its time`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        let items = items(&numbers, count: 300)
        let capacity = Int.random(in: 1...5, using: &numbers)
        func map(_ wall: Int64) -> MergedRecords {
            var map = MergedRecords(quarantineCapacity: capacity)
            merge(items.shuffled(using: &numbers), into: &map, wall: wall)
            return map
        }
        var small = map(FeedScript.start)
        #expect(small.quarantinedCount <= 2 * capacity)
        var roomy = MergedRecords()
        merge(items, into: &roomy)
        #expect([small.nextRelease, small.firstOmitted].compactMap(\.self).min() == roomy.nextRelease)
        for wall in FeedScript.start...(FeedScript.start + 4) {
            _ = small.release(wallMilliseconds: wall)
            if let first = small.firstOmitted, first <= wall {
                let devices = small.takeOmissions()
                merge(items.filter { devices.contains($0.device) }.shuffled(using: &numbers), into: &small, wall: wall)
            }
            check(small, expected(items, wall: wall))
            _ = roomy.release(wallMilliseconds: wall)
            #expect([small.nextRelease, small.firstOmitted].compactMap(\.self).min() == roomy.nextRelease)
        }
    }

    @Test func `a hundred thousand records dated ahead are held by the thousand`() {
        var map = MergedRecords()
        var clock = HybridClock()
        let records = (0..<100_000).map { number in
            let time = HybridTime(milliseconds: Int64(number) * 7_919 % 100_000 + 1 << 40, counter: 0)
            return Record(kind: .profile, time: time, subject: [], value: [1]).encoded[...]
        }
        let user = UserID(bytes: .zero), device = DeviceID(bytes: .zero)
        map.restore(records, user: user, device: device, wallMilliseconds: 0, clock: &clock)
        #expect(map.quarantinedCount <= 2 * Quarantine.defaultCapacity)
        #expect(map.nextRelease == 1 << 40 - HybridClock.maximumLead)
    }

    /// Counts its comparisons.
    private struct Counted: Comparable {
        nonisolated(unsafe) static var comparisons = 0
        var number: UInt64
        static func < (left: Counted, right: Counted) -> Bool {
            unsafe comparisons += 1
            return left.number < right.number
        }
    }

    @Test func `a heap gives the least in order, and compares a few of many`() throws {
        var numbers = SplitMix64(seed: 1)
        var heap = MinimumHeap<Counted>()
        let all = (0..<4_096).map { _ in numbers.next() % 1_000 }
        for number in all { heap.insert(Counted(number: number)) }
        var taken: [UInt64] = []
        while let first = heap.popFirst() { taken.append(first.number) }
        #expect(taken == all.sorted())
        // Twelve levels, two comparisons each on the way down, one on the way up.
        #expect(unsafe Counted.comparisons <= 4_096 * 36)
    }

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a map never goes back`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var map = MergedRecords()
        var times: [RecordKey: HybridTime] = [:]
        for item in items(&numbers, count: 200) {
            merge([item], into: &map)
            for record in map.all {
                #expect(times[record.key].map { $0 <= record.time } ?? true)
                times[record.key] = record.time
            }
        }
    }

    @Test func `a record of the furthest future traps nowhere`() {
        var map = MergedRecords()
        let record = Record(kind: .profile, time: HybridTime(rawValue: .max), subject: [], value: [1])
        let user = UserID(bytes: .zero), device = DeviceID(bytes: .zero)
        for wall in [Int64.min, 0, .max] {
            map.merge(record.encoded, user: user, device: device, wall: wall)
            _ = map.release(wallMilliseconds: wall)
            var clock = HybridClock()
            clock.witness(record.time, wallMilliseconds: wall)
            _ = clock.next(wallMilliseconds: wall)
        }
        #expect(map.all.map(\.value) == [[1]])
    }
}

extension MergedRecords {
    @discardableResult
    fileprivate mutating func merge(_ bytes: [UInt8], user: UserID, device: DeviceID, wall: Int64) -> MergedRecord? {
        var clock = HybridClock()
        return merge(
            CollectionOfOne(bytes[...]), user: user, device: device, wallMilliseconds: wall, clock: &clock
        ).last
    }
}

struct ScoreSeriesLaws {
    /// Enough for several leaves.
    @Test(arguments: [[], [1], Array(1...2_000), Array((1...2_000).reversed())] as [[UInt64]])
    func `a history in any order stands in order`(numbers: [UInt64]) {
        var generator = SplitMix64(seed: 7)
        for shuffled in [numbers, numbers.shuffled(using: &generator)] {
            var map = MergedRecords()
            for number in shuffled {
                var writer = WireWriter()
                writer.write(UInt8(0))
                writer.writeVarint(number)
                writer.writeRaw([97])
                let record = Record(
                    kind: .dailyScore, time: HybridTime(rawValue: 1), subject: writer.bytes, value: [UInt8(number & 7)])
                map.merge(record.encoded, user: UserID(bytes: .zero), device: DeviceID(bytes: .zero), wall: 0)
            }
            #expect(map.count == numbers.count)
            let read = map.all.compactMap { record -> UInt64? in
                var reader = WireReader(Array(record.key.subject.dropFirst()))
                let number = try? reader.readVarint()  // nil fails below
                #expect(record.value == [UInt8((number ?? 0) & 7)])
                return number
            }
            #expect(read == numbers.sorted())
        }
    }
}

/// High scores that contend: the best one wins until a record settles it (Protocol/records.md §8).
struct ContestLaws {
    private struct Item: Hashable {
        var record: Record
        var device: DeviceID
    }

    private static let user = UserID(bytes: Bytes32(0, 0, 0, 1))

    /// Results of one day and game, by two devices at few times, so that records compete.
    ///
    /// - Parameters:
    ///   - settlesEarly: whether only the earliest settle, so that many contend.
    ///   - isCrowded: whether all contend, and more than can take part.
    private static func items(
        _ numbers: inout SplitMix64, count: Int, settlesEarly: Bool = false, isCrowded: Bool = false
    ) -> [Item] {
        (0..<count).map { _ in
            let time = HybridTime(
                milliseconds: FeedScript.start + .random(in: 0...(isCrowded ? 9_999 : 30), using: &numbers), counter: 0)
            let isContender = settlesEarly && time.milliseconds > FeedScript.start + 3
            let kind = Int.random(in: isCrowded ? 2...7 : isContender ? 2...9 : 0...9, using: &numbers)
            let score =
                isCrowded ? Int.random(in: 0...99_999, using: &numbers) : worth(at: time, settlesEarly, &numbers)
            let result = DailyScore(
                game: GameID(literal: "custom-blocks"), day: PuzzleDay(daysSinceEpoch: 20_778),
                score: kind == 9 ? nil : score, isCompleted: kind != 8,
                firstRecordedAt: FeedScript.start / 1_000, isEdited: kind == 0, contends: kind > 1)
            let record = Record(
                kind: .dailyScore, time: time, subject: result.recordSubject,
                value: kind == 1 ? [] : result.recordValue(at: time))
            let device = UInt64.random(in: 1...2, using: &numbers)
            let tail: [UInt8] = Int.random(in: 0...3, using: &numbers) == 0 ? [1] : []
            // It has a valid layout, so it decodes.
            let tailed = (try? Record(decoding: record.encoded + tail)) ?? record
            return Item(record: tailed, device: DeviceID(bytes: Bytes32(0, 0, 1, device)))
        }
    }

    /// Scores that fall with time if many contend, so that it matters which are the latest.
    private static func worth(at time: HybridTime, _ falls: Bool, _ numbers: inout SplitMix64) -> Int {
        let worth = Int.random(in: 0...5, using: &numbers)
        return falls ? worth + Int(FeedScript.start + 30 - time.milliseconds) / 2 : worth
    }

    private static func merged(_ items: [Item]) -> MergedRecords {
        var map = MergedRecords()
        for item in items {
            _ = map.merge(item.record.encoded, user: user, device: item.device, wall: FeedScript.start)
        }
        return map
    }

    /// The rule, implemented a second time.
    private static func expected(_ items: [Item]) throws -> [UInt8]? {
        func score(_ item: Item) throws -> DailyScore? {
            guard !item.record.value.isEmpty else { return nil }
            return try DailyScore(
                subject: item.record.subject, value: item.record.value, time: item.record.time)
        }
        func worth(_ item: Item) throws -> Int {
            guard let score = try score(item) else { return -2 }
            return score.isCompleted ? (score.score ?? -1) + 1 : -1
        }
        let ranked = Set(items).sorted { left, right in
            let (mine, theirs) = ((left.record.time, left.device), (right.record.time, right.device))
            return mine == theirs
                ? Blake2b.hash(left.record.encoded).lexicographicallyPrecedes(Blake2b.hash(right.record.encoded))
                : mine < theirs
        }
        let settled = try ranked.lastIndex { try score($0)?.contends != true }
        let contenders = ranked[(settled.map { $0 + 1 } ?? 0)...].suffix(64)
        var best: Item?
        for item in (settled.map { [ranked[$0]] } ?? []) + contenders {
            if let known = best, try worth(item) < worth(known) { continue }
            best = item
        }
        return best?.record.value
    }

    @Test(arguments: 0..<60 as Range<UInt64>)
    func `any order, any repetition and any grouping of high scores give one value`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let items = Self.items(
            &numbers, count: seed < 50 ? .random(in: 1...12, using: &numbers) : 150,
            settlesEarly: 45..<55 ~= seed, isCrowded: seed >= 55)
        let expected = try Self.expected(items)
        for _ in 0..<6 {
            let order = items.shuffled(using: &numbers)
            #expect(Self.merged(order).all.map(\.value) == [expected].compactMap(\.self))
            #expect(Self.merged(order + order.reversed()).all == Self.merged(items).all)
        }
    }

    @Test func `a contest is open only while several records take part`() {
        func item(_ time: Int64, score: Int, contends: Bool) -> Item {
            let time = HybridTime(milliseconds: FeedScript.start + time, counter: 0)
            let result = DailyScore(
                game: GameID(literal: "custom-blocks"), day: PuzzleDay(daysSinceEpoch: 20_778), score: score,
                isCompleted: true, firstRecordedAt: FeedScript.start / 1_000, contends: contends)
            let record = Record(
                kind: .dailyScore, time: time, subject: result.recordSubject, value: result.recordValue(at: time))
            return Item(record: record, device: DeviceID(bytes: .zero))
        }
        let first = item(2, score: 5, contends: true)
        let later = item(3, score: 4, contends: true)
        let earlierEdit = item(1, score: 9, contends: false)
        let laterEdit = item(4, score: 1, contends: false)
        for (items, isOpen) in [
            ([first], false), ([first, first], false), ([first, later], true), ([earlierEdit], false),
            ([earlierEdit, first], true), ([first, earlierEdit], true), ([first, laterEdit], false),
            ([first, later, laterEdit], false), ([laterEdit, first, later], false),
        ] {
            #expect(Self.merged(items).contestCount == (isOpen ? 1 : 0), "\(items)")
        }
    }

    @Test func `what merging tells is what stands`() {
        var numbers = SplitMix64(seed: 7)
        var map = MergedRecords()
        var told: MergedRecord?
        for item in Self.items(&numbers, count: 400) {
            let change = map.merge(
                item.record.encoded, user: Self.user, device: item.device, wall: FeedScript.start)
            told = change ?? told
            #expect(map.all == [told].compactMap(\.self))
        }
    }
}

struct DigestLaws {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `packing, order and compaction are invisible to digests`(seed: UInt64) throws {
        var numbers = SplitMix64(seed: seed)
        let scripts = (1...4 as ClosedRange<UInt64>).map { device in
            var script = FeedScript(device: device)
            script.append("d\(device)-", count: Int.random(in: 1...120, using: &numbers))
            return script
        }
        var digests: Set<GroupDigest> = []
        for round in 0..<3 {
            var feeds = GroupFeeds(group: FeedScript.group)
            let order = scripts.shuffled(using: &numbers)
            var arrival: UInt64 = 0
            for script in order {
                for run in script.packing(&numbers, longest: round == 0 ? 1 : 30) {
                    arrival += 1
                    _ = try feeds.receive(run, arrival: arrival)
                }
                if round == 0 { while feeds.modify(script.id, { $0.compact() }) != nil {} }
            }
            let ledger = scripts.map {
                (device: $0.id.device, operation: OperationID(bytes: $0.id.device.bytes))
            }
            digests.insert(
                GroupFeeds.digest(
                    group: FeedScript.group, ledger: ledger.shuffled(using: &numbers),
                    tips: feeds.tips.shuffled(using: &numbers)))
        }
        #expect(digests.count == 1)
    }

    @Test func `whatever differs, the digest differs`() {
        var script = FeedScript()
        script.append("a", count: 3)
        let ledger = [(device: script.id.device, operation: OperationID(bytes: .zero))]
        let tip = FeedTip(feed: script.id, tip: script.tip)
        let earlier = FeedTip(feed: script.id, tip: script.tip(2))
        let digests = [
            GroupFeeds.digest(group: FeedScript.group, ledger: ledger, tips: [tip]),
            GroupFeeds.digest(group: FeedScript.otherGroup, ledger: ledger, tips: [tip]),
            GroupFeeds.digest(group: FeedScript.group, ledger: [], tips: [tip]),
            GroupFeeds.digest(group: FeedScript.group, ledger: ledger, tips: [earlier]),
            GroupFeeds.digest(group: FeedScript.group, ledger: ledger, tips: [tip, earlier]),
            GroupFeeds.digest(group: FeedScript.group, ledger: ledger, tips: []),
        ]
        #expect(Set(digests).count == digests.count)
    }
}

struct HybridClockLaws {
    @Test(arguments: 0..<30 as Range<UInt64>)
    func `readings rise strictly and follow no quarantined one`(seed: UInt64) {
        var numbers = SplitMix64(seed: seed)
        var clock = HybridClock()
        var wall = FeedScript.start
        var last = HybridTime.zero
        var highestWall = wall
        for _ in 0..<2_000 {
            wall += Int64.random(in: -2_000...2_500, using: &numbers)
            highestWall = max(highestWall, wall)
            if Bool.random(using: &numbers) {
                let seen = HybridTime(
                    milliseconds: wall + .random(in: -1_000...1_300_000, using: &numbers),
                    counter: .random(in: 0...3, using: &numbers))
                let before = clock.latest
                clock.witness(seen, wallMilliseconds: wall)
                if seen.milliseconds > wall + HybridClock.maximumLead { #expect(clock.latest == before) }
                #expect(clock.latest >= before)
            } else {
                let reading = clock.next(wallMilliseconds: wall)
                #expect(reading > last)
                last = reading
            }
            // Never further ahead of the best wall clock than the quarantine allows.
            #expect(clock.latest.milliseconds <= highestWall + HybridClock.maximumLead + 1)
        }
    }

    @Test func `a full counter goes over into the milliseconds`() {
        var clock = HybridClock(latest: HybridTime(milliseconds: 5, counter: .max))
        #expect(clock.next(wallMilliseconds: 0) == HybridTime(milliseconds: 6, counter: 0))
    }
}
