import CTorrent
import StreakInternet
import StreakWire
import Synchronization

/// Holds the one session of the DHT, and has libtorrent put and get in it.
@safe final class DHTDesk {
    private let answers: Answers
    private var session: OpaquePointer?

    /// What a session tells comes through functions of C, which know nothing but this: who gets answers, and who waits for the opening.
    private static let listener = Mutex<(answers: Answers, opening: UInt32)?>(nil)

    init(answers: Answers) { self.answers = answers }

    func take(_ request: HelperRequest) {
        switch request.content {
        case .open(let network, let nodes): open(network, nodes, for: request.id)
        case .put(let item): put(item, for: request.id)
        case .get(let key): get(key, for: request.id)
        case .nodes: answers.give(.nodes(heardNodes), to: request.id)
        case .close:
            if let session = unsafe session { unsafe streak_dht_close(session) }
            unsafe session = nil
            answers.give(.closed, to: request.id)
        case .map, .unmap: break
        }
    }

    private func open(_ network: DHTNetwork, _ nodes: [Endpoint], for id: UInt32) {
        guard unsafe session == nil, !network.bootstrap.isEmpty else {
            return answers.give(.failed(.wrongSession), to: id)
        }
        Self.listener.withLock { $0 = (answers, id) }
        let observer = unsafe streak_dht_observer(
            opened: { count in DHTDesk.tell { answers, opening in answers.give(.opened(nodes: count), to: opening) } },
            stored: { id, count in DHTDesk.tell { answers, _ in answers.give(.stored(count: count), to: id) } },
            value: { id, sequence, bytes, size in
                // Others' items may be longer than ours, and are not ours then.
                guard let bytes = unsafe bytes, size <= HelperLimits.maximumValueSize else { return }
                let value = unsafe DHTValue(
                    sequence: sequence, value: Array(UnsafeBufferPointer(start: bytes, count: size)))
                DHTDesk.tell { answers, _ in answers.give(.value(value), to: id) }
            },
            ended: { id in DHTDesk.tell { answers, _ in answers.give(.ended, to: id) } })
        unsafe session = unsafe streak_dht_open(
            network.bootstrap.joined(separator: ","), nodes.map(streak_endpoint.init), nodes.count, network.isLab,
            observer)
        if unsafe session == nil { answers.give(.failed(.systemFailed), to: id) }
    }

    private static func tell(_ body: (Answers, UInt32) -> Void) {
        guard let (answers, opening) = listener.withLock(\.self) else { return }
        body(answers, opening)
    }

    private func put(_ item: DHTItem, for id: UInt32) {
        guard let session = unsafe session else { return answers.give(.failed(.wrongSession), to: id) }
        let isTaken = unsafe streak_dht_put(
            session, id, item.key.array, item.sequence, item.value, item.value.count, item.signature)
        if !isTaken { answers.give(.failed(.systemFailed), to: id) }
    }

    private func get(_ key: Bytes32, for id: UInt32) {
        guard let session = unsafe session else { return answers.give(.failed(.wrongSession), to: id) }
        if unsafe !streak_dht_get(session, id, key.array) { answers.give(.failed(.busy), to: id) }
    }

    private var heardNodes: [Endpoint] {
        guard let session = unsafe session else { return [] }
        var nodes = [streak_endpoint](repeating: streak_endpoint(), count: HelperLimits.maximumNodes)
        let count = unsafe streak_dht_nodes(session, &nodes, nodes.count)
        // One that several buckets had is named several times.
        var heard: Set<Endpoint> = []
        return nodes.prefix(count).map(Endpoint.init).filter { heard.insert($0).inserted }
    }
}

extension streak_endpoint {
    fileprivate init(_ endpoint: Endpoint) {
        self.init()
        port = endpoint.port
        unsafe withUnsafeMutableBytes(of: &address) { unsafe $0.copyBytes(from: endpoint.address.array) }
    }
}

extension Endpoint {
    fileprivate init(_ endpoint: streak_endpoint) {
        let bytes = unsafe withUnsafeBytes(of: endpoint.address) { unsafe Array($0) }
        self.init(address: Bytes16(bytes) ?? .zero, port: endpoint.port)
    }
}
