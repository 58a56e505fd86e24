import StreakCrypto
import StreakMembership

/// Resolving a ledger of a thousand operations, and one more.
struct LedgerBench {
    private static let operations = 1_000
    private static let repetitions = 20

    func run() throws {
        var entropy = SystemEntropy()
        let people = (0..<10).map { _ in
            DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        }
        let founding = try Ledger.found(
            title: "Bench", identity: people[0], accessKey: .generate(from: &entropy), at: 1_795_000_000,
            entropy: &entropy)
        var ledger = try Ledger(founding: founding)
        let secrets = InviteSecrets.generate(from: &entropy)
        let invite = try ledger.draft(
            .invite(secrets.terms(maximumUses: 0, expiresAt: 1_795_600_000)), by: people[0], at: 1_795_000_000)
        _ = try ledger.insert(invite)
        for newcomer in people.dropFirst() {
            let proof = JoinProof(
                inviteKey: secrets.inviteKey, group: ledger.group, identity: newcomer,
                handshakeHash: [UInt8](repeating: 1, count: 64))
            let claim = JoinClaim(invite: invite.id, certificate: newcomer.certificate, proof: proof)
            _ = try ledger.insert(try ledger.admission(of: claim, by: people[0], at: 1_795_000_000))
        }
        while ledger.count < Self.operations {
            let author = people[ledger.count % people.count]
            // So much later each that the invites before have ended.
            let time = 1_795_000_000 + Int64(ledger.count) * 1_000
            let terms = InviteSecrets.generate(from: &entropy).terms(maximumUses: 1, expiresAt: time + 900)
            _ = try ledger.insert(try ledger.draft(.invite(terms), by: author, at: time))
        }
        try measure(ledger, by: people[0])
    }

    private func measure(_ ledger: Ledger, by owner: DeviceIdentity) throws {
        let all = ledger.allOperations
        var resolving: [Double] = []
        var adding: [Double] = []
        for _ in 0..<Self.repetitions {
            var fresh = try Ledger(founding: all[0])
            for operation in all.dropFirst() { _ = try fresh.insert(operation) }
            let start = ContinuousClock.now
            _ = fresh.state
            resolving.append(start.duration(to: .now).milliseconds)
            let rename = try fresh.draft(.rename("Bench again"), by: owner, at: 1_795_000_000)
            let more = ContinuousClock.now
            _ = try fresh.insert(rename)
            _ = fresh.state
            adding.append(more.duration(to: .now).milliseconds)
        }
        Figure.show("resolving a ledger of 1,000 operations, p50", resolving.percentile(50), "ms", target: "–")
        Figure.show("one more operation, signature included, p50", adding.percentile(50), "ms", target: "–")
    }
}
