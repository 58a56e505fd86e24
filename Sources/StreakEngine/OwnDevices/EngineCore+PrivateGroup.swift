import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    /// Opens the account's private group on a machine that was made with the account's key, and publishes the machine there.
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

    /// Shows a device that this ledger does not know how this device came into the private group. Two machines that the account's
    /// key has made apart know nothing of each other; the ledger judges what each shows.
    mutating func introduceItself(in group: GroupID, over link: LinkID) {
        guard isPrivate(group), isCurrentMember(of: group), !isKnownForeign(link), let replica = groups[group],
            let introduction = replica.ledger.introduction(of: identity.device)
        else { return }
        sendOperations(replica.ledger.ancestry(of: introduction), handle: replica.handle, over: link)
    }

    /// Whether any ledger here knows the device at the other end as another account's, or as given up.
    private func isKnownForeign(_ link: LinkID) -> Bool {
        guard let key = sessions[link]?.key else { return true }
        return groups.values.contains { replica in
            replica.state.device(linkKey: key).map { !$0.isCurrent || isForeign($0) } ?? false
        }
    }
}
