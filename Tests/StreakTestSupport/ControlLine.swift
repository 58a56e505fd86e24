import Foundation

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// One connection to the control socket of a running node: many requests without a process for each.
public final class ControlLine: Sendable {
    private let descriptor: Int32
    private let queue = DispatchQueue(label: "control line")

    /// Connects to the node that runs on a friend's folder.
    public init(to friend: Friend) throws {
        #if canImport(Glibc)
            descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
        #else
            descriptor = socket(AF_UNIX, SOCK_STREAM, 0)
        #endif
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let path = Array("\(friend.folder)/control.sock".utf8)
        let isConnected = unsafe withUnsafeMutableBytes(of: &address.sun_path) { place -> Bool in
            guard path.count < place.count else { return false }
            unsafe place.copyBytes(from: path)
            return true
        }
        let size = socklen_t(MemoryLayout<sockaddr_un>.size)
        let result = unsafe withUnsafePointer(to: &address) { pointer in
            unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { unsafe connect(descriptor, $0, size) }
        }
        guard isConnected, result == 0 else { throw TestFailure("no control socket at \(friend.folder): \(errno)") }
    }

    deinit { close(descriptor) }

    /// Adds a share text. Returns whether the node confirmed it; false where the node is gone.
    public func add(_ text: String) async -> Bool {
        // A request of texts and truth values can always be written.
        let quoted = (try? JSONEncoder().encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? ""
        let line =
            #"{"v":2,"name":"score","request":{"add":{"text":\#(quoted),"replace":false,"sharingOnly":false}}}"#
            + "\n"
        let reply = await exchange(line)
        // Half a line is no confirmation.
        guard let reply, let document = try? JSONValue(parsing: reply) else { return false }
        return !document["ok"]["added"].items.isEmpty
    }

    /// What the node says of itself; nil where it is gone.
    public func status() async -> JSONValue? {
        let reply = await exchange(#"{"v":2,"name":"status","request":{"status":{}}}"# + "\n")
        // Half a line says nothing.
        return reply.flatMap { try? JSONValue(parsing: $0) }?["ok"]
    }

    /// Sends a line and waits for one; nil where the connection ends.
    private func exchange(_ line: String) async -> String? {
        await withCheckedContinuation { continuation in
            queue.async { [descriptor] in
                let bytes = Array(line.utf8)
                #if os(Linux)
                    let flags = Int32(MSG_NOSIGNAL)
                #else
                    let flags: Int32 = 0
                #endif
                guard unsafe send(descriptor, bytes, bytes.count, flags) == bytes.count else {
                    return continuation.resume(returning: nil)
                }
                var reply: [UInt8] = []
                var buffer = [UInt8](repeating: 0, count: 4_096)
                while reply.last != UInt8(ascii: "\n") {
                    let count = unsafe recv(descriptor, &buffer, buffer.count, 0)
                    guard count > 0 else { return continuation.resume(returning: nil) }
                    reply += buffer[..<count]
                }
                continuation.resume(returning: String(decoding: reply, as: UTF8.self))
            }
        }
    }
}
