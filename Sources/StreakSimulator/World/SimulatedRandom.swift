import StreakRandom

/// The simulation's randomness. Everything follows from the seed.
struct SimulatedRandom: Sendable {
    private var generator: SplitMix64

    init(seed: UInt64) { generator = SplitMix64(seed: seed) }

    mutating func next() -> UInt64 { generator.next() }

    /// At least 0 and less than 1.
    mutating func fraction() -> Double { Double(next() >> 11) / Double(1 << 53) }

    mutating func number(below bound: Int) -> Int { Int(next() % UInt64(max(1, bound))) }

    mutating func happens(with probability: Double) -> Bool { probability > 0 && fraction() < probability }

    /// A random duration between two.
    mutating func duration(from low: Duration, to high: Duration) -> Duration { low + (high - low) * fraction() }

    /// The same values in random order (Fisher and Yates).
    mutating func shuffled<Value>(_ values: [Value]) -> [Value] {
        var values = values
        for place in values.indices.dropFirst().reversed() { values.swapAt(place, number(below: place + 1)) }
        return values
    }
}

/// A hash of everything that has happened: two runs have equal ones exactly if they were the same.
struct TraceHash: Sendable {
    private(set) var value: UInt64 = 0xCBF2_9CE4_8422_2325

    mutating func add(_ number: UInt64) {
        value ^= number
        value = value &* 0x0000_0100_0000_01B3
        value ^= value >> 29
    }

    /// Only the length and both ends: encrypted bytes differ everywhere if they differ anywhere.
    mutating func add(_ bytes: [UInt8]) {
        add(UInt64(bytes.count))
        for byte in bytes.prefix(16) { add(UInt64(byte)) }
        for byte in bytes.suffix(8) { add(UInt64(byte)) }
    }
}
