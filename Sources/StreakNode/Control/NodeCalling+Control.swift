import NIOCore

extension NodeCalling {
    /// Carries out a request that came over the control socket; the reply is one line of JSON. Throws only where a
    /// reply cannot be written as JSON.
    func reply(to request: NodeRequest) async throws -> ByteBuffer {
        switch request {
        case .profile: try await reply(to: request, with: ProfileReport.self)
        case .account(.showRecoveryKey): try await reply(to: request, with: RecoveryKeyReport.self)
        case .account(.confirmRecoveryKey): try await reply(to: request, with: RecoveryReport.self)
        case .account(.backup): try await reply(to: request, with: BackupReport.self)
        case .device(.link): try await reply(to: request, with: DeviceLinkReport.self)
        case .device: try await reply(to: request, with: DeviceListReport.self)
        case .friend: try await reply(to: request, with: FriendsReport.self)
        case .group(.list): try await reply(to: request, with: GroupListReport.self)
        case .group(.settings), .group(.changeSettings), .group(.ownRules):
            try await reply(to: request, with: GroupSettingsReport.self)
        case .group: try await reply(to: request, with: GroupReport.self)
        case .member(.requests), .member(.approve), .member(.deny):
            try await reply(to: request, with: JoinRequestsReport.self)
        case .member: try await reply(to: request, with: MembersReport.self)
        case .person: try await reply(to: request, with: PersonReport.self)
        case .invite(.create), .invite(.friends): try await reply(to: request, with: InviteReport.self)
        case .invite(.list), .invite(.revoke): try await reply(to: request, with: InviteListReport.self)
        case .invite(.inspect): try await reply(to: request, with: InvitePreview.self)
        case .invite(.join): try await reply(to: request, with: JoinReport.self)
        case .privacy: try await reply(to: request, with: PrivacyReport.self)
        case .guest: try await reply(to: request, with: GuestReport.self)
        case .score(.undo): try await reply(to: request, with: UndoReport.self)
        case .score(.results): try await reply(to: request, with: ResultsReport.self)
        case .score(.games): try await reply(to: request, with: GamesReport.self)
        case .score: try await reply(to: request, with: AddReport.self)
        case .board: try await reply(to: request, with: BoardReport.self)
        case .insight(.statistics): try await reply(to: request, with: StatisticsReport.self)
        case .insight(.streaks): try await reply(to: request, with: StreaksReport.self)
        case .insight(.achievements), .insight(.celebrate):
            try await reply(to: request, with: AchievementsReport.self)
        case .insight(.recap): try await reply(to: request, with: RecapReport.self)
        case .insight(.versus): try await reply(to: request, with: VersusReport.self)
        case .insight(.champions): try await reply(to: request, with: ChampionsReport.self)
        case .insight(.shareText): try await reply(to: request, with: ShareTextReport.self)
        case .reminder: try await reply(to: request, with: RemindersReport.self)
        case .game(.list), .game(.remove): try await reply(to: request, with: GamesReport.self)
        case .game(.test): try await reply(to: request, with: PatternReport.self)
        case .game: try await reply(to: request, with: GameReport.self)
        case .exchange(.export): try await reply(to: request, with: ExportReport.self)
        case .exchange(.inspectChat): try await reply(to: request, with: ChatReport.self)
        case .exchange: try await reply(to: request, with: ImportReport.self)
        case .network(.clock), .network(.repairClock): try await reply(to: request, with: ClockReport.self)
        case .network: try await reply(to: request, with: StatusReport.self)
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
