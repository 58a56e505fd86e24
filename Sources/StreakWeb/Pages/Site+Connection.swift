import Hummingbird
import StreakNode

/// Why this user cannot see a friend.
extension Site {
    struct FindingView: Sendable {
        var meaning: String
        var advice: String
        var evidence: String

        init(_ finding: DoctorFinding) {
            (meaning, evidence) = (finding.meaning, finding.evidence)
            advice = finding.advice.withoutCodeMarks
        }
    }

    struct CheckView: Sendable {
        var subject: String
        var evidence: String

        init(_ check: DoctorCheck) {
            subject = check.subject.prefix(1).uppercased() + check.subject.dropFirst()
            evidence = check.evidence.withoutCodeMarks
        }
    }

    struct ConnectionView: Sendable {
        var friends: [OptionView]
        var hasFriends: Bool
        var isWell: Bool
        var explained: FindingView?
        var others: [FindingView]
        var hasOthers: Bool
        var checks: [CheckView]
    }

    func showConnection(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let asked = visit.fields["friend"]
        let report = try await node.call(DoctorRequest.look(friend: asked))
        let others = report.findings.filter { $0.cause != report.cause }.map(FindingView.init)
        var friends: [OptionView] = []
        for group in frame.current {
            for member in try await node.call(MemberRequest.list(group: group.id)).members
            where !member.me && !member.anonymous && !friends.contains(where: { $0.value == member.user }) {
                friends.append(OptionView(value: member.user, label: member.name, selected: member.user == asked))
            }
        }
        let view = ConnectionView(
            friends: friends, hasFriends: !friends.isEmpty, isWell: report.cause == nil,
            explained: report.explained.map(FindingView.init), others: others, hasOthers: !others.isEmpty,
            checks: report.checks.map(CheckView.init))
        return page(.profile, "connection", title: "Connection", view, frame, visit)
    }
}
