import CSodium

/// The one-time start of libsodium.
enum Sodium {
    /// Starts libsodium on first use, choosing the fastest implementations for this processor.
    ///
    /// Thread-safe and cheap when already started. libsodium fails here only when the system offers no randomness at
    /// all, and then nothing this module does could be trusted: the process stops.
    static func start() {
        precondition(isStarted, "libsodium could not start: the system offers no source of randomness")
    }

    private static let isStarted: Bool = sodium_init() >= 0
}
