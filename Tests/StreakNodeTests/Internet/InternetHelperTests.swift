import Foundation
import StreakInternet
import StreakLinks
import StreakWire
import Testing

@testable import StreakNode

/// Real processes in the helper's place, most of which lie.
@Suite(.timeLimit(.minutes(10))) struct InternetHelperTests {
    private static let endpoint = Endpoint(ipv4: 0xC612_0001, port: 7_420)
    private static let wish = PortWish(transport: .udp, inside: endpoint, outsidePort: 7_420)
    private static let port = OpenedPort(
        transport: .udp, outsidePort: 7_420, outsideAddress: nil, lease: 3_600, router: "http://r/")
    /// The answer “unmapped” to the first request, as `printf` of a shell takes it.
    private static let unmapped = #"\000\005\002\000\000\000\001"#

    /// A helper that is a shell script. It hears nothing of the environment, so that it uses the shell's own search path.
    private static func helper(_ script: String, answerLimit: Duration = .seconds(30)) -> InternetHelper {
        var limits = HelperSupervisor.Limits()
        limits.answer = answerLimit
        // On a busy machine a test may take minutes.
        (limits.rest, limits.idle) = (.seconds(3_600), .seconds(3_600))
        let clock = SystemClock(wall: nil, lead: nil)
        return InternetHelper(
            program: HelperProgram(path: "/bin/sh", arguments: ["-c", script]), limits: limits, clock: { clock.now })
    }

    private static func with(
        _ helper: InternetHelper, _ body: (InternetHelper) async throws -> Void
    ) async throws {
        do { try await body(helper) } catch {
            await helper.close()
            throw error
        }
        await helper.close()
    }

    @Test(
        arguments: [
            ("exit 3", .ended), ("kill -9 $$", .ended),
            // Dies in the middle of a frame, and after the length of one.
            (#"printf '\000\005\002\000'"#, .ended), (#"printf '\000'"#, .ended),
            // A length that is too large, with nothing behind it; then a large one of which little comes.
            (#"printf '\377\377'; exec sleep 1000"#, .nonsense), (#"printf '\030\000abc'"#, .ended),
            ("cat /dev/zero", .nonsense), (#"while :; do printf '\377\001\002'; done"#, .nonsense),
            // A kind that is not there; a number that nobody asked under; an answer to another question.
            (#"printf '\000\005\143\000\000\000\001'; exec sleep 1000"#, .nonsense),
            (#"printf '\000\005\002\000\000\000\011'; exec sleep 1000"#, .nonsense),
            (#"printf '\000\005\006\000\000\000\001'; exec sleep 1000"#, .nonsense),
            // What it is asked, sent back.
            ("exec cat", .nonsense),
        ] as [(String, HelperFailure)])
    func `a helper that lies or dies costs an answer and nothing else`(script: String, failure: HelperFailure)
        async throws
    {
        try await Self.with(Self.helper(script)) { helper in
            await #expect(throws: failure) { try await helper.unmap(Self.port) }
            #expect(await helper.helperState == .failing)
            await #expect(throws: HelperFailure.resting) { try await helper.unmap(Self.port) }
            await #expect(throws: HelperFailure.resting) { for try await _ in helper.get(.zero) {} }
        }
    }

    @Test(arguments: ["exec sleep 1000", "exec cat >/dev/null", "exec 1>&-; exec 0<&-; exec sleep 1000"])
    func `a helper that says nothing is killed`(script: String) async throws {
        try await Self.with(Self.helper(script, answerLimit: .milliseconds(200))) { helper in
            do {
                try await helper.unmap(Self.port)
                Issue.record("it answered")
            } catch let failure as HelperFailure {
                // One that has closed its ends has ended, as far as anybody can tell.
                #expect(failure == .silent || (script.contains("&-") && failure == .ended))
            }
        }
    }

    @Test func `a program that is not there is missing, and one that cannot be started has ended`() async throws {
        let clock = SystemClock(wall: nil, lead: nil)
        try await Self.with(InternetHelper(program: nil, clock: { clock.now })) { helper in
            await #expect(throws: HelperFailure.missing) { _ = try await helper.map(Self.wish) }
            #expect(await helper.helperState == .missing)
        }
        let nowhere = HelperProgram(path: "/nonexistent/streakmesh-internet")
        try await Self.with(InternetHelper(program: nowhere, clock: { clock.now })) { helper in
            await #expect(throws: HelperFailure.ended) { _ = try await helper.map(Self.wish) }
        }
    }

    @Test func `it finds an empty environment, and no signal ignored`() async throws {
        unsafe setenv("STREAKMESH_CANARY", "1", 1)
        #if os(Linux)
            // The C library ignores signals 32 and 33.
            let script = """
                [ -z "$STREAKMESH_CANARY$HOME$USER" ] || exit 1
                grep -q '^SigIgn:.*0000000$' /proc/self/status || exit 2
                """
        #else
            let script = "[ -z \"$STREAKMESH_CANARY$HOME$USER\" ] || exit 1"
        #endif
        try await Self.with(Self.helper("\(script)\nprintf '\(Self.unmapped)'; exec sleep 1000")) { helper in
            try await helper.unmap(Self.port)
            #expect(await helper.helperState == .running)
        }
    }

    @Test func `a process is gone when its node has closed it`() async throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "helper-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let helper = Self.helper("echo $$ >\(file.path); printf '\(Self.unmapped)'; exec sleep 1000")
        try await helper.unmap(Self.port)
        let text = try String(contentsOf: file, encoding: .utf8)
        let process = try #require(pid_t(text.trimmingCharacters(in: .whitespacesAndNewlines)))
        #expect(kill(process, 0) == 0)
        await helper.close()
        await #expect(throws: HelperFailure.stopping) { try await helper.unmap(Self.port) }
        // It is killed by now, and waited for on another thread.
        let deadline = ContinuousClock.now + .seconds(10)
        while kill(process, 0) == 0, ContinuousClock.now < deadline { await Task.yield() }
        #expect(kill(process, 0) == -1)
        // It is started again, and answers as to the first request.
        helper.open()
        await #expect(throws: HelperFailure.nonsense) { try await helper.unmap(Self.port) }
        await helper.close()
    }
}
