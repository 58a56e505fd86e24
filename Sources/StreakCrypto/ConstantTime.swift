import CSodium

/// Comparison whose duration does not tell where two byte strings differ.
public enum ConstantTime {
    /// Whether both are the same bytes. The counts are not secret. O(n).
    public static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        Sodium.start()
        return unsafe left.count == right.count && sodium_memcmp(left, right, left.count) == 0
    }
}
