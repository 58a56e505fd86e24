public import StreakWire

/// Limits what one source may have this node do: a `TokenBucket` for every `Endpoint.network` (whoever has one address of
/// an IPv6 /64 has them all).
///
/// Remembers a bounded number of sources, in two generations: when the younger is full it becomes the older, and what
/// was the older is forgotten. A source that was forgotten starts with a full bucket.
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

    /// Whether the source has a token left. Costs it nothing.
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
    /// What counts as one source: an IPv4 or link-local address, or else an IPv6 /64. All of a network share one of its
    /// link-local addresses' /64.
    public var network: Bytes16 { ipv4 == nil && !isLinkLocal ? Bytes16(address.w0, 0) : address }
}
