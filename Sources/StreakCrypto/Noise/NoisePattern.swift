/// Which keys a Noise handshake proves and in which order (Noise specification revision 34, §7 and §9).
public struct NoisePattern: Sendable, Hashable {
    /// Both sides have static keys and the initiator knows the responder's: one round trip.
    public static let ik = NoisePattern(base: .ik, presharedKeyPositions: [])

    /// Both sides have static keys and tell them in the handshake: one and a half round trips.
    public static let xx = NoisePattern(base: .xx, presharedKeyPositions: [])

    /// As `xx`, but the initiator knows the responder's key.
    public static let xk = NoisePattern(base: .xk, presharedKeyPositions: [])

    /// No static keys: private against listeners, and nothing more.
    public static let nn = NoisePattern(base: .nn, presharedKeyPositions: [])

    enum Base: String, CaseIterable, Sendable {
        case ik = "IK"
        case xx = "XX"
        case xk = "XK"
        case nn = "NN"
    }

    /// One step of a message, §7.1.
    enum Token: Sendable {
        case e, s, ee, es, se, ss, psk
    }

    let base: Base

    /// Where pre-shared keys are mixed in, ascending: 0 is before the first message, n is after message n.
    public let presharedKeyPositions: [Int]

    /// This pattern with the modifiers `psk0`, `psk1`, … at `positions`, in addition to those it has.
    ///
    /// - Precondition: every position is in 0 ... `messageCount`.
    public func addingPresharedKeys(at positions: some Sequence<Int>) -> NoisePattern {
        let all = Set(presharedKeyPositions).union(positions).sorted()
        precondition(
            all.allSatisfy { (0...messageCount).contains($0) },
            "pre-shared keys go before or after a pattern's messages")
        return NoisePattern(base: base, presharedKeyPositions: all)
    }

    /// How many messages the handshake has.
    public var messageCount: Int { base.messages.count }

    /// The name that is hashed first, so that two sides with different patterns never agree; for instance
    /// `Noise_IKpsk2_25519_ChaChaPoly_BLAKE2b`. §8.
    public var protocolName: String {
        "Noise_" + base.rawValue + presharedKeyPositions.map { "psk\($0)" }.joined(separator: "+") + Self.suite
    }

    /// The pattern of a protocol name: one of these four with the cipher suite used here, and with pre-shared keys, if
    /// any, at possible places in ascending order. Nil for any other name.
    public init?(protocolName: String) {
        let candidates = Base.allCases.flatMap { base in
            let places = base.messages.count + 1
            return (0..<(1 << places)).map { chosen in
                NoisePattern(base: base, presharedKeyPositions: (0..<places).filter { chosen & (1 << $0) != 0 })
            }
        }
        guard let match = candidates.first(where: { $0.protocolName == protocolName }) else { return nil }
        self = match
    }

    init(base: Base, presharedKeyPositions: [Int]) {
        self.base = base
        self.presharedKeyPositions = presharedKeyPositions
    }

    private static let suite = "_25519_ChaChaPoly_BLAKE2b"

    /// The steps of message `index`, counted from 0, pre-shared keys included. §9.4.
    func tokens(ofMessage index: Int) -> [Token] {
        var tokens = base.messages[index]
        if index == 0, presharedKeyPositions.contains(0) { tokens.insert(.psk, at: 0) }
        if presharedKeyPositions.contains(index + 1) { tokens.append(.psk) }
        return tokens
    }
}

extension NoisePattern.Base {
    /// The messages in turn, the initiator's first. §7.5.
    var messages: [[NoisePattern.Token]] {
        switch self {
        case .ik: [[.e, .es, .s, .ss], [.e, .ee, .se]]
        case .xx: [[.e], [.e, .ee, .s, .es], [.s, .se]]
        case .xk: [[.e, .es], [.e, .ee], [.s, .se]]
        case .nn: [[.e], [.e, .ee]]
        }
    }

    /// Whether the initiator knows the responder's static key beforehand (`<- s` before the messages).
    var responderIsKnown: Bool { self == .ik || self == .xk }

    /// Whether the sides have static keys.
    var hasStaticKeys: Bool { self != .nn }
}

/// Which side of a handshake this is.
public enum NoiseRole: Sendable, Hashable {
    /// Sends the first message.
    case initiator

    /// Answers it.
    case responder
}
