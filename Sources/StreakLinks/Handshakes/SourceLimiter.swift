public import StreakWire

/// Limits the work that one source can cause, with a `TokenBucket` for every `Endpoint.network`. An IPv6 /64 counts as
/// one source, because its owner has all addresses in it.
///
/// It remembers a bounded number of sources in two generations. When the younger is full it becomes the older, and the
/// former older one is dropped. A dropped source starts with a full bucket.
package struct SourceLimiter: Sendable {
    private let limit: TokenBucket.Limit
    private let generationSize: Int
    private var younger: [Bytes16: TokenBucket] = [:]
    private var older: [Bytes16: TokenBucket] = [:]

    package init(_ limit: TokenBucket.Limit, maximumSources: Int) {
        self.limit = limit
        generationSize = max(1, maximumSources / 2)
    }

    package var sourceCount: Int { younger.count + older.count }

    /// Whether the source has a token left. Takes none.
    package func admits(_ source: Endpoint, at now: MonotonicInstant) -> Bool {
        (younger[source.network] ?? older[source.network])?.admits(at: now) ?? true
    }

    /// Takes tokens from the source, if it has one. Those that were not there have to come back first.
    package mutating func take(_ source: Endpoint, _ count: Int = 1, at now: MonotonicInstant) -> Bool {
        guard admits(source, at: now) else { return false }
        update(source) { $0.overdraw(count, at: now) }
        return true
    }

    /// Takes a token from the source, whether it has one or not.
    package mutating func charge(_ source: Endpoint, at now: MonotonicInstant) { update(source) { $0.charge(at: now) } }

    private mutating func update(_ source: Endpoint, _ change: (inout TokenBucket) -> Void) {
        let key = source.network
        var bucket = younger[key] ?? older[key] ?? TokenBucket(limit)
        change(&bucket)
        if younger[key] == nil {
            older[key] = nil
            if younger.count >= generationSize {
                older = younger
                younger = [:]
            }
        }
        younger[key] = bucket
    }
}

extension Endpoint {
    /// What counts as one source: an IPv4 or link-local address, else an IPv6 /64. Link-local addresses count one by
    /// one, because all machines of a network share their /64.
    public var network: Bytes16 { ipv4 == nil && !isLinkLocal ? Bytes16(address.w0, 0) : address }
}
