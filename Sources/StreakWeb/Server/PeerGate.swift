import Foundation
import NIOCore
import NIOPosix
import Synchronization

/// Lets nobody but this user and the system's administrator use the page: whoever is at the other end of a connection is
/// looked up in the kernel's table of sockets, once for each connection.
///
/// Cookies know no ports, so that the one which signs a browser in also goes to servers that other users of this machine
/// run. It is of no use to them where their own connections are refused. Only Linux tells whose a socket is; elsewhere,
/// and where the table cannot be read, everybody is let in and the cookie alone decides.
final class PeerGate: Sendable {
    /// Whose the other end of a connection is.
    enum Owner: Sendable, Equatable {
        /// This user's or the administrator's.
        case trusted
        case foreign
        /// Nobody's: who made the connection has gone already and hears no answer.
        case gone
        /// Not told.
        case unknown
    }

    /// Pieces of a table, one after another; nil at its end. Throws where it cannot be read.
    typealias Pieces = () throws -> Data?

    static let tables = ["/proc/net/tcp", "/proc/net/tcp6"]
    /// The longest table that is read, in bytes: about 400,000 sockets.
    static let maximumTableSize = 64 << 20

    private let owners = Mutex<[ObjectIdentifier: Owner]>([:])

    /// Reads the tables, one after another: many connections at once wait for each other, not everybody for them.
    private let readers = NIOThreadPool(numberOfThreads: 1)

    init() { readers.start() }

    deinit { readers.shutdownGracefully { _ in } }

    /// Whether requests of this connection are answered. The first asks the kernel, later ones are told the same.
    ///
    /// - Throws: `CancellationError` where the page closes.
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
            // The kernel tells a table in pieces: a socket may be passed over while others come and go.
            for isLast in [false, true] {
                var search = PeerSearch(client: client, server: server, user: geteuid())
                for path in tables {
                    // A system may tell of one family only, or of none.
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

/// Goes through tables of sockets for the other end of one connection.
struct PeerSearch {
    private let client: SocketName
    private let server: SocketName
    private let user: UInt32
    private var size = 0
    /// Whether any socket of the page's port was seen: then the table tells of this machine's sockets.
    private var seesPort = false
    private var seesOwnEnd = false

    /// - Parameter user: whom to let in besides the administrator.
    init(client: SocketName, server: SocketName, user: UInt32) {
        (self.client, self.server, self.user) = (client, server, user)
    }

    /// Reads one table; answers as soon as it is known who the client is. Throws what `pieces` throws.
    mutating func read(_ pieces: PeerGate.Pieces) throws -> PeerGate.Owner? {
        var rest = Data()
        while let piece = try pieces(), !piece.isEmpty {
            size += piece.count
            // Somebody may fill the table so that they are not found.
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

    /// Where no table has named the client: one that tells of the page's port, but not of this connection, tells that it
    /// is broken off. A client on this machine would be in it, too.
    var conclusion: PeerGate.Owner {
        guard seesPort else { return .unknown }
        return seesOwnEnd && !client.isLoopback && !server.isLoopback ? .unknown : .gone
    }
}
