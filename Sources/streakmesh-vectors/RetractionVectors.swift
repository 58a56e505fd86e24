import StreakCrypto
import StreakReplication
import StreakWire

extension VectorFile {
    /// Retractions of records that a wrong clock dated, and what remains.
    static func retractions() throws -> VectorFile {
        let (ada, ben) = (try Person("ada"), try Person("ben"))
        let feed = FeedID(device: ada.device, epoch: Cast.epoch)
        let whole = Retraction(feed: feed, numbers: 1...ProtocolLimits.maximumFeedLength)
        let one = Retraction(feed: feed, numbers: 7...7)
        func read(_ name: String, _ retraction: Retraction, tail: [UInt8] = []) -> JSON {
            [
                "name": .text(name), "subject": .hex(retraction.recordSubject),
                "value": .hex(retraction.recordValue + tail), "device": .text(feed.device.description),
                "epoch": epoch(feed.epoch), "first": .number(Int(retraction.numbers.lowerBound)),
                "last": .number(Int(retraction.numbers.upperBound)),
            ]
        }
        func entry(_ name: String, _ subject: [UInt8], _ value: [UInt8], _ reason: String) -> JSON {
            ["name": .text(name), "subject": .hex(subject), "value": .hex(value), "reason": .text(reason)]
        }
        let (subject, value) = (one.recordSubject, one.recordValue)
        return VectorFile(
            name: "retractions",
            content: [
                "spec": "records.md §3.5, §8",
                "valid": [read("one record", one), read("a whole feed", whole)],
                "accepted": [read("with a tail, ignored", one, tail: [1, 2, 3])],
                "invalid": [
                    entry("no feed", [], value, "truncated"),
                    entry("a feed and a byte", subject + [0], value, "trailing-bytes"),
                    entry("withdrawn", subject, [], "truncated"),
                    entry("no last number", subject, [7], "truncated"),
                    entry("from 0", subject, [0, 7], "invalid-value: numbers"),
                    entry("backwards", subject, [8, 7], "invalid-value: numbers"),
                    entry("beyond what a feed has", subject, [7, 0x81, 0x80, 0x40], "limit-exceeded"),
                ],
                "sets": .list(try retractionSets(ada, ben)),
            ])
    }

    private static func retractionSets(_ ada: Person, _ ben: Person) throws -> [JSON] {
        func said(_ name: String, at number: Int, of subject: [UInt8] = []) -> [UInt8] {
            let time = HybridTime(milliseconds: Cast.now * 1_000 + Int64(number), counter: 0)
            return Record(
                kind: .profile, time: time, subject: subject, value: Profile(name: name).recordValue
            ).encoded
        }
        func retract(_ feed: FeedID, _ numbers: ClosedRange<UInt64>, at number: Int, withdrawn: Bool = false) -> [UInt8]
        {
            let retraction = Retraction(feed: feed, numbers: numbers)
            return Record(
                kind: .retraction,
                time: HybridTime(milliseconds: Cast.now * 1_000 + Int64(number), counter: 0),
                subject: retraction.recordSubject, value: withdrawn ? [] : retraction.recordValue
            ).encoded
        }
        let old = FeedID(device: ada.device, epoch: Epoch(counter: 1, nonce: 1))
        let new = FeedID(device: ada.device, epoch: Epoch(counter: 2, nonce: 2))
        let benFeed = FeedID(device: ben.device, epoch: Epoch(counter: 1, nonce: 3))
        // Dated so far ahead that it would win.
        let wrong = [said("old", at: 1, of: [2]), said("ahead", at: 500), said("ahead too", at: 501, of: [1])]
        let kept = retract(old, 1...1, at: 502)
        let again = [retract(old, 2...3, at: 2), said("anew", at: 3)]
        let early = retract(old, 2...3, at: 2)
        let bens = retract(FeedID(device: ada.device, epoch: old.epoch), 1...3, at: 2)
        let withdrawn = retract(old, 1...1, at: 4, withdrawn: true)
        typealias Said = [(Person, [UInt8])]
        let sets: [(name: String, feeds: [(FeedID, [[UInt8]])], winners: Said, void: [[UInt8]])] = [
            (
                "void records count for nothing", [(old, wrong), (new, again)],
                [(ada, wrong[0]), (ada, again[0]), (ada, again[1])], Array(wrong[1...])
            ),
            (
                "a retraction is never void", [(old, wrong + [kept]), (new, [retract(old, 2...4, at: 2)])],
                [(ada, kept), (ada, wrong[1]), (ada, wrong[2])], [wrong[0]]
            ),
            (
                "of two on one feed the later stands", [(old, wrong), (new, [early, retract(old, 3...3, at: 3)])],
                [(ada, retract(old, 3...3, at: 3)), (ada, wrong[0]), (ada, wrong[1])], [wrong[2]]
            ),
            (
                "one that is withdrawn voids nothing", [(old, wrong), (new, [withdrawn])],
                [(ada, withdrawn), (ada, wrong[0]), (ada, wrong[1]), (ada, wrong[2])], []
            ),
            (
                "nobody retracts another user's", [(old, wrong), (benFeed, [bens])],
                [(ben, bens), (ada, wrong[0]), (ada, wrong[1]), (ada, wrong[2])], []
            ),
        ]
        return sets.map { name, feeds, winners, void in
            [
                "name": .text(name), "wallMilliseconds": .text(String(Cast.now * 1_000)),
                "devices": .list(
                    [ada, ben].filter { one in feeds.contains { $0.0.device == one.device } }.map {
                        ["device": .text($0.device.description), "user": .text($0.user.description)]
                    }),
                "feeds": .list(
                    feeds.map { feed, records in
                        [
                            "device": .text(feed.device.description), "epoch": epoch(feed.epoch),
                            "records": .list(records.map { .hex($0) }),
                        ]
                    }),
                "winners": .list(
                    winners.map { ["user": .text($0.0.user.description), "record": .hex($0.1)] }),
                "void": .list(void.map { .hex($0) }),
            ]
        }
    }
}
