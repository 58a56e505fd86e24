import StreakCrypto
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire
import Testing

@testable import StreakGames
@testable import streakmesh_vectors

struct RecordConformanceTests {
    @Test func `records have the fields they say`() throws {
        for entry in try Vectors.read("records").list("valid") {
            let bytes = try entry.bytes("hex")
            let record = try Record(decoding: bytes)
            #expect(try Int(record.kind) == entry.number("kind"))
            #expect(try record.time.rawValue == entry.integer("time"))
            #expect(try record.time.milliseconds == entry.integer("milliseconds"))
            #expect(
                try record.time
                    == HybridTime(
                        milliseconds: entry.integer("milliseconds"), counter: UInt16(entry.number("counter"))))
            #expect(try record.subject == entry.bytes("subject"))
            #expect(try record.value == entry.bytes("value"))
            #expect(try record.tail == entry.bytes("tail"))
            #expect(try Blake2b.hash(bytes) == entry.bytes("hash"))
        }
    }

    @Test func `daily scores have the fields they say`() throws {
        let vectors = try Vectors.read("daily-scores")
        let time = HybridTime(rawValue: try vectors.integer("time"))
        for entry in vectors.list("valid") + vectors.list("accepted") {
            let subject = try entry.bytes("subject")
            let score = try DailyScore(subject: subject, value: entry.bytes("value"), time: time)
            #expect(try described(score) == entry["fields"], "\(entry.name)")
            #expect(score.recordSubject == subject)
        }
        for entry in vectors.list("valid") {
            let score = try DailyScore(subject: entry.bytes("subject"), value: entry.bytes("value"), time: time)
            #expect(try score.recordValue(at: time) == entry.bytes("value"))
        }
        for entry in vectors.list("invalid") {
            let subject = try entry.bytes("subject")
            let value = try entry.bytes("value")
            let expected = try entry.text("reason")
            do throws(WireError) {
                _ = try DailyScore(subject: subject, value: value, time: time)
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
    }

    private func described(_ score: DailyScore) -> Value {
        func number(_ value: Int?) -> Value { value.map { .number($0) } ?? .null }
        return .object([
            "game": .text(score.game.rawValue), "day": .text(score.day.description), "puzzle": number(score.puzzle),
            "isKeyedByPuzzle": .bool(score.isKeyedByPuzzle), "score": number(score.score),
            "maximum": number(score.maxAttempts), "isCompleted": .bool(score.isCompleted),
            "seconds": number(score.seconds), "hints": number(score.hints), "mistakes": number(score.mistakes),
            "isHardMode": .bool(score.isHardMode), "gameName": score.gameName.map { .text($0) } ?? .null,
            "firstRecordedAt": .text(String(score.firstRecordedAt)), "isEdited": .bool(score.isEdited),
        ])
    }

    @Test func `game definitions have the fields they say`() throws {
        let vectors = try Vectors.read("game-definitions")
        for entry in vectors.list("valid") + vectors.list("accepted") {
            let subject = try entry.bytes("subject")
            let game = try GameDefinition(subject: subject, value: entry.bytes("value"))
            #expect(try described(game) == entry["fields"], "\(entry.name)")
            #expect(GameDefinition.recordSubject(of: game.id) == subject)
            #expect(try entry.bytes("value").starts(with: game.recordValue), "\(entry.name)")
        }
        for entry in vectors.list("invalid") {
            let subject = try entry.bytes("subject")
            let value = try entry.bytes("value")
            let expected = try entry.text("reason")
            do throws(WireError) {
                _ = try GameDefinition(subject: subject, value: value)
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
        for entry in vectors.list("valid") {
            let subject = try entry.bytes("subject")
            let value = try entry.bytes("value")
            for bytes in HostileVectorTests.flips(of: value) + value.indices.map({ Array(value.prefix($0)) }) {
                // Refused, or a game whose value reads back as the same one.
                guard let game = try? GameDefinition(subject: subject, value: bytes) else { continue }
                #expect(try GameDefinition(subject: subject, value: game.recordValue) == game)
            }
        }
    }

    private func described(_ game: GameDefinition) -> Value {
        func number(_ value: Int?) -> Value { value.map { .number($0) } ?? .null }
        return .object([
            "game": .text(game.id.rawValue), "title": .text(game.name), "icon": .text(game.icon),
            "model": .text(game.model.rawValue), "cadence": .text("\(game.cadence)"),
            "aggregation": .text(game.aggregation.rawValue), "maximum": number(game.maximum),
            "best": number(game.best), "unit": game.unit.map { .text($0) } ?? .null,
            "pattern": game.pattern.map { .text($0.text) } ?? .null,
        ])
    }

    @Test func `whose definitions count, and which games are listed, is as they say`() throws {
        for entry in try Vectors.read("game-definitions").list("groups") {
            let admins = try entry.list("admins").map { value -> UserID in
                guard case .text(let digits) = value, let user = UserID([UInt8](hexadecimal: digits) ?? []) else {
                    throw VectorProblem(text: "no user")
                }
                return user
            }
            for records in [entry.list("records"), entry.list("records").reversed()] {
                var games = GroupGames(admins: Set(admins))
                for record in records {
                    let key = RecordKey(
                        user: try record.identifier("user"), kind: RecordKind.gameDefinition.rawValue,
                        subject: try record.bytes("subject"))
                    let time = HybridTime(rawValue: try #require(UInt64(try record.text("time"))))
                    games.apply(MergedRecord(key: key, value: try record.bytes("value"), time: time))
                }
                let found = games.definitions.map { ["game": $0.id.rawValue, "title": $0.name] }
                let expected = try entry.list("games").map {
                    ["game": try $0.text("game"), "title": try $0.text("title")]
                }
                #expect(found == expected, "\(entry.name)")
            }
        }
    }

    @Test func `texts fold, and patterns are written, as they say`() throws {
        let vectors = try Vectors.read("game-definitions")
        for entry in vectors.list("foldings") {
            var folded = String.UnicodeScalarView()
            folded.append(contentsOf: PastedText.folded(try entry.text("text")))
            #expect(Array(String(folded).utf8) == Array(try entry.text("folded").utf8))
        }
        for entry in vectors.list("patterns") {
            let model = try #require(ScoringModel(rawValue: try entry.text("model")))
            let game = try? GameDefinition(  // without one, the pattern is invalid
                id: GameID(literal: "custom-quiz"), name: "Quiz", icon: "?", model: model,
                pattern: try entry.text("text"))
            let written = game.map { Value.text($0.pattern?.text ?? "") } ?? .null
            let text = try entry.text("text")
            #expect(try written == entry["written"], "\(text)")
        }
    }

    @Test func `chains, signed bytes and signatures`() throws {
        for entry in try Vectors.read("feeds").list("chains") {
            let group: GroupID = try entry.identifier("group")
            let feed = FeedID(device: try entry.identifier("device"), epoch: try entry.epoch("epoch"))
            var hash = FeedChain.origin(of: feed, in: group)
            #expect(try hash == entry.identifier("origin"))
            let hashes = entry.list("hashes")
            for (index, record) in entry.list("records").enumerated() {
                guard case .text(let digits) = record, let bytes = [UInt8](hexadecimal: digits) else {
                    throw VectorProblem(text: "a record that is not hexadecimal")
                }
                hash = FeedChain.hash(after: hash, record: bytes[...])
                #expect(hashes[index] == .text(hash.description))
            }
            let tip = Tip(number: UInt64(hashes.count), hash: hash)
            let signed = FeedChain.signedBytes(group: group, feed: feed, tip: tip)
            #expect(try signed == entry.bytes("signedBytes"))
            let key = try SigningPublicKey(rawBytes: feed.device.bytes.array)
            #expect(key.isValid(try Signature(rawBytes: entry.bytes("signature")), for: signed))
        }
    }

    private func records(_ entry: Value) throws -> RecordList {
        let records = try entry.list("records").map { value in
            guard case .text(let digits) = value, let bytes = [UInt8](hexadecimal: digits) else {
                throw VectorProblem(text: "a record that is not hexadecimal")
            }
            return bytes
        }
        return RecordList(records)
    }

    @Test func `runs hold the records they say, signed`() throws {
        for entry in try Vectors.read("runs").list("valid") {
            var reader = WireReader(try entry.bytes("hex"))
            let run = try Run(from: &reader)
            let expected = try records(entry)
            #expect(try run.records() == expected, "\(entry.name)")
            let end = FeedChain.hash(after: run.before, records: expected)
            let signed = FeedChain.signedBytes(
                group: try entry.identifier("group"), feed: run.feed, tip: Tip(number: run.last, hash: end))
            let key = try SigningPublicKey(rawBytes: run.feed.device.bytes.array)
            #expect(key.isValid(run.signature, for: signed), "\(entry.name)")
        }
    }

    /// A run of a vector's packed records; the author does not matter.
    private func run(_ entry: Value) throws -> Run {
        let feed = FeedID(device: DeviceID(bytes: .zero), epoch: Cast.epoch)
        return Run(
            feed: feed, first: 1, before: FeedChain.origin(of: feed, in: Cast.group),
            signature: try Signature(rawBytes: [UInt8](repeating: 0, count: 64)), packed: try entry.bytes("packed"),
            count: try entry.number("count"))
    }

    @Test func `records unpack, or are refused with exactly their reason`() throws {
        let vectors = try Vectors.read("runs")
        #expect(!vectors.list("unpacked").isEmpty && !vectors.list("invalidPacked").isEmpty)
        for entry in vectors.list("unpacked") {
            #expect(try run(entry).records() == records(entry), "\(entry.name)")
        }
        for entry in vectors.list("invalidPacked") {
            let run = try run(entry)
            let expected = try entry.text("reason")
            do throws(WireError) {
                _ = try run.records()
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
    }

    @Test func `what a copy of a feed takes in, and what it refuses`() throws {
        for entry in try Vectors.read("feeds").list("receptions") {
            let group: GroupID = try entry.identifier("group")
            var feeds = GroupFeeds(group: group)
            var arrival: UInt64 = 0
            for step in entry.list("steps") {
                var reader = WireReader(try step.bytes("run"))
                let run = try Run(from: &reader)
                arrival += 1
                let outcome: String
                let before = feeds.tips
                do throws(ReplicationError) {
                    outcome = "new: \(try feeds.receive(run, arrival: arrival).records.count)"
                } catch {
                    outcome = error.reason
                    #expect(feeds.tips == before)
                }
                #expect(try outcome == step.text("outcome"), "\(entry.name)")
            }
            let tips = feeds.tips.map { tip -> Value in
                .object(["number": .number(Int(tip.tip.number)), "hash": .text(tip.tip.hash.description)])
            }
            #expect(tips == entry.list("tips"), "\(entry.name)")
        }
    }

    @Test func `digests`() throws {
        for entry in try Vectors.read("digests").list("sets") {
            let ledger = try entry.list("ledger").map {
                (
                    device: try $0.identifier("device", DeviceID.self),
                    operation: try $0.identifier("operation", OperationID.self)
                )
            }
            let tips = try entry.list("tips").map { tip in
                FeedTip(
                    feed: FeedID(device: try tip.identifier("device"), epoch: try tip.epoch("epoch")),
                    tip: Tip(number: UInt64(try tip.number("number")), hash: try tip.identifier("hash")))
            }
            for (ledger, tips) in [(ledger, tips), (ledger.reversed(), tips.reversed())] {
                let digest = GroupFeeds.digest(group: try entry.identifier("group"), ledger: ledger, tips: tips)
                #expect(try digest.description == entry.text("digest"), "\(entry.name)")
            }
        }
    }

    @Test func `merges, in every order`() throws {
        for entry in try Vectors.read("merges").list("sets") {
            let wall: Int64 = try entry.integer("wallMilliseconds")
            for order in orders(entry.list("records")) {
                var map = MergedRecords()
                var clock = HybridClock()
                for item in order + order {
                    _ = map.merge(
                        CollectionOfOne(try item.bytes("record")[...]), user: try item.identifier("user"),
                        device: try item.identifier("device"), wallMilliseconds: wall, clock: &clock)
                }
                let winners = try entry.list("winners").map { winner -> Record in
                    guard case .text(let digits) = winner, let bytes = [UInt8](hexadecimal: digits) else {
                        throw VectorProblem(text: "a winner that is not hexadecimal")
                    }
                    return try Record(decoding: bytes)
                }
                let found = map.all
                #expect(found.count == winners.count)
                for winner in winners {
                    #expect(found.contains { $0.value == winner.value && $0.time == winner.time }, "\(entry.name)")
                }
                #expect(try map.quarantinedCount == entry.number("waiting"), "\(entry.name)")
            }
        }
    }

    /// Every order of a few items; of many, each rotation in both directions.
    private func orders(_ items: [Value]) -> [[Value]] {
        guard items.count > 6 else { return permutations(items) }
        return items.indices.flatMap { index -> [[Value]] in
            let rotated = Array(items[index...] + items[..<index])
            return [rotated, rotated.reversed()]
        }
    }

    private func permutations(_ items: [Value]) -> [[Value]] {
        guard items.count > 1 else { return [items] }
        return items.indices.flatMap { index in
            var rest = items
            let first = rest.remove(at: index)
            return permutations(rest).map { [first] + $0 }
        }
    }

    @Test func `retractions and what they leave`() throws {
        let vectors = try Vectors.read("retractions")
        for entry in vectors.list("valid") + vectors.list("accepted") {
            let read = try Retraction(subject: entry.bytes("subject"), value: entry.bytes("value"))
            let feed = FeedID(device: try entry.identifier("device"), epoch: try entry.epoch("epoch"))
            #expect(
                read
                    == Retraction(
                        feed: feed, numbers: UInt64(try entry.number("first"))...UInt64(try entry.number("last"))))
            #expect(
                try entry.bytes("value").starts(with: read.recordValue) && read.recordSubject == entry.bytes("subject"))
        }
        for entry in vectors.list("invalid") {
            let (subject, value) = (try entry.bytes("subject"), try entry.bytes("value"))
            let expected = try entry.text("reason")
            do throws(WireError) {
                _ = try Retraction(subject: subject, value: value)
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
        for entry in vectors.list("sets") { try checkRetractions(entry) }
    }

    private func checkRetractions(_ entry: Value) throws {
        let wall: Int64 = try entry.integer("wallMilliseconds")
        var owners: [DeviceID: UserID] = [:]
        for owner in entry.list("devices") { owners[try owner.identifier("device")] = try owner.identifier("user") }
        var voids = Voids()
        var map = MergedRecords()
        // Twice: the first time, the void records are not known yet.
        for _ in 0..<2 {
            map = MergedRecords()
            var clock = HybridClock()
            for feed in entry.list("feeds") {
                let id = FeedID(device: try feed.identifier("device"), epoch: try feed.epoch("epoch"))
                let records = feed.list("records").compactMap { value -> ArraySlice<UInt8>? in
                    if case .text(let hex) = value { [UInt8](hexadecimal: hex)?[...] } else { nil }
                }
                let user = try #require(owners[id.device])
                let counting = voids.counting(records, from: 1, of: id) ?? records
                map.restore(counting, user: user, device: id.device, wallMilliseconds: wall, clock: &clock)
            }
            voids = Voids(map.all(of: .retraction)) { owners[$0] }
        }
        let winners = map.all.map { record in
            record.key.user.description + record.key.subject.hexadecimal + record.value.hexadecimal
        }
        let expected = try entry.list("winners").map { winner in
            let record = try Record(decoding: winner.bytes("record"))
            return try winner.text("user") + record.subject.hexadecimal + record.value.hexadecimal
        }
        #expect(winners.sorted() == expected.sorted(), "\(entry.name)")
    }

    @Test func `the clock of a feed`() throws {
        var clock = HybridClock()
        for step in try Vectors.read("clocks").list("steps") {
            let wall: Int64 = try step.integer("wallMilliseconds")
            let time = HybridTime(rawValue: try step.integer("time"))
            if try step.text("step") == "next" {
                #expect(clock.next(wallMilliseconds: wall) == time)
            } else {
                clock.witness(time, wallMilliseconds: wall)
            }
            #expect(try clock.latest.rawValue == step.integer("latest"))
        }
    }
}
