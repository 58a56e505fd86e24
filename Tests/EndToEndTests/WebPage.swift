import StreakTestSupport

/// A node's page, asked over a socket of its own.
enum WebPage {
    /// What the page answers to one request.
    static func answer(
        of page: String, to method: String, _ path: String, form: String? = nil, cookie: String? = nil, in lab: Lab
    ) async throws -> String {
        let host = String(page.dropFirst("http://".count))
        let connection = try RawSocket(.stream)
        guard connection.connect(to: host.split(separator: ":").last.flatMap { UInt16($0) } ?? 0) else {
            throw TestFailure("the page takes no connection")
        }
        var request = "\(method) \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n"
        if let cookie { request += "Cookie: \(cookie)\r\n" }
        if let form {
            request += "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: \(form.utf8.count)\r\n"
        }
        connection.send(Array((request + "\r\n" + (form ?? "")).utf8))
        var bytes: [UInt8] = []
        try await lab.eventually("the page has answered \(path)") {
            while let part = connection.received() {
                if part.isEmpty { return true }
                bytes += part
            }
            return false
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The cookie of a session that the sign-in link of a node opens.
    static func signIn(_ node: RunningNode, in lab: Lab) async throws -> (page: String, cookie: String) {
        guard let page = node.ready["web"].text, let link = node.ready["signIn"].text else {
            throw TestFailure("the node has no page")
        }
        let answer = try await answer(of: page, to: "GET", String(link.dropFirst(page.count)), in: lab)
        let header = answer.split(separator: "\r\n").first { $0.lowercased().hasPrefix("set-cookie:") }
        guard let cookie = header?.split(separator: " ").dropFirst().first?.split(separator: ";").first else {
            throw TestFailure("the page opens no session: \(answer.prefix(200))")
        }
        return (page, String(cookie))
    }
}
