#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

/// Measures this process's CPU time, which other programs do not affect.
struct Stopwatch {
    private let computed = Self.processTime

    private static var processTime: clock_t {
        #if canImport(Darwin)
            Darwin.clock()
        #else
            Glibc.clock()
        #endif
    }

    var computing: Duration {
        .microseconds(Int64(Double(Self.processTime - computed) / Double(CLOCKS_PER_SEC) * 1e6))
    }
}

extension Duration {
    var milliseconds: Double { Double(components.seconds) * 1e3 + Double(components.attoseconds) / 1e15 }

    /// In milliseconds if the number of seconds is small.
    var formatted: String {
        let milliseconds = milliseconds
        if milliseconds < 1_000 { return "\((milliseconds * 100).rounded() / 100) ms" }
        return "\((milliseconds / 10).rounded() / 100) s"
    }
}

/// Prints a figure in the form that `script/bench` reads: name, value, unit and target, separated by tabs.
func show(_ name: String, _ value: Double, _ unit: String, target: String) {
    say("\(name)\t\((value * 100).rounded() / 100)\t\(unit)\t\(target)")
}

/// Prints a line immediately, also if the output is a file.
func say(_ line: String) {
    print(line)
    fflush(nil)
}
