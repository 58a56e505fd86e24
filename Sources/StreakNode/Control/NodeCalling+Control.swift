import NIOCore

extension NodeCalling {
    /// Carries out a request that came over the control socket; the reply is one line of JSON. Throws only where a
    /// reply cannot be written as JSON.
    func reply<Request: NodeRequest>(to request: Request) async throws -> ByteBuffer {
        let reply: ControlReply<Request.Report>
        do {
            reply = ControlReply(ok: try await call(request))
        } catch {
            reply = ControlReply(error: NodeFailure(carrying: error))
        }
        return try ControlCoding.line(reply)
    }
}

extension NodeFailure {
    /// The failure as it travels over the socket; an error of another kind keeps its text only.
    init(carrying error: any Error) {
        switch error {
        case let failure as NodeFailure: self = failure
        case is CancellationError: self = .stopping
        case ControlError.lineTooLong(let limit): self = .textTooLong(limit: limit)
        default: self = .invalidRequest("\(error)")
        }
    }
}
