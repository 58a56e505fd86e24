import NIOPosix
import StreakEngine
import StreakLinks
import StreakWire

/// Names that the user gave, each `HOST:PORT`, and where they lead. That may change, so they are looked up again: every ten
/// minutes, and when the network has changed.
struct NamedAddresses {
    private static let interval: Duration = .seconds(600)

    let names: [String]
    /// As far as they could be looked up.
    private(set) var endpoints: [String: [Endpoint]] = [:]
    /// When to look them up again.
    private(set) var due: MonotonicInstant?
    private var isUnderWay = false
    /// Whether the network has changed since the names were last looked up.
    private var isOutdated = false
    private var told: Set<String> = []

    init(_ names: [String]) { self.names = names }

    /// Looks the names up beside the node: a name service may take half a minute.
    ///
    /// - Parameter give: called once, on another thread, with those that could be looked up, for `take`. If a search is under way,
    ///   another is due right after it.
    mutating func lookUp(_ give: @escaping @Sendable ([String: [Endpoint]]) -> Void) {
        due = nil
        guard !names.isEmpty else { return }
        isOutdated = isUnderWay
        guard !isUnderWay else { return }
        isUnderWay = true
        NIOThreadPool.singleton.submit { [names] _ in
            var found: [String: [Endpoint]] = [:]
            // What cannot be looked up now keeps what it was.
            for name in names { found[name] = try? AddressResolution.lookUp(name) }
            give(found)
        }
    }

    /// Keeps what was found.
    ///
    /// - Returns: the names that lead nowhere, each once.
    mutating func take(
        _ found: [String: [Endpoint]], at now: MonotonicInstant, where isUsable: (Endpoint) -> Bool = { _ in true }
    ) -> [String] {
        isUnderWay = false
        due = isOutdated ? now : now.advanced(by: Self.interval)
        for (name, list) in found { endpoints[name] = list.filter(isUsable) }
        return names.filter { endpoints[$0]?.isEmpty ?? true && told.insert($0).inserted }
    }

    mutating func stop() { due = nil }

    static func failure(of name: String) -> NodeEvent {
        .notice("The address \(name) cannot be looked up now. It is tried again every ten minutes.")
    }
}
