import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the service manager the state of the node, as in sd_notify(3). Does nothing without a service manager.
struct ServiceNotifier: Sendable {
    private let socketPath: String?
    /// How often the manager has to hear from the node; nil if it does not watch.
    let watchdogInterval: Duration?

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        // Half of that leaves time for one late signal.
        watchdogInterval = socketPath != nil && isMeant && microseconds > 0 ? .microseconds(microseconds / 2) : nil
    }

    func ready() { send("READY=1") }
    func isAlive() { send("WATCHDOG=1") }
    func stopping() { send("STOPPING=1") }

    private func send(_ state: String) {
        guard let socketPath else { return }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        var path = Array(socketPath.utf8)
        // A name in the abstract namespace begins with a zero byte (unix(7)).
        if path[0] == UInt8(ascii: "@") { path[0] = 0 }
        guard path.count < MemoryLayout.size(ofValue: address.sun_path) else { return }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: path) }
        #if canImport(Darwin)
            let descriptor = socket(AF_UNIX, SOCK_DGRAM, 0)
        #else
            let descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #endif
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let length = socklen_t(MemoryLayout<sa_family_t>.size + path.count)
        let bytes = Array(state.utf8)
        // If the manager does not accept it, it counts the node as silent; nothing else can be done here.
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, 0, $0, length)
            }
        }
    }
}

/// Tells the service manager, as often as it asks for that, that the node answers: a node that hangs is started again.
struct Watchdog: Service {
    let notifier: ServiceNotifier
    /// Returns when the node's loop has turned.
    let answers: @Sendable () async -> Void

    func run() async throws {
        if let interval = notifier.watchdogInterval {
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    await answers()
                    notifier.isAlive()
                    // A watchdog measures time. When the node stops, so does this wait.
                    try? await Task.sleep(for: interval)
                }
            }
        } else {
            try await gracefulShutdown()
        }
        notifier.stopping()
    }
}
