import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

extension EngineCore {
    mutating func sendDatagram(_ message: [UInt8], over link: LinkID) {
        links.send(message, over: link, as: .rumour, at: now)
    }

    /// Sends a message as soon as the link accepts it, after everything queued before it.
    mutating func send(_ message: LinkMessage, over link: LinkID) {
        for part in message.parts { queue(.message(part.encoded), over: link) }
    }

    /// Sends a ledger, or a part of one, as fast as the peer accepts it.
    mutating func sendOperations(_ operations: [SignedOperation], handle: GroupHandle, over link: LinkID) {
        queue(.operations(handle, operations[...]), over: link)
    }

    private mutating func queue(_ item: SendingQueue.Item, over link: LinkID) {
        guard sessions[link] != nil else { return }
        if answers.answer?.link == link { answers.answer?.size += item.byteCount }
        sessions[link]?.sending.append(item)
        sendQueued(over: link)
        guard sessions[link]?.sending.isTooLong ?? false else { return }
        sessions[link]?.sending = SendingQueue()
        links.close(link, at: now)
    }

    /// Sends what the links did not accept before.
    mutating func sendQueued() {
        for link in sessions.queued where !(sessions[link]?.sending.isEmpty ?? true) { sendQueued(over: link) }
    }

    private mutating func sendQueued(over link: LinkID) {
        while let message = sessions[link]?.sending.next(),
            links.send(message, over: link, as: .reliable, at: now)
        {
            sessions[link]?.sending.advance()
        }
    }
}
