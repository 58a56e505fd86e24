#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// The helper program, and how it is started: with an empty environment, and with no descriptor but one end of a pair of sockets as its
/// standard input and output.
struct HelperProgram: Sendable {
    static let name = "streakmesh-internet"

    var path: String
    var arguments: [String] = []

    /// The one that lies beside the running program; nil where there is none.
    static var besideThis: HelperProgram? {
        guard let own = ownPath, let slash = own.lastIndex(of: "/") else { return nil }
        let path = own[...slash] + name
        return unsafe access(String(path), X_OK) == 0 ? HelperProgram(path: String(path)) : nil
    }

    private static var ownPath: String? {
        #if canImport(Darwin)
            var size: UInt32 = 0
            _ = unsafe _NSGetExecutablePath(nil, &size)
            var bytes = [CChar](repeating: 0, count: Int(size))
            guard unsafe _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
            return String(decoding: bytes.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
        #else
            var bytes = [CChar](repeating: 0, count: Int(PATH_MAX))
            let length = unsafe readlink("/proc/self/exe", &bytes, bytes.count)
            guard length > 0, length < bytes.count else { return nil }
            return String(decoding: bytes.prefix(length).map(UInt8.init(bitPattern:)), as: UTF8.self)
        #endif
    }

    /// A process, and this program's end of the pair of sockets, which the caller has to close.
    struct Started {
        var processID: pid_t
        var descriptor: CInt
    }

    /// Starts it; nil if the system does not.
    var started: Started? {
        var pair: [CInt] = [-1, -1]
        // Closed at exec from the first moment on, where the system can: other threads may start programs, too.
        #if canImport(Glibc)
            let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #elseif canImport(Musl)
            let type = SOCK_STREAM | SOCK_CLOEXEC
        #else
            let type = SOCK_STREAM
        #endif
        guard unsafe socketpair(AF_UNIX, type, 0, &pair) == 0 else { return nil }
        for descriptor in pair { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        defer { _ = close(pair[1]) }
        guard let child = spawned(standard: pair[1]) else {
            _ = close(pair[0])
            return nil
        }
        return Started(processID: child, descriptor: pair[0])
    }

    private func spawned(standard descriptor: CInt) -> pid_t? {
        #if canImport(Darwin)
            var actions: posix_spawn_file_actions_t?
            var attributes: posix_spawnattr_t?
        #else
            var actions = unsafe posix_spawn_file_actions_t()
            var attributes = posix_spawnattr_t()
        #endif
        // All descriptors of ours are closed at exec. Those that a library has forgotten are closed by the system, or on Linux by the
        // helper before it reads anything.
        unsafe posix_spawn_file_actions_init(&actions)
        defer { unsafe posix_spawn_file_actions_destroy(&actions) }
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, STDIN_FILENO)
        unsafe posix_spawn_file_actions_adddup2(&actions, descriptor, STDOUT_FILENO)
        unsafe posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        unsafe posix_spawnattr_init(&attributes)
        defer { unsafe posix_spawnattr_destroy(&attributes) }
        var flags = POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK
        #if canImport(Darwin)
            flags |= POSIX_SPAWN_CLOEXEC_DEFAULT
        #endif
        // A broken pipe, which this process ignores, is to end the helper.
        var signals = sigset_t()
        unsafe sigfillset(&signals)
        unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
        unsafe sigemptyset(&signals)
        unsafe posix_spawnattr_setsigmask(&attributes, &signals)
        unsafe posix_spawnattr_setflags(&attributes, numericCast(flags))
        var words = unsafe ([path] + arguments).map { unsafe strdup($0) } + [nil]
        defer { unsafe words.forEach { unsafe free($0) } }
        var environment: [UnsafeMutablePointer<CChar>?] = unsafe [nil]
        var child = pid_t()
        let result = unsafe posix_spawn(&child, path, &actions, &attributes, &words, &environment)
        return result == 0 ? child : nil
    }
}
