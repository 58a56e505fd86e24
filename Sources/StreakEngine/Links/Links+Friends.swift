public import StreakCrypto
import StreakWire

/// The pause in a friend handshake: the responder has shown who it is, the initiator has not.
extension Links {
    /// Goes on with a dial whose responder was found to be the owner of the code: this side says who it is.
    public mutating func approve(
        _ id: DialID, peer: AgreementPublicKey, at now: MonotonicInstant, entropy: inout some EntropySource
    ) {
        guard let dial = dials[id], dial.target.handshake == .friend else { return }
        dials[id]?.approved = peer
        dials[id]?.heldResponse = nil
        dials[id]?.heldFrame = nil
        if let response = dial.heldResponse {
            receiveResponse(response, from: dial.target.endpoint, at: now, entropy: &entropy)
        }
        if let held = dial.heldFrame, case .awaitingResponse(_, let handshake)? = streams[held.stream]?.phase {
            do throws(DropReasonError) {
                try finishStreamDial(held.stream, held.bytes, dial: id, handshake: handshake, at: now)
            } catch {
                drop(error.reason)
                abortStream(held.stream, failure: .handshakeFailed, at: now)
            }
        }
        settle(at: now)
    }

    /// Ends a dial: whoever answered hears no more, and has not heard who asked.
    public mutating func refuse(_ id: DialID, at now: MonotonicInstant) {
        guard let dial = dials[id] else { return }
        if let stream = dial.stream { discardStream(stream) }
        endStreamAttempt(id, failure: .handshakeFailed, at: now)
        endDatagramAttempt(id, failure: .handshakeFailed, at: now)
        settle(at: now)
    }

    /// Whether this response is of a responder that may hear who asks. Where nobody has said so yet, asks.
    ///
    /// - Throws: `handshakeFailed` if it is no answer to this dial, or of another device than was approved.
    mutating func isApproved(
        _ dial: Dial, handshake: NoiseHandshake, response: [UInt8]
    ) throws(DropReasonError) -> Bool {
        guard let shown = HandshakeMessages.credential(handshake, response: response) else {
            throw DropReasonError(.handshakeFailed)
        }
        // A renewal goes on where the one before was approved.
        let renewed = dial.target.rekeys.flatMap { links[$0]?.peer }
        if let approved = dial.approved ?? renewed {
            guard approved == shown.peer else { throw DropReasonError(.handshakeFailed) }
            return true
        }
        // This device's own: the caller ends such a dial without saying more.
        guard shown.peer != staticKey.publicKey else { return true }
        events.append(
            .responderShown(dial.id, peer: shown.peer, credential: shown.credential, key: dial.target.key.label))
        return false
    }
}
