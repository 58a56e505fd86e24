import StreakReplication
import StreakWire

/// What a user has seen of the feed, in the private group's settings `looked/DEVICE`: a moment, u64 seconds, then the IDs
/// of entries after it, u64 each. So an entry that arrives late is still new.
///
/// Each machine writes its own, so nothing is lost when two were looked at without knowing of each other.
struct ActivityLook: Equatable, Sendable {
    /// As many as fit into a setting.
    static let maximumCount = 130

    /// Unix seconds: all entries until then are seen.
    private(set) var moment: Int64 = 0
    private(set) var ids: Set<UInt64> = []

    init() {}

    /// Nil for the value of a later version.
    init?(value: [UInt8]) {
        var reader = WireReader(value)
        // What does not read is of another version.
        guard value.count % 8 == 0, value.count <= 8 * (Self.maximumCount + 1), let first = try? reader.readUInt64()
        else { return nil }
        moment = Int64(clamping: first)
        while let id = try? reader.readUInt64() { ids.insert(id) }  // until the end
    }

    var value: [UInt8] {
        var writer = WireWriter(reserving: 8 * (ids.count + 1))
        writer.write(UInt64(clamping: moment))
        for id in ids.sorted() { writer.write(id) }
        return writer.bytes
    }

    /// What was seen on one machine or the other.
    func merged(with other: ActivityLook) -> ActivityLook {
        var look = self
        look.moment = max(moment, other.moment)
        look.ids.formUnion(other.ids)
        return look
    }

    func hasSeen(_ entry: ActivityEntry) -> Bool { entry.at <= moment || ids.contains(entry.id) }

    /// What this user did is no news to this user.
    func isNew(_ entry: ActivityEntry, to me: UserID) -> Bool { entry.user != me && !hasSeen(entry) }

    /// The same after some entries were looked at.
    ///
    /// - Parameter feed: all that there is now, newest first; what is no longer there is forgotten.
    func looking(at shown: Set<UInt64>, of feed: [ActivityEntry]) -> ActivityLook {
        var look = ActivityLook()
        look.moment = moment
        let seen = feed.filter { $0.at > moment && (ids.contains($0.id) || shown.contains($0.id)) }
        look.ids = Set(seen.prefix(Self.maximumCount).map(\.id))
        // Of too many, the oldest are covered by the moment.
        if let oldest = seen.dropFirst(Self.maximumCount).first { look.moment = oldest.at }
        return look
    }
}
