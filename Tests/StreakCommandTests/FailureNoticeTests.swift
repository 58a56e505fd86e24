import StreakStorage
import Testing

@testable import StreakNode
@testable import streakmesh

@Suite struct FailureNoticeTests {
    @Test(
        arguments: [
            (NodeFailure.accountExists, 73), (.linkMalformed, 65), (.linkDamaged, 65), (.linkTampered, 65),
            (.linkExpired(at: "2026-11-21T00:00:00Z"), 65), (.linkUsedUp, 77), (.linkRevoked, 77),
            (.removedFromGroup, 77),
            (.nobodyReachable, 69), (.folderBusy(pid: 1), 75), (.notAllowed(action: "invite"), 77),
        ] as [(NodeFailure, Int32)])
    func `the exit codes are those that programs rely on`(failure: NodeFailure, code: Int32) {
        let notice = FailureNotice(failure)
        #expect(notice.exitCode == code)
        #expect(!notice.message.isEmpty)
    }

    @Test func `errors of the command itself have codes, too`() {
        #expect(FailureNotice(CommandLineFailure.usage("x")).exitCode == 64)
        #expect(FailureNotice(CommandLineFailure.unreadable("f", reason: "gone")).exitCode == 65)
        #expect(FailureNotice(CommandLineFailure.nothingAdded(reasons: [])).exitCode == 65)
        #expect(FailureNotice(ControlError.nodeNotRunning).exitCode == 75)
    }

    @Test func `it is said that another user has taken the socket's folder, and which`() {
        let notice = FailureNotice(StorageError.unsafeFolder("/tmp/streakmesh-1000"))
        #expect(notice.exitCode == 77)
        #expect(
            notice.message
                == "Another user of this machine has taken /tmp/streakmesh-1000, where your node is talked to.")
    }

    @Test(arguments: [
        (["conflict", "notRecognised"], "--replace"), (["future"], "date"), (["impossibleScore"], "record"),
        (["unfinished"], "Finish"), (["notRecognised"], "Share button"), (["empty"], "Share button"),
        ([], "Share button"),
    ])
    func `the advice after a refusal fits the reasons`(reasons: [String], word: String) {
        let hint = FailureNotice(CommandLineFailure.nothingAdded(reasons: reasons)).hint
        #expect(hint.contains(word), "\(hint)")
        #expect(hint.contains("Share button") == (word == "Share button"))
    }

    @Test func `as JSON an error has a code, a message and a hint`() {
        let notice = FailureNotice(code: "usage", message: "“a”", hint: "b", exitCode: 64)
        #expect(notice.json.text == #"{"error":{"code":"usage","message":"“a”","hint":"b"}}"#)
    }
}
