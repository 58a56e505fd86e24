import StreakReplication
import StreakStorage

/// Damage on the disk, which a start finds. What was damaged is set aside; friends are asked for what they have of it.
extension MeshNode {
    /// Opens what is stored, and takes note of what of it is damaged.
    func loadStore() throws -> Snapshot {
        let state = try store.load()
        let found = state.damage.count(where: \.isOfGroup)
        if found > 0 {
            damage.setAside += found
            tellDamage()
        }
        return state.snapshot
    }

    /// What there is to say of damage that was found, sentence by sentence.
    public var foundDamage: [String] { damage.sentences }

    private func tellDamage() { inbox.publish(.notice(damage.sentences.joined(separator: " "))) }
}
