#if canImport(Glibc)
    import CAllocator
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// What a process that runs a node asks of the system.
enum ProcessLimits {
    /// Gives free memory back to the system. glibc keeps a pool for each thread, and what is free in one is of no use
    /// to another; and it raises its thresholds with the largest buffer ever freed, so that holes between small pieces
    /// stay. With one pool and fixed thresholds a flood of operations took 30 MB instead of 53 (mallopt(3)).
    static func returnFreeMemory() {
        #if canImport(Glibc)
            _ = mallopt(M_ARENA_MAX, 1)
            _ = mallopt(M_MMAP_THRESHOLD, 128 << 10)
            _ = mallopt(M_TRIM_THRESHOLD, 128 << 10)
        #endif
    }

    /// Raises the limit of open files and sockets to the highest that this user may set, because connections soon use
    /// up the usual 1,024. If the system refuses, the limit stays as it is.
    static func raiseDescriptors() {
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
