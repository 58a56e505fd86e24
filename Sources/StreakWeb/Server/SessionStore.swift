import Synchronization

/// A signed-in browser.
struct Session: Sendable, Equatable {
    let id: Int
}

/// A text shown once, on the next page.
struct Flash: Sendable, Equatable {
    var text: String
    /// Whether *Undo* is offered.
    var canUndo = false
    /// Why the last form was not carried out.
    var problem: FailureView?
}

/// Sign-in links and the browsers signed in by them. They live in memory only, so a restarted node asks everybody to
/// sign in again.
///
/// Secrets are compared in constant time, and with every stored one, so that timing reveals nothing about a near match.
final class SessionStore: Sendable {
    private struct Token {
        var secret: [UInt8]
        var deadline: ContinuousClock.Instant
    }

    private struct Entry {
        var id: Int
        var secret: [UInt8]
        var flash: Flash?
    }

    private struct State {
        var tokens: [Token] = []
        var entries: [Entry] = []
        var nextID = 1
        /// One upload for all sessions, because files are large.
        var upload: (session: Int, upload: Upload)?
    }

    private let state = Mutex(State())
    private let entropy: @Sendable (Int) -> [UInt8]

    /// - Parameter entropy: returns the requested number of unpredictable bytes.
    init(entropy: @escaping @Sendable (Int) -> [UInt8]) {
        self.entropy = entropy
    }

    /// A new one-time token for a sign-in link: 64 hexadecimal digits.
    func mintToken() -> String {
        let token = Self.hexadecimal(entropy(32))
        state.withLock { state in
            state.tokens.removeAll { $0.deadline < .now }
            if state.tokens.count >= WebLimit.signInTokens { state.tokens.removeFirst() }
            state.tokens.append(Token(secret: Array(token.utf8), deadline: .now + WebLimit.signInLifetime))
        }
        return token
    }

    /// Whether a token is valid. Does not use it up.
    func holds(token: String) -> Bool {
        let presented = Array(token.utf8)
        return state.withLock { state in
            var isHeld = false
            for token in state.tokens where token.deadline >= .now && Self.isEqual(token.secret, presented) {
                isHeld = true
            }
            return isHeld
        }
    }

    /// Uses a token up and returns the secret of the session it opened; nil if the token is not valid.
    func signIn(token: String) -> String? {
        let presented = Array(token.utf8)
        let secret = Self.hexadecimal(entropy(32))
        return state.withLock { state in
            state.tokens.removeAll { $0.deadline < .now }
            var found: Int?
            for (index, token) in state.tokens.enumerated() where Self.isEqual(token.secret, presented) {
                found = index
            }
            guard let found else { return nil }
            state.tokens.remove(at: found)
            if state.entries.count >= WebLimit.sessions { state.entries.removeFirst() }
            state.entries.append(Entry(id: state.nextID, secret: Array(secret.utf8)))
            state.nextID += 1
            return secret
        }
    }

    /// The session that a cookie's secret belongs to.
    func session(secret: String) -> Session? {
        let presented = Array(secret.utf8)
        return state.withLock { state in
            var found: Session?
            for entry in state.entries where Self.isEqual(entry.secret, presented) { found = Session(id: entry.id) }
            return found
        }
    }

    func signOut(_ session: Session) {
        state.withLock { $0.entries.removeAll { $0.id == session.id } }
        dropUpload(of: session)
    }

    /// Keeps a file until its import is confirmed. It replaces any earlier file, of any session.
    func keep(_ upload: Upload, for session: Session) {
        state.withLock { $0.upload = (session.id, upload) }
    }

    /// The session's file, if it is still kept.
    func upload(for session: Session) -> Upload? {
        state.withLock { state in state.upload.flatMap { $0.session == session.id ? $0.upload : nil } }
    }

    func dropUpload(of session: Session) {
        state.withLock { state in
            if state.upload?.session == session.id { state.upload = nil }
        }
    }

    /// Keeps a text for the session's next page.
    func leave(_ flash: Flash, for session: Session) {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == session.id }) else { return }
            state.entries[index].flash = flash
        }
    }

    /// Returns the kept text and forgets it.
    func takeFlash(for session: Session) -> Flash? {
        state.withLock { state in
            guard let index = state.entries.firstIndex(where: { $0.id == session.id }) else { return nil }
            defer { state.entries[index].flash = nil }
            return state.entries[index].flash
        }
    }

    private static func isEqual(_ left: [UInt8], _ right: [UInt8]) -> Bool {
        guard left.count == right.count else { return false }
        var difference: UInt8 = 0
        for index in left.indices { difference |= left[index] ^ right[index] }
        return difference == 0
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        var text = ""
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 15)])
        }
        return text
    }
}
