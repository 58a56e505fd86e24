import StreakEngine
import StreakLinks
import StreakReplication
import StreakWire

/// Counts what others sent and this node refused since it started, by reason.
struct Refusals: Sendable {
    private struct Kind: Hashable, Sendable {
        let what: String
        let reason: String
    }

    private var counts: [Kind: Int] = [:]

    /// Every reason, in order.
    var reports: [RefusalReport] {
        counts.map { RefusalReport(what: $0.key.what, reason: $0.key.reason, count: $0.value) }
            .sorted { ($0.what, $0.reason) < ($1.what, $1.reason) }
    }

    /// A packet without a session, or one that its session cannot decrypt.
    mutating func note(_ reason: DropReason) -> RefusalReport { count("packet", reason.word) }

    /// A message that cannot be decoded.
    mutating func note(_ error: WireError) -> RefusalReport { count("message", error.word) }

    /// Records from others.
    mutating func note(_ error: ReplicationError) -> RefusalReport { count("records", error.word) }

    /// A ledger operation.
    mutating func noteOperation() -> RefusalReport { count("operation", "notValid") }

    /// Work beyond somebody's budget.
    mutating func note(_ work: ChargedWork) -> RefusalReport { count("budget", work.rawValue) }

    private mutating func count(_ what: String, _ reason: String) -> RefusalReport {
        let kind = Kind(what: what, reason: reason)
        counts[kind, default: 0] += 1
        return RefusalReport(what: what, reason: reason, count: counts[kind, default: 0])
    }
}

/// How often something was refused, for one reason.
public struct RefusalReport: Codable, Sendable, Equatable {
    /// `packet`, `message`, `records`, `operation` or `budget`.
    public var what: String
    public var reason: String
    public var count: Int

    /// Whether this is the 1st, 2nd, 4th, 8th … time: a million bad packets then cannot fill a log.
    var isLogged: Bool { count & (count - 1) == 0 }
}

extension DropReason {
    fileprivate var word: String {
        switch self {
        case .malformed: "malformed"
        case .unsupportedVersion: "unsupportedVersion"
        case .rateLimited: "rateLimited"
        case .invalidTag: "invalidTag"
        case .handshakeFailed: "handshakeFailed"
        case .unknownSession: "unknownSession"
        case .replayed: "replayed"
        case .authenticationFailed: "authenticationFailed"
        case .tooMany: "tooMany"
        }
    }
}

extension WireError {
    fileprivate var word: String {
        switch self {
        case .unsupportedVersion: "unsupportedVersion"
        case .unknownKind: "unknownKind"
        case .truncated, .trailingBytes, .nonMinimalVarint, .limitExceeded, .invalidText, .invalidValue: "malformed"
        }
    }
}

extension ReplicationError {
    fileprivate var word: String {
        switch self {
        case .malformed: "malformed"
        case .unknownAuthor: "unknownAuthor"
        case .invalidSignature: "invalidSignature"
        case .gap: "gap"
        case .differentHistory: "differentHistory"
        case .limitReached: "limitReached"
        case .pastCut: "pastCut"
        }
    }
}
