/// Why a cryptographic operation refused its input. No case changes any state.
public enum CryptoError: Error, Equatable, Sendable {
    /// A key, signature, salt or sealed message has the wrong number of bytes.
    ///
    /// The bytes are malformed: reject whatever carried them. For sealed messages `expected` is the minimum.
    case wrongLength(expected: Int, actual: Int)

    /// A public key is not usable: its shared secret would be all zero, which anyone could compute.
    ///
    /// Only a faulty or hostile peer sends such a key: close its link.
    case invalidKey

    /// A ciphertext, its associated data or its key is not what was sealed.
    ///
    /// Nothing of the plaintext is released. Drop the message.
    case authenticationFailed

    /// The memory a password derivation needs could not be allocated.
    ///
    /// Tell the user; the same call may succeed later.
    case outOfMemory

    /// A cipher has used all its nonces; using one twice would reveal the plaintexts.
    ///
    /// Make a new link.
    case nonceExhausted
}
