import StreakWire

/// Limits how many messages without a valid tag a source may send: a bucket of `burst` tokens, `rate` more each
/// second, for every IPv4 address and every IPv6 /64 (whoever has one address of those has them all).
///
/// Remembers a bounded number of sources, in two generations: when the younger is full it becomes the older, and what
/// was the older is forgotten. A source that was forgotten starts with a full bucket.
struct TagLimiter: Sendable {
    private struct Bucket {
        var tokens: Double
        var filledAt: MonotonicInstant
    }

    private let rate: Double
    private let burst: Double
    private let generationSize: Int
    private var younger: [Bytes16: Bucket] = [:]
    private var older: [Bytes16: Bucket] = [:]

    init(rate: Int, burst: Int, maximumSources: Int) {
        self.rate = Double(rate)
        self.burst = Double(burst)
        generationSize = max(1, maximumSources / 2)
    }

    var sourceCount: Int { younger.count + older.count }

    /// Whether a message from there may still be examined. Costs the source nothing.
    func admits(_ source: Endpoint, at now: MonotonicInstant) -> Bool {
        let key = Self.key(of: source)
        guard let bucket = younger[key] ?? older[key] else { return true }
        return filled(bucket, at: now).tokens >= 1
    }

    /// Counts a message from there that had no valid tag.
    mutating func charge(_ source: Endpoint, at now: MonotonicInstant) {
        let key = Self.key(of: source)
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

    private static func key(of source: Endpoint) -> Bytes16 {
        source.ipv4 == nil ? Bytes16(source.address.w0, 0) : source.address
    }
}
