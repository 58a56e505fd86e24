import StreakNode

/// A program with a leaderboard of its own: it shows its board whenever a friend's result comes in.
@main
struct Example {
    static func main() async throws {
        let words = CommandLine.arguments
        guard words.count > 3 else { return print("usage: streakmesh-example FOLDER NAME ADDRESS:PORT [LINK]") }
        let node = try await open(folder: words[1], name: words[2], listening: words[3])
        let events = node.events()
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await node.run() }
            _ = try await node.ready()
            if words.count > 4 { try await join(words[4], with: node) } else { print(try await invite(with: node)) }
            try await play("Wordle 1,981 3/6", with: node)
            for await case .changed in events { try await showBoard(of: node) }
            group.cancelAll()
        }
        await node.close()
    }

    static func open(folder: String, name: String, listening address: String) async throws -> MeshNode {
        if !MeshNode.hasAccount(at: folder) {
            _ = try MeshNode.createAccount(at: folder, name: name)
        }
        var configuration = NodeConfiguration(listen: address, usesNetwork: true, usesLAN: true, peers: [])
        configuration.usesInternet = false
        return try await MeshNode(openingFolderAt: folder, configuration: configuration)
    }

    static func invite(with node: MeshNode) async throws -> String {
        try await node.call(InviteRequest.friends).link
    }

    static func join(_ link: String, with node: MeshNode) async throws {
        _ = try await node.call(JoinRequest.join(link: link, timeout: 30, history: nil))
    }

    static func play(_ share: String, with node: MeshNode) async throws {
        let report = try await node.call(ScoreRequest.add(text: share, date: nil, replace: false, groups: nil))
        for refused in report.refused { print("not understood: \(refused.reason)") }
    }

    static func showBoard(of node: MeshNode) async throws {
        let board = try await node.call(BoardRequest(range: "all"))
        print(board.rows.map { "\($0.name) \($0.label)" }.joined(separator: ", "))
    }
}
