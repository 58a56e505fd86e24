import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    /// Opens the account's private group on a machine made with the account's key, and publishes the machine there.
    mutating func openPrivateGroup(accountKey: SigningSecretKey, id: CommandID) {
        guard UserID(accountKey.publicKey) == identity.user else {
            return complete(id, .failed(.notAllowed(.invalidCertificate)))
        }
        var change = DurableChange()
        do {
            let made = try PrivateGroup(accountKey: accountKey)
            if groups[made.group] == nil { try start(made.founding, accessKey: made.accessKey, change: &change) }
            guard groups[made.group]?.state.device(identity.device) == nil else {
                return complete(id, .group(made.group))
            }
            let introduction = try groups[made.group]?.ledger.draft(
                .addDevice(identity.certificate), by: identity, at: wall.seconds)
            if let introduction { _ = try insert(introduction, in: made.group, change: &change) }
            ledgerChanged(made.group, change: change, then: [.complete(id, .group(made.group))])
        } catch {
            complete(id, .failed(.notAllowed(error)))
        }
    }
}
