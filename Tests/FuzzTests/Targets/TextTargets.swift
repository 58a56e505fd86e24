import StreakCrypto
import StreakGames
import StreakWire

@testable import StreakMembership
@testable import StreakScores

extension FuzzTarget {
    /// What a user types or pastes.
    static let textTargets: [FuzzTarget] = [
        FuzzTarget("invite-link") { try inviteLink($0, .join) },
        FuzzTarget("device-link") { try inviteLink($0, .device) },
        FuzzTarget("friend-code") { bytes in
            guard let code = FriendCode(String(decoding: bytes, as: UTF8.self)) else { return }
            try demand(FriendCode(code.description) == code, "a code is what its text says")
        },
        FuzzTarget("recovery-key", recoveryKey),
        FuzzTarget("share-text") { bytes in
            let text = String(decoding: bytes, as: UTF8.self)
            let reading = shareReader.read(text)
            try demand(!reading.shares.isEmpty || !reading.refusals.isEmpty, "a text has a share or a reason")
            for share in reading.shares { _ = shareReader.read(share.text) }
        },
        FuzzTarget("chat-log") { bytes in
            guard let log = accepted({ try ChatLog(String(decoding: bytes, as: UTF8.self)) }) else { return }
            let counted = log.senders.reduce(0) { $0 + $1.messages }
            try demand(counted == log.count, "every message of a chat is somebody's")
            try demand(log.senders.count <= ChatLog.maximumSenders + 1, "senders are bounded")
            _ = log.shares(of: log.senders.first?.name, with: shareReader)
            _ = log.shares(with: shareReader)
        },
        FuzzTarget("game-pattern", gamePattern),
        FuzzTarget("share-template") { bytes in
            var source = ByteSource(bytes)
            guard let occasion = source.element(of: ShareTemplate.Occasion.allCases) else { return }
            let value = source.text()
            let text = String(decoding: source.remainder(), as: UTF8.self)
            guard let template = accepted({ try ShareTemplate(occasion, text) }) else { return }
            let values = occasion.placeholders.map { ($0, value) }
            let filled = template.filled(Dictionary(values) { first, _ in first })
            let bound = (ShareTemplate.maximumLength + 1) * (ShareTemplate.maximumValueLength + 16)
            try demand(filled.unicodeScalars.count <= text.unicodeScalars.count + bound, "a filled template is bounded")
        },
    ]

    private static let shareReader: ShareReader = {
        let definition = accepted {
            try GameDefinition(
                id: GameID("custom-fuzz") ?? Catalogue.standard.games[0].id, name: "Fuzz", icon: "🎲",
                model: .lowerAttempts, maximum: 6, pattern: "Fuzz {number} {score}/{max}")
        }
        return ShareReader(custom: definition.map { [$0] } ?? [])
    }()

    /// The text as it is; and the bytes as what a link holds, with the right checksum and signature.
    @Sendable private static func inviteLink(_ bytes: [UInt8], _ purpose: InviteLink.Purpose) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        if let link = accepted({ try InviteLink(parsing: text, purpose: purpose) }) {
            let again = accepted { try InviteLink(parsing: link.text, purpose: purpose) }
            try demand(again?.text == link.text, "a link is what its text says")
        }
        let key = try SigningSecretKey(seed: [UInt8](repeating: 4, count: 32))
        let unsigned = bytes + key.publicKey.rawBytes
        let payload = unsigned + key.signature(for: unsigned, as: purpose.context).rawBytes
        let whole = payload + Blake2b.hash(payload).prefix(InviteLink.checksumSize)
        let written = purpose.prefix + Base32.text(whole)
        guard let link = accepted({ try InviteLink(parsing: written, purpose: purpose) }) else { return }
        try demand(link.text == written, "a link's text is what it was read from")
        _ = link.isExpired(at: .max)
        _ = link.secrets
    }

    /// The text as it is; and the bytes as a seed, written out.
    @Sendable private static func recoveryKey(_ bytes: [UInt8]) throws {
        if let key = accepted({ try RecoveryKey(String(decoding: bytes, as: UTF8.self)) }) {
            try demand(accepted { try RecoveryKey(key.text()) }?.user == key.user, "a key is what its text says")
        }
        let seed = Array(bytes.prefix(32)) + [UInt8](repeating: 0, count: max(0, 32 - bytes.count))
        let key = RecoveryKey(try SigningSecretKey(seed: seed))
        try demand(accepted { try RecoveryKey(key.text()) }?.user == key.user, "a key is what its text says")
    }

    /// A pattern and a text to try it on.
    @Sendable private static func gamePattern(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        guard let model = source.element(of: ScoringModel.allCases) else { return }
        let pattern = source.text()
        let text = String(decoding: source.remainder(), as: UTF8.self)
        if let read = accepted({ try CustomPattern(pattern) }) {
            try demand(accepted { try CustomPattern(read.text) } == read, "a pattern is what its text says")
        }
        let id = GameID("custom-fuzz")
        let definition = accepted {
            try GameDefinition(
                id: id ?? Catalogue.standard.games[0].id, name: "Fuzz", icon: "🎲", model: model, pattern: pattern)
        }
        guard let definition else { return }
        _ = definition.test(on: text)
        _ = ShareReader(custom: [definition]).read(text)
    }
}
