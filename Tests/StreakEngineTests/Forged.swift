import StreakCrypto
import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

@testable import StreakEngine

/// Records and runs as somebody might forge them.
enum Forged {
    static let records = (1...3).map { number in
        Record(
            kind: .dailyScore, time: HybridTime(milliseconds: 1_795_000_000_000, counter: UInt16(number)),
            subject: [0, UInt8(number)], value: [1, 2, 3]
        ).encoded
    }

    /// A run of `records` by an identity, in a group.
    static func run(by identity: DeviceIdentity, in group: GroupID, records: [[UInt8]] = records) -> Run {
        var feed = FeedReplica(
            FeedID(device: identity.device, epoch: Epoch(counter: 9, nonce: 9)), in: group)
        return feed.write(RecordList(records), key: identity.signingKey, arrival: 1).run
    }

    /// A stranger: in no group.
    static var stranger: DeviceIdentity {
        var entropy = SeededEntropy(seed: 999)
        let account = SigningSecretKey.generate(from: &entropy)
        return DeviceIdentity.create(accountKey: account, from: &entropy)
    }

    /// A result of its own for each number.
    static func key(_ puzzle: Int) -> ScoreKey {
        guard let game = GameID("wordle") else { preconditionFailure("a game of the catalogue") }
        return ScoreKey(game: game, axis: .puzzle(puzzle))
    }

    static let otherGroup = GroupID(bytes: Bytes32(1, 2, 3, 4))
}
