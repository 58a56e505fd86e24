import StreakLinks

/// How many results could reach friends in time if every message took no time: as many as the same people and routers allow.
struct PossibleDelivery: Sendable {
    /// From whom a home's router lets datagrams in.
    enum Home: Sendable {
        /// From everybody, at an address that all know.
        case open
        /// From whom the home has sent something, at the same port for everybody.
        case steady
        /// The same, but each of them sees another port.
        case changing

        func reaches(_ other: Self) -> Bool {
            switch (self, other) {
            case (.open, _), (_, .open), (.steady, .steady): true
            case (.steady, .changing), (.changing, .steady), (.changing, .changing): false
            }
        }
    }

    private struct Result: Sendable {
        let author: Int
        let written: MonotonicInstant
        /// Since when each member has had it.
        var holders: [Int: MonotonicInstant]
    }

    private let homes: [Home]
    /// How long the DHT keeps a letter; nil without letters.
    private let letterLifetime: Duration?
    private var results: [Result] = []
    private var online: Set<Int> = []
    private var closed: [Int: MonotonicInstant] = [:]

    init(homes: [Home], letterLifetime: Duration?) { (self.homes, self.letterLifetime) = (homes, letterLifetime) }

    mutating func opened(_ member: Int, at now: MonotonicInstant) {
        online.insert(member)
        exchange(at: now)
    }

    mutating func closed(_ member: Int, at now: MonotonicInstant) {
        online.remove(member)
        closed[member] = now
    }

    mutating func wrote(_ member: Int, at now: MonotonicInstant) {
        results.append(Result(author: member, written: now, holders: [member: now]))
        exchange(at: now)
    }

    /// How long each result took to each member who could get it, but for the authors and those left out.
    func delays(leavingOut left: Set<Int>) -> [Duration] {
        results.flatMap { result in
            result.holders.filter { $0.key != result.author && !left.contains($0.key) }
                .map { result.written.duration(to: $0.value) }
        }
    }

    /// Those who are online give each other all they have. Letters bring what those have who were online lately.
    private mutating func exchange(at now: MonotonicInstant) {
        let parts = letterLifetime == nil ? parts : [online]
        let letters = letterLifetime.map { lifetime in
            Set(closed.filter { !online.contains($0.key) && $0.value.duration(to: now) <= lifetime }.keys)
        }
        for part in parts {
            let sources = part.union(letters ?? [])
            for place in results.indices where results[place].holders.contains(where: { sources.contains($0.key) }) {
                for member in part where results[place].holders[member] == nil {
                    results[place].holders[member] = now
                }
            }
        }
    }

    /// The members online, by who has a way to whom.
    private var parts: [Set<Int>] {
        var parts: [Set<Int>] = []
        for member in online {
            let joined = parts.filter { part in part.contains { homes[$0].reaches(homes[member]) } }
            parts.removeAll { joined.contains($0) }
            parts.append(joined.reduce([member]) { $0.union($1) })
        }
        return parts
    }
}
