import Foundation
import Synchronization

/// A process that a test started.
final class Child: Sendable {
    let processID: Int32
    private let outcome: Mutex<Outcome>

    private struct Outcome {
        var exitCode: Int32?
        var waiting: [@Sendable (Int32) -> Void] = []
    }

    /// Starts `words` in `environment`. The streams are files or pipes.
    init(
        _ words: [String], environment: [String: String], input: FileHandle, output: FileHandle, errors: FileHandle
    ) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = words
        process.environment = environment
        process.standardInput = input
        process.standardOutput = output
        process.standardError = errors
        let ending = Ending()
        process.terminationHandler = { process in
            ending.settle(process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus)
        }
        try process.run()
        processID = process.processIdentifier
        outcome = Mutex(Outcome())
        ending.deliver { [weak self] code in self?.settle(code) }
    }

    private func settle(_ code: Int32) {
        let waiting = outcome.withLock { outcome in
            outcome.exitCode = code
            defer { outcome.waiting = [] }
            return outcome.waiting
        }
        for resume in waiting { resume(code) }
    }

    /// The exit code, or a signal's number below zero; nil while it runs.
    var exitCode: Int32? { outcome.withLock(\.exitCode) }

    func signal(_ signal: Int32) {
        // A process that has ended was waited for; its number may be somebody else's.
        outcome.withLock { outcome in
            if outcome.exitCode == nil { _ = kill(processID, signal) }
        }
    }

    /// The exit code, or nil if it still runs when time is up.
    func ended(limit: Duration) async -> Int32? {
        await withCheckedContinuation { (continuation: CheckedContinuation<Int32?, Never>) in
            let limit = Limit(continuation, after: limit)
            let code = outcome.withLock { outcome -> Int32? in
                if outcome.exitCode == nil { outcome.waiting.append { limit.settle($0) } }
                return outcome.exitCode
            }
            if let code { limit.settle(code) }
        }
    }
}

/// Carries a process's end to whoever asks, before or after.
private final class Ending: Sendable {
    private let state = Mutex<(code: Int32?, receiver: (@Sendable (Int32) -> Void)?)>((nil, nil))

    func settle(_ code: Int32) {
        state.withLock { state in
            state.code = code
            return state.receiver
        }?(code)
    }

    func deliver(to receiver: @escaping @Sendable (Int32) -> Void) {
        let code = state.withLock { state in
            state.receiver = receiver
            return state.code
        }
        if let code { receiver(code) }
    }
}
