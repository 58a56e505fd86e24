import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Access keys travel on demand. A device whose ledger names a key that it lacks asks for it, and one that has the key
/// answers devices that are current by its own ledger (Protocol/sync.md §7).
extension Greeting {
    /// Keys asked for in one message. The next ones follow once these have come.
    static let maximumRequestedKeys = LinkMessage.maximumProofs

    /// Asks the peer for missing keys, each once until the ledger changes or the peer says hello again.
    mutating func requestMissingKeys(of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard core.access(of: link, in: group).contains(.accessKeys), let replica = core.groups[group] else { return }
        let asked = core.sessions[link]?.groups[group]?.askedKeys ?? []
        let missing = replica.missingAccessKeys.filter { !asked.contains($0) }.suffix(Self.maximumRequestedKeys)
        guard !missing.isEmpty else { return }
        core.sessions[link]?.groups[group]?.askedKeys.formUnion(missing)
        core.send(.accessKeysRequested(replica.handle, Array(missing)), over: link)
    }

    mutating func answerAccessKeys(_ hashes: [Bytes32], of group: GroupID, over link: LinkID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        let wanted = Set(hashes)
        let keys = replica.accessKeys.filter { wanted.contains($0.hash) }
        guard !keys.isEmpty else { return }
        core.send(.accessKeys(replica.handle, keys.map { $0.key.rawBytes() }), over: link)
    }

    /// Accepts keys whose hash the ledger names; all others are dropped.
    mutating func receivedAccessKeys(_ keys: [[UInt8]], of group: GroupID, core: inout EngineCore) {
        guard let replica = core.groups[group] else { return }
        let missing = Set(replica.missingAccessKeys)
        guard !missing.isEmpty else { return }
        var change = DurableChange()
        for bytes in keys {
            // The hash comes first: what is derived of a key, in protected memory, takes a hundred times as long.
            guard let momentary = try? SymmetricKey(momentary: bytes), missing.contains(AccessKey.hash(of: momentary)),
                let key = try? AccessKey(rawBytes: bytes)
            else { continue }
            core.addAccessKey(key, to: group, change: &change)
        }
        guard !change.accessKeys.isEmpty else { return }
        core.keysAreStale = true
        // A hello tells others that they may ask this device.
        core.persist(change, then: core.sessions.keys.map { .greet($0) })
    }
}
