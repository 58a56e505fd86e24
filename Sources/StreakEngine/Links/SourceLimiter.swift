import StreakWire

/// Limits what one source may have this node do: a bucket of `burst` tokens, `rate` more each second, for every
/// `Endpoint.network` (whoever has one address of an IPv6 /64 has them all).
///
/// Remembers a bounded number of sources, in two generations: when the younger is full it becomes the older, and what
/// was the older is forgotten. A source that was forgotten starts with a full bucket.
struct SourceLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: MonotonicInstant
    }

    private let rate: Double
    private let burst: Double
    private let generationSize: Int
    private var younger: [Bytes16: Bucket] = [:]
    private var older: [Bytes16: Bucket] = [:]

    init(rate: Double, burst: Int, maximumSources: Int) {
        self.rate = rate
        self.burst = Double(burst)
        generationSize = max(1, maximumSources / 2)
    }

    var sourceCount: Int { younger.count + older.count }

    /// Whether the source has a token left. Costs it nothing.
    func admits(_ source: Endpoint, at now: MonotonicInstant) -> Bool {
        let key = source.network
        guard let bucket = younger[key] ?? older[key] else { return true }
        return filled(bucket, at: now).tokens >= 1
    }

    /// Takes a token from the source, if it has one.
    mutating func take(_ source: Endpoint, at now: MonotonicInstant) -> Bool {
        guard admits(source, at: now) else { return false }
        charge(source, at: now)
        return true
    }

    /// Takes a token from the source, whether it has one or not.
    mutating func charge(_ source: Endpoint, at now: MonotonicInstant) {
        let key = source.network
        var bucket = Bucket(tokens: burst, filledAt: now)
        if let known = younger[key] ?? older[key] { bucket = filled(known, at: now) }
        bucket.tokens = max(0, bucket.tokens - 1)
        if younger[key] == nil {
            older[key] = nil
            if younger.count >= generationSize {
                older = younger
                younger = [:]
            }
        }
        younger[key] = bucket
    }

    private func filled(_ bucket: Bucket, at now: MonotonicInstant) -> Bucket {
        let elapsed = Double(max(0, bucket.filledAt.duration(to: now).nanoseconds)) / 1e9
        return Bucket(tokens: min(burst, bucket.tokens + elapsed * rate), filledAt: now)
    }

}

extension Endpoint {
    /// What counts as one source: an IPv4 or link-local address, or else an IPv6 /64. All of a network share one of its
    /// link-local addresses' /64.
    var network: Bytes16 { ipv4 == nil && !isLinkLocal ? Bytes16(address.w0, 0) : address }
}
