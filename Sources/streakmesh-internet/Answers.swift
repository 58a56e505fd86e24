import StreakInternet
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Writes answers, one whole frame after the other, whichever thread they come from.
final class Answers: Sendable {
    private let turn = Mutex(())

    func give(_ content: HelperAnswer.Content, to id: UInt32) {
        let frame = HelperFrame.framed(HelperAnswer(id: id, content).encoded)
        turn.withLock { _ in
            var rest = frame[...]
            while !rest.isEmpty {
                let count = unsafe rest.withUnsafeBytes { unsafe write(STDOUT_FILENO, $0.baseAddress, $0.count) }
                if count < 0, errno == EINTR { continue }
                // Nobody listens any longer.
                guard count > 0 else { exit(0) }
                rest = rest.dropFirst(count)
            }
        }
    }
}
