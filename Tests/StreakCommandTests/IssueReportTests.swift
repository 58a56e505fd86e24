import StreakTestSupport
import Testing

@testable import StreakNode
@testable import streakmesh

/// What may be shown to everybody.
@Suite struct IssueReportTests {
    private static let canary = "canary-7K3M"

    @Test func `no text of a node gets into it, whatever field it is in`() throws {
        let doctor = try Fabricated.value(DoctorReport.self, text: Self.canary)
        let status = try Fabricated.value(StatusReport.self, text: Self.canary)
        // Or else nothing was looked at.
        #expect(doctor.findings.allSatisfy { $0.evidence == Self.canary } && doctor.findings.count == 2)
        #expect(status.groups.first?.title == Self.canary && status.peers.first?.address == Self.canary)
        let lines = IssueReport(doctor, status).lines
        #expect(!lines.joined().contains("canary"), "\(lines)")
        #expect(lines.count == 12)
    }

    @Test func `it says what an answer to an issue begins with`() throws {
        let doctor = DoctorReport(
            findings: [DoctorFinding(.routerRefuses, "198.51.100.7 said no.")],
            checks: [DoctorCheck(subject: "store", evidence: "Fine.")], isSomebodyMissing: true)
        var status = StatusReport(
            state: "local only",
            groups: [GroupStatus(id: "g", title: "t", digest: "", records: 7, members: 3, online: 1)],
            peers: [], version: "", running: true, listen: nil, web: nil, lastSync: nil)
        status.refused = [
            RefusalReport(what: "packet", reason: "a", count: 2), RefusalReport(what: "packet", reason: "b", count: 3),
        ]
        let lines = IssueReport(doctor, status).lines
        #expect(lines[0].hasPrefix("StreakMesh \(NodeVersion.current) on "))
        #expect(
            lines.dropFirst() == [
                "cause: router-refuses", "found: router-refuses", "well: store", "node: local only", "page: none",
                "groups: 3 members, 1 online, 7 records", "machines linked by: none", "clock: unknown",
                "internet: on, reach unknown, port not opened, helper missing, DHT off, letters on", "damage: none",
                "refused: 5 × packet",
            ])
        #expect(IssueReport(doctor, nil).lines == Array(lines.prefix(4)))
    }
}
