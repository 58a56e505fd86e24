/// Why a Noise handshake or cipher refused to go on.
public enum NoiseError: Error, Equatable, Sendable {
    /// The pattern needs this side's static key and none was given. The handshake was not made.
    case missingStaticKey

    /// The pattern needs the other side's static key beforehand and none was given. The handshake was not made.
    case missingRemoteStaticKey

    /// The other side's static key was given though the pattern transmits it, or has none: it would not be checked.
    ///
    /// The handshake was not made. Compare `remoteStaticKey` once the handshake has told it.
    case unexpectedRemoteStaticKey

    /// The pattern uses another number of pre-shared keys. Nothing changed.
    case wrongPresharedKeyCount(expected: Int, actual: Int)

    /// It is the other side's turn, or the pattern has no further message. Nothing changed.
    case outOfTurn

    /// A message would be, or is, longer than Noise allows.
    ///
    /// Writing changes nothing; a handshake that read such a message has ended.
    case messageTooLong(maximum: Int, actual: Int)

    /// A message has fewer bytes than its keys and tags take. A handshake that read it has ended.
    case messageTooShort(minimum: Int, actual: Int)

    /// A ciphertext was not made by the holder of the right keys, or was changed.
    ///
    /// A handshake that read it has ended; a cipher is unchanged. Drop the message.
    case authenticationFailed

    /// The other side's public key has low order, so that the agreed secret would be no secret. The handshake has
    /// ended.
    case invalidKey

    /// An earlier failure ended this handshake. Start a new one, or go on with a copy made before.
    case handshakeEnded

    /// There are no transport keys before the last handshake message. Nothing changed.
    case handshakeIncomplete

    /// The counter is 2⁶⁴−1, which Noise reserves. Make a new link.
    case nonceExhausted
}

extension NoiseError {
    init(_ error: CryptoError) {
        self =
            switch error {
            case .authenticationFailed: .authenticationFailed
            case .invalidKey, .wrongLength, .outOfMemory: .invalidKey
            case .nonceExhausted: .nonceExhausted
            }
    }
}
