import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// What one group of a user has to be told so that it knows what another one does.
extension GroupReplica {
    /// The records that say what stands at a subject: the latest one that settles it, and those that contend with it
    /// (Protocol/records.md §8).
    private struct Standing {
        var settled: Rank?
        var contenders: [Rank] = []

        /// A record's place in the order of last-writer-wins.
        struct Rank: Hashable, Comparable {
            let record: Record
            let device: DeviceID

            static func < (left: Rank, right: Rank) -> Bool {
                (left.record.time, left.device) < (right.record.time, right.device)
            }
        }

        mutating func take(_ rank: Rank, contends: Bool) {
            if contends {
                if settled.map({ $0 < rank }) ?? true { contenders.append(rank) }
            } else if settled.map({ $0 < rank }) ?? true {
                settled = rank
                contenders.removeAll { $0 < rank }
            }
        }
    }

    /// The records of `other`, a group of the same user alone, that say more than this one knows, oldest first. With their own
    /// times they come to the same here in whatever order devices copy them, and however often. O(n) records of both.
    ///
    /// What lies too far ahead comes along only if `own` wrote it: it can be retracted here by its author alone.
    ///
    /// - Parameter isIncluded: whether what a device of `other` wrote is copied.
    func unknownRecords(
        of other: GroupReplica, own: DeviceID, wall: WallTime, including isIncluded: (GroupState.Device) -> Bool
    ) -> [Record] {
        let known = standings(including: own, wall: .max) { _ in true }
        let limit = wall.milliseconds + HybridClock.maximumLead
        var unknown: [Record] = []
        let theirs = other.standings(including: own, wall: limit, of: isIncluded)
        for subject in theirs.keys.sorted() {
            guard let standing = theirs[subject] else { continue }
            let here = known[subject] ?? Standing()
            let contenders = Set(here.contenders.map(\.record))
            if let settled = standing.settled, here.settled.map({ $0.record.time < settled.record.time }) ?? true {
                unknown.append(settled.record)
            }
            unknown += standing.contenders.filter { contender in
                !contenders.contains(contender.record)
                    && here.settled.map { $0.record.time < contender.record.time } ?? true
            }.map(\.record)
        }
        return unknown.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
            .map(\.element)
    }

    /// What stands at every subject by what is here and counts, but for records of other devices later than `wall`, in
    /// milliseconds. Retractions are about this group's feeds and left out.
    private func standings(
        including own: DeviceID, wall limit: Int64, of isIncluded: (GroupState.Device) -> Bool
    ) -> [RecordKey: Standing] {
        var standings: [RecordKey: Standing] = [:]
        let state = state
        for feed in feeds.feeds {
            guard let device = state.device(feed.id.device), isIncluded(device),
                let (runs, last) = countingRuns(of: feed, in: state)
            else { continue }
            for stored in runs where stored.run.first <= last {
                guard let all = try? stored.run.records() else { break }  // what a store has spoilt ends its branch
                let records = all.prefix(Int(min(last - stored.run.first, UInt64(Run.maximumCount - 1))) + 1)
                let counting = voids.counting(records, from: stored.run.first, of: feed.id) ?? Array(records)
                for bytes in counting {
                    guard let record = try? Record(decoding: Array(bytes)),  // was checked on arrival
                        record.kind != RecordKind.retraction.rawValue,
                        record.time.milliseconds <= limit || feed.id.device == own
                    else { continue }
                    let key = RecordKey(user: device.user, kind: record.kind, subject: record.subject)
                    standings[key, default: Standing()].take(
                        Standing.Rank(record: record, device: device.device), contends: record.contends)
                }
            }
        }
        return standings
    }
}

extension Record {
    /// Whether it is a result that contends with others of its day.
    fileprivate var contends: Bool {
        guard kind == RecordKind.dailyScore.rawValue,
            // What does not read as a result settles.
            let score = try? DailyScore(subject: subject, value: value, time: time)
        else { return false }
        return score.contends
    }
}
