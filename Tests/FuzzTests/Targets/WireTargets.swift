import StreakCrypto
import StreakMembership
import StreakReplication
import StreakWire

@testable import StreakEngine
@testable import StreakLinks

extension FuzzTarget {
    /// What is read off links, and the layouts within.
    static let wireTargets: [FuzzTarget] = [
        FuzzTarget("link-message") { bytes in
            guard let message = accepted({ try LinkMessage(decoding: bytes) }) else { return }
            let again = message.encoded
            // What a later version appended is dropped, and its reasons for refusing are read as “another”.
            let isUnknownRefusal = bytes.count > 2 && (bytes[1] == 13 || bytes[1] == 18)
            try demand(bytes.starts(with: again) || isUnknownRefusal, "a message is encoded as it came")
            try demand(
                accepted { try LinkMessage(decoding: again) } == message, "a message is what it was encoded from")
        },
        FuzzTarget("link-packet") { bytes in
            guard let packet = accepted({ try LinkPacket(decoding: bytes) }) else { return }
            try demand(packet.encoded() == bytes, "a packet is encoded as it came")
        },
        FuzzTarget("channel-message") { bytes in
            guard let message = accepted({ try ChannelMessage.decode(bytes) }) else { return }
            let again = ChannelMessage.encoded(sequence: message.sequence, bytes: message.bytes)
            try demand(again == bytes, "a message of the channel is encoded as it came")
        },
        // Fragments and acknowledgements in any order: the first byte of each piece tells which.
        FuzzTarget("reliable-channel", reliableChannel),
        FuzzTarget("beacon", beacon),
    ]

    @Sendable private static func reliableChannel(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        var channel = ReliableChannel(maximumMessageSize: ChannelMessage.maximumSize)
        var now = MonotonicInstant.zero
        var token: UInt64 = 0
        while !source.isEmpty {
            switch source.choice(of: 6) {
            case 0:
                token += 1
                channel.queue(source.piece(), token: token)
            case 1: _ = channel.transmissions(at: now)
            case 2:
                guard case .fragment(let fragment)? = accepted({ try LinkPacket(decoding: [2] + source.piece()) })
                else {
                    continue
                }
                _ = accepted { try channel.receive(fragment, at: now) }
            case 3:
                let packet = accepted { try LinkPacket(decoding: [3] + source.piece()) }
                guard case .acknowledgement(let acknowledgement)? = packet else { continue }
                _ = accepted { try channel.receive(acknowledgement, at: now) }
            case 4: now = now.advanced(by: .milliseconds(Int(source.short())))
            default: channel.addRoundTrip(.microseconds(Int64(source.short())))
            }
            try demand(channel.bufferedFragmentCount <= ReliableChannel.maximumWindow, "early fragments are bounded")
        }
    }

    /// As it is, and as the sealed content of a slot whose maker holds the key.
    @Sendable private static func beacon(_ bytes: [UInt8]) throws {
        let hourKey = [UInt8](repeating: 7, count: 32)
        _ = Beacon.open(bytes, hourKeys: [hourKey])
        let nonce = [UInt8](repeating: 3, count: 16)
        let sealingKey = try SymmetricKey(rawBytes: Blake2b.keyedHash(nonce + [1], key: hourKey))
        let content = Array(bytes.prefix(35)) + [UInt8](repeating: 0, count: max(0, 35 - bytes.count))
        let tag = Blake2b.keyedHash(nonce + [0], key: hourKey).prefix(8)
        let slot = tag + ChaChaPoly.seal(content, key: sealingKey, nonce: 0)
        let packet = nonce + slot + [UInt8](repeating: 0, count: Beacon.size - nonce.count - slot.count)
        guard let found = Beacon.open(packet, hourKeys: [hourKey]) else { return }
        try demand(found.content.linkKey.rawBytes == Array(content.suffix(32)), "a beacon names the key in it")
    }
}
