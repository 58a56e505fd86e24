import CConfinement
import StreakInternet
import StreakWire

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The helper: it has C and C++ libraries talk to routers and to the DHT, as its node asks on standard input, and answers on standard
/// output. It ends with its input.
@main
enum InternetProgram {
    static func main() {
        streak_confine()
        let answers = Answers()
        let router = RouterDesk(answers: answers)
        let dht = DHTDesk(answers: answers)
        var reader = HelperFrameReader()
        var buffer = [UInt8](repeating: 0, count: HelperFrame.maximumSize)
        while true {
            let count = unsafe read(STDIN_FILENO, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { exit(0) }
            reader.append(buffer[..<count])
            do {
                while let frame = try reader.next() {
                    let request = try HelperRequest(decoding: frame)
                    switch request.content {
                    case .map, .unmap: router.take(request)
                    case .open, .put, .get, .nodes, .close: dht.take(request)
                    }
                }
            } catch {
                // No node of ours says this, and after it nothing can be told apart.
                exit(65)
            }
        }
    }
}
