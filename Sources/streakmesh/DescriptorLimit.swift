#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// How many files and sockets this process may have open.
enum DescriptorLimit {
    /// Raises the limit to the highest that this user may set, because connections soon use up the usual 1,024. If the
    /// system refuses, the limit stays as it is.
    static func raise() {
        #if canImport(Glibc)
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
            let resource = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        guard unsafe getrlimit(resource, &limit) == 0, limit.rlim_cur < limit.rlim_max else { return }
        #if canImport(Darwin)
            // Its hard limit may be “unlimited”, but it refuses that value (getrlimit(2)).
            limit.rlim_cur = min(limit.rlim_max, rlim_t(OPEN_MAX))
        #else
            limit.rlim_cur = limit.rlim_max
        #endif
        _ = unsafe setrlimit(resource, &limit)
    }
}
