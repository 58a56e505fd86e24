/// The version of this program, as `--version` and `status` show it.
public enum NodeVersion {
    /// Semantic versioning; the protocol has its own version (`Protocol/README.md`).
    public static let current = "0.1.0"
}
