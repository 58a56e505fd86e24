import StreakInternet

/// Why the helper did not do something. Nothing has changed, except where a request was under way when the helper ended.
enum HelperFailure: Error, Hashable {
    /// There is no such program on this machine.
    case missing
    /// It failed lately, and is not started before some time has passed.
    case resting
    /// It could not be started, or ended while something was asked of it.
    case ended
    /// It had not answered when its time was up, and was killed.
    case silent
    /// What it said cannot be read, or answers nothing that was asked; it was killed.
    case nonsense
    /// More is under way than is allowed.
    case busy
    /// No node of the DHT answered.
    case unreachable
    /// The DHT was asked as often in this hour as a good guest asks, or a session lasted as long as it may.
    case enough
    /// The helper lives, and says why.
    case refused(HelperRefusal)
    /// This node stops.
    case stopping
}

/// How the helper is, as reports say it.
enum HelperState: String {
    case running, idle, missing, failing
}
