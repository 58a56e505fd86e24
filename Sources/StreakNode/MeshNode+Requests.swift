import StreakEngine
import StreakMembership
import StreakWire

extension MeshNode {
    /// Answers one request. Throws `NodeFailure`.
    public func call<Report: Codable & Sendable>(
        _ request: NodeRequest, returning type: Report.Type
    ) async throws -> Report {
        let report: any Sendable
        do {
            report = try await answer(request)
        } catch {
            throw NodeFailure(storage: error)
        }
        guard let report = report as? Report else {
            throw NodeFailure.invalidRequest("the answer is no \(type)")
        }
        return report
    }

    private func answer(_ request: NodeRequest) async throws -> any Sendable {
        switch request {
        case .whoami: profile()
        case .rename(let name): try await rename(to: name)
        case .createGroup(let title): try await createGroup(title: title)
        case .listGroups: GroupListReport(groups: sharedGroups.map(groupReport))
        case .useGroup(let selector): try await useGroup(selector)
        case .leaveGroup(let selector, let erasing): try await leaveGroup(selector, erasing: erasing)
        case .members(let selector): try members(of: group(selector))
        case .invite(let selector, let uses, let lifetime):
            try await invite(to: group(selector), uses: uses, lifetime: lifetime)
        case .inviteFriends: try await inviteFriends()
        case .listInvites(let selector): InviteListReport(invites: try inviteReports(of: group(selector)))
        case .revokeInvite(let id): try await revokeInvite(id)
        case .join(let link, let timeout, let history):
            try await join(link, timeout: timeout, history: history)
        case .inspectLink(let link): try inspect(link)
        case .add, .preview, .record, .delete, .undo, .board, .results, .games: try await answerAboutScores(request)
        case .status: status()
        case .sync: try await synchronise()
        }
    }

    private func answerAboutScores(_ request: NodeRequest) async throws -> any Sendable {
        switch request {
        case .add(let text, let date, let replace):
            try await add(text, date: date, replacing: replace, isPreview: false)
        case .preview(let text, let date):
            try await add(text, date: date, replacing: false, isPreview: true)
        case .record(let game, let score, let isCompleted, let seconds, let date):
            try await record(game, score: score, isCompleted: isCompleted, seconds: seconds, date: date)
        case .delete(let game, let date, let puzzle):
            try await delete(game, date: date, puzzle: puzzle)
        case .undo: try await undo()
        case .board(let request): try board(request)
        case .results(let game, let from, let to): try results(game: game, from: from, to: to)
        default: GamesReport(games: games())
        }
    }
}
