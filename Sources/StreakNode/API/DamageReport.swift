/// What was found damaged on this machine's disk since the node started.
public struct DamageReport: Codable, Sendable, Equatable {
    /// Damaged places found at start. What friends hold of them is fetched again.
    public var setAside = 0
    /// Confirmed changes that are missing: the database or its log was damaged, or replaced by an older copy, while no
    /// node ran. Short commands report them until a node has run.
    public var lostChanges = 0

    public init() {}

    /// What to tell the user; empty if nothing is damaged.
    public var sentences: [String] {
        func places(_ count: Int) -> String {
            count == 1 ? "One place of what is stored here was" : "\(count) places of what is stored here were"
        }
        var sentences: [String] = []
        if lostChanges > 0 {
            let what = lostChanges == 1 ? "The last change that was" : "The last \(lostChanges) changes that were"
            sentences.append(
                "\(what) recorded here \(lostChanges == 1 ? "is" : "are") missing: the database, or its log, was damaged "
                    + "or replaced by an older one. What friends have of it is fetched from them again; "
                    + "look over your latest results.")
        }
        if setAside > 0 {
            sentences.append(
                "\(places(setAside)) damaged on the disk. What friends have of it is fetched from them again.")
        }
        if !sentences.isEmpty { sentences.append("The disk may be failing: make a backup on another one.") }
        return sentences
    }
}
