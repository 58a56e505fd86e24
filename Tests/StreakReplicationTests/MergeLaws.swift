import StreakCrypto
import StreakReplication
import StreakWire
import Testing

struct MergeLaws {
    struct Item: Hashable {
        let record: Record
        let user: UserID
        let device: DeviceID
    }

    /// Few users, devices, subjects and times, so that records meet.
    private func items(_ numbers: inout SeededNumbers, count: Int) -> [Item] {
        (0..<count).map { _ in
            let user = UInt64.random(in: 1...2, using: &numbers)
            let device = UInt64.random(in: 1...2, using: &numbers)
            let ahead = Int.random(in: 0...9, using: &numbers) == 0 ? HybridClock.maximumLead : 0
            let time = HybridTime(
                milliseconds: FeedScript.start + ahead + .random(in: 0...3, using: &numbers),
                counter: .random(in: 0...1, using: &numbers))
            let value: [UInt8] = Bool.random(using: &numbers) ? [] : [.random(in: 0...3, using: &numbers)]
            let record = Record(
                kind: Bool.random(using: &numbers) ? .dailyScore : .profile, time: time,
                subject: [.random(in: 0...1, using: &numbers)], value: value)
            return Item(
                record: record, user: UserID(bytes: Bytes32(0, 0, 0, user)),
                device: DeviceID(bytes: Bytes32(0, 0, user, device)))
        }
    }

    private func merge(_ items: [Item], into map: inout MergedRecords, wall: Int64 = FeedScript.start) {
        for item in items {
            _ = map.merge(
                item.record, bytes: item.record.encoded, user: item.user, device: item.device, wallMilliseconds: wall)
        }
    }

    /// What the rule says, written down once more.
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
        #expect(map.all.map(\.key) == expected.keys.sorted())
        for record in map.all { #expect(record.value == expected[record.key]) }
        #expect(map.count == expected.values.count { !$0.isEmpty })
    }

    @Test(arguments: 0..<40 as Range<UInt64>)
    func `any order, any repetition and any grouping give one map`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
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
        var numbers = SeededNumbers(seed: seed)
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

    @Test(arguments: 0..<10 as Range<UInt64>)
    func `a map never goes back`(seed: UInt64) {
        var numbers = SeededNumbers(seed: seed)
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
            _ = map.merge(record, bytes: record.encoded, user: user, device: device, wallMilliseconds: wall)
            _ = map.release(wallMilliseconds: wall)
            var clock = HybridClock()
            clock.witness(record.time, wallMilliseconds: wall)
            _ = clock.next(wallMilliseconds: wall)
        }
        #expect(map.all.map(\.value) == [[1]])
    }
}

struct DigestLaws {
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `packing, order and compaction are invisible to digests`(seed: UInt64) throws {
        var numbers = SeededNumbers(seed: seed)
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
                    tips: feeds.tips().shuffled(using: &numbers)))
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
        var numbers = SeededNumbers(seed: seed)
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
            // Never further ahead of the best wall clock than a quarantined reading would be.
            #expect(clock.latest.milliseconds <= highestWall + HybridClock.maximumLead + 1)
        }
    }

    @Test func `a full counter goes over into the milliseconds`() {
        var clock = HybridClock(latest: HybridTime(milliseconds: 5, counter: .max))
        #expect(clock.next(wallMilliseconds: 0) == HybridTime(milliseconds: 6, counter: 0))
    }
}
