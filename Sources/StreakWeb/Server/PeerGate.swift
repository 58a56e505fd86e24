import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Lets only this user and the system's administrator use the page. It looks the other end of each connection up in the
/// kernel's table of sockets, once.
///
/// Cookies are not bound to a port, so a browser sends the session cookie also to servers that other users run on this
/// machine. A stolen cookie is useless to them if their own connections are refused. Only Linux tells who owns a
/// socket. Elsewhere, and where the table cannot be read, everybody is let in and the cookie alone decides.
final class PeerGate: Sendable {
    /// Who owns the other end of a connection.
    enum Owner: Sendable, Equatable {
        /// This user or the administrator.
        case trusted
        case foreign
        /// Nobody: the client has closed already and hears no answer.
        case gone
        /// The system does not tell.
        case unknown
    }

    /// Yields a table in pieces; nil at its end. Throws if it cannot be read.
    typealias Pieces = () throws -> Data?

    static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// The longest table that is read, in bytes: about 400,000 sockets.
    static let maximumTableSize = 64 << 20

    private let owners = Mutex<[ObjectIdentifier: Owner]>([:])

    /// One thread: many connections at once wait for each other, and nothing else waits for them.
    private let readers = NIOThreadPool(numberOfThreads: 1)

    init() { readers.start() }

    deinit { readers.shutdownGracefully { _ in } }

    /// Whether requests of this connection are answered. The first call asks the kernel; later calls get the same
    /// answer.
    ///
    /// - Throws: `CancellationError` if the page closes.
    func admits(_ channel: any Channel) async throws -> Bool {
        let id = ObjectIdentifier(channel)
        if let owner = owners.withLock({ $0[id] }) { return owner.isAdmitted }
        let owner = try await readers.runIfActive { Self.owner(of: channel) }
        owners.withLock { $0[id] = owner }
        channel.closeFuture.whenComplete { [weak self] _ in self?.forget(id) }
        return owner.isAdmitted
    }

    private func forget(_ id: ObjectIdentifier) { owners.withLock { $0[id] = nil } }

    private static func owner(of channel: any Channel) -> Owner {
        #if os(Linux)
            guard let client = channel.remoteAddress.flatMap({ SocketName($0) }),
                let server = channel.localAddress.flatMap({ SocketName($0) })
            else { return .unknown }
            // The kernel returns the table in pieces, so a read may skip a socket while others come and go. Hence two
            // tries.
            for isLast in [false, true] {
                var search = PeerSearch(client: client, server: server, user: geteuid())
                for path in tables {
                    // A system may have a table for one address family only, or none.
                    guard let file = FileHandle(forReadingAtPath: path) else { continue }
                    do {
                        if let owner = try search.read({ try file.read(upToCount: 1 << 16) }) { return owner }
                    } catch {
                        return .unknown
                    }
                }
                if isLast || search.conclusion != .gone { return search.conclusion }
            }
            return .gone
        #else
            return .unknown
        #endif
    }
}

extension PeerGate.Owner {
    var isAdmitted: Bool { self == .trusted || self == .unknown }
}

/// Searches tables of sockets for the other end of one connection.
struct PeerSearch {
    private let client: SocketName
    private let server: SocketName
    private let user: UInt32
    private var size = 0
    /// Whether a socket of the page's port was seen, which shows that the table lists this machine's sockets.
    private var seesPort = false
    private var seesOwnEnd = false

    /// - Parameter user: the user to admit besides the administrator.
    init(client: SocketName, server: SocketName, user: UInt32) {
        (self.client, self.server, self.user) = (client, server, user)
    }

    /// Reads one table, and answers as soon as the client's owner is known. Rethrows from `pieces`.
    mutating func read(_ pieces: PeerGate.Pieces) throws -> PeerGate.Owner? {
        var rest = Data()
        while let piece = try pieces(), !piece.isEmpty {
            size += piece.count
            // Somebody may fill the table to hide in it.
            guard size <= PeerGate.maximumTableSize else { return .gone }
            rest.append(piece)
            while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                if let owner = judge(rest[rest.startIndex..<end]) { return owner }
                rest = rest[(end + 1)...]
            }
            rest = Data(rest.prefix(SocketTable.maximumLineLength + 1))
        }
        return judge(rest)
    }

    private mutating func judge(_ line: some Collection<UInt8>) -> PeerGate.Owner? {
        guard let row = SocketTable.row(line) else { return nil }
        if row.local.port == server.port { seesPort = true }
        if row.local == server, row.remote == client { seesOwnEnd = true }
        guard row.local == client, row.remote == server else { return nil }
        guard row.inode != 0 else { return .gone }
        return row.user == user || row.user == 0 ? .trusted : .foreign
    }

    /// The answer if no table has the client. If a table has the page's port but not this connection, the client has
    /// closed it: a client on this machine would be listed.
    var conclusion: PeerGate.Owner {
        guard seesPort else { return .unknown }
        return seesOwnEnd && !client.isLoopback && !server.isLoopback ? .unknown : .gone
    }
}
