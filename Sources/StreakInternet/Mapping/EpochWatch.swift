/// Notices that a router has lost its mappings, by the age that is in each of its answers (RFC 6887 §8.5).
struct EpochWatch: Sendable {
    private var last: (age: Int64, time: Duration)?

    /// Takes the age, in seconds, from an answer that came at `now`.
    ///
    /// - Returns: whether the router has restarted since the previous answer.
    mutating func hasRestarted(age: UInt32, at now: Duration) -> Bool {
        let age = Int64(age)
        defer { last = (age, now) }
        guard let last else { return false }
        // An age that is one second less comes from an answer that was overtaken on the way.
        guard age >= last.age - 1 else { return true }
        let (here, there) = ((now - last.time).components.seconds, age - last.age)
        return here + 2 < there - there / 16 || there + 2 < here - here / 16
    }
}
