import ServiceLifecycle

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Tells the service manager how the node is, as sd_notify(3) describes. Does nothing where nobody wants to know.
struct ServiceNotifier: Sendable {
    private let socketPath: String?
    /// How often the manager has to hear that the node is alive; nil where it does not watch.
    let watchdogInterval: Duration?

    init(environment: [String: String]) {
        socketPath = environment["NOTIFY_SOCKET"].flatMap { $0.hasPrefix("/") || $0.hasPrefix("@") ? $0 : nil }
        let isMeant = environment["WATCHDOG_PID"].map { $0 == String(getpid()) } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap(Int64.init) ?? 0
        // Half of it leaves time for one signal that comes late.
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
        // A manager that does not take it counts the node as silent; nothing else can be done about that here.
        _ = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                unsafe sendto(descriptor, bytes, bytes.count, 0, $0, length)
            }
        }
    }
}

/// Tells the service manager that the node answers, as often as that wants to hear it: a node that hangs is started again.
struct Watchdog: Service {
    let notifier: ServiceNotifier
    /// Comes back when the node's loop has turned.
    let answers: @Sendable () async -> Void

    func run() async throws {
        if let interval = notifier.watchdogInterval {
            await cancelWhenGracefulShutdown {
                while !Task.isCancelled {
                    await answers()
                    notifier.isAlive()
                    // A watchdog is the passing of time; the end of the node cuts the wait short.
                    try? await Task.sleep(for: interval)
                }
            }
        } else {
            try await gracefulShutdown()
        }
        notifier.stopping()
    }
}
