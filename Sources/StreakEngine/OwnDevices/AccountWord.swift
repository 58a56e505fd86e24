import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What the ledgers here have said of this account's devices since this engine was made, those that wait for the user's
/// decision included. It only grows, so it is asked for every message on every link, instead of all ledgers.
struct AccountWord: Sendable {
    private let user: UserID
    private(set) var revocations = KnownRevocations()
    /// Of every device that was ever published for the account, whether or not it counts.
    private(set) var linkKeys: Set<AgreementPublicKey> = []

    init(of user: UserID) { self.user = user }

    mutating func note(_ body: OperationBody) {
        if case .revokeDevice(let revocation) = body, revocation.user == user { revocations.insert(revocation) }
        if let certificate = body.introducedCertificate, certificate.user == user {
            linkKeys.insert(certificate.linkKey)
        }
    }

    mutating func note(_ ledger: Ledger) {
        for revocation in ledger.revocations(of: user) { revocations.insert(revocation) }
        for certificate in ledger.certificates(of: user) { linkKeys.insert(certificate.linkKey) }
    }
}

extension EngineCore {
    /// Begins a copy of a group, and hears what it says of this account.
    mutating func hold(_ ledger: Ledger, accessKeys: [AccessKey]) {
        groups[ledger.group] = GroupReplica(ledger: ledger, accessKeys: accessKeys)
        hear(ledger)
        if ledger.privateUser == identity.user { privateGroup = ledger.group }
    }

    /// Hears what a ledger says of this account: who was shut out counts for nothing from now on, in any group.
    mutating func hear(_ ledger: Ledger) {
        accountWord.note(ledger)
        keysAreStale = true
    }
}
