import StreakCrypto

/// The entropy source that the shell or the simulator put in, as one concrete type.
struct InjectedEntropy: EntropySource {
    private var source: any EntropySource

    init(_ source: any EntropySource) { self.source = source }

    mutating func bytes(_ count: Int) -> [UInt8] { source.bytes(count) }
}
