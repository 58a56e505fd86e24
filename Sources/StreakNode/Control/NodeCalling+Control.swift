import NIOCore

extension NodeCalling {
    /// Carries out a request that came over the control socket; the reply is one line of JSON. Throws only where a
    /// reply cannot be written as JSON.
    func reply(to request: NodeRequest) async throws -> ByteBuffer {
        switch request {
        case .whoami, .rename: try await reply(to: request, with: ProfileReport.self)
        case .createGroup, .useGroup, .leaveGroup: try await reply(to: request, with: GroupReport.self)
        case .listGroups: try await reply(to: request, with: GroupListReport.self)
        case .members: try await reply(to: request, with: MembersReport.self)
        case .invite, .inviteFriends: try await reply(to: request, with: InviteReport.self)
        case .listInvites, .revokeInvite: try await reply(to: request, with: InviteListReport.self)
        case .join: try await reply(to: request, with: JoinReport.self)
        case .inspectLink: try await reply(to: request, with: InvitePreview.self)
        case .add, .preview, .record, .delete: try await reply(to: request, with: AddReport.self)
        case .undo: try await reply(to: request, with: UndoReport.self)
        case .board: try await reply(to: request, with: BoardReport.self)
        case .results: try await reply(to: request, with: ResultsReport.self)
        case .status, .sync: try await reply(to: request, with: StatusReport.self)
        case .games: try await reply(to: request, with: GamesReport.self)
        }
    }

    private func reply<Report: Codable & Sendable>(
        to request: NodeRequest, with type: Report.Type
    ) async throws -> ByteBuffer {
        let reply: ControlReply<Report>
        do {
            reply = ControlReply(ok: try await call(request, returning: type))
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
