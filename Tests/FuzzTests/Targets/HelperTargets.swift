import StreakInternet
import StreakLinks
import StreakWire

@testable import StreakNode

extension FuzzTarget {
    /// What a node and its helper program say to each other, as either hears it.
    static let helperTargets: [FuzzTarget] = [
        FuzzTarget("helper-request") { bytes in
            guard let request = accepted({ try HelperRequest(decoding: bytes) }) else { return }
            try demand(request.encoded == bytes, "a request is encoded as it came")
            try demand(bytes.count <= HelperFrame.maximumSize, "a request fits a frame")
        },
        FuzzTarget("helper-answer") { bytes in
            guard let answer = accepted({ try HelperAnswer(decoding: bytes) }) else { return }
            try demand(answer.encoded == bytes, "an answer is encoded as it came")
            try demand(bytes.count <= HelperFrame.maximumSize, "an answer fits a frame")
        },
        FuzzTarget("helper-frames", helperFrames),
        FuzzTarget("helper-supervisor", helperSupervisor),
    ]

    /// The bytes in pieces: the frames found are those of the bytes as a whole.
    @Sendable private static func helperFrames(_ bytes: [UInt8]) throws {
        var whole = HelperFrameReader()
        var pieces = HelperFrameReader()
        whole.append(bytes)
        var expected: [[UInt8]] = []
        while let frame = accepted({ try whole.next() }) ?? nil { expected.append(frame) }
        var found: [[UInt8]] = []
        var rest = bytes[...]
        reading: while let first = rest.first {
            let piece = rest.prefix(1 + Int(first) % 7)
            rest = rest.dropFirst(piece.count)
            pieces.append(piece)
            do { while let frame = try pieces.next() { found.append(frame) } } catch { break reading }
            try demand(pieces.pendingCount <= HelperFrame.maximumSize + 9, "what is kept is bounded")
        }
        try demand(found == expected, "frames do not depend on the pieces that bring them")
    }

    /// Callers and a helper that does what the bytes say, in any order: each caller is told its end once, and no time is due for ever.
    @Sendable private static func helperSupervisor(_ bytes: [UInt8]) throws {
        var source = ByteSource(bytes)
        var supervisor = HelperSupervisor(exists: true, network: .mainline)
        var now = MonotonicInstant.zero
        var waiting: Set<UInt32> = []
        var sent: [UInt32] = []
        func note(_ outputs: [HelperSupervisor.Output]) throws(FuzzFinding) {
            for output in outputs {
                switch output {
                case .send(let request): sent.append(request.id)
                case .start, .stop: sent = []
                case .fail(let id, _): try demand(waiting.remove(id) != nil, "an end is told once, to who waits")
                case .answer(let id, .value): try demand(waiting.contains(id), "values come before the end")
                case .answer(let id, _): try demand(waiting.remove(id) != nil, "an answer is told once, to who waits")
                case .nodes(let nodes):
                    try demand(!nodes.isEmpty && nodes.allSatisfy(\.mayBeTold), "nodes are on the internet")
                }
            }
        }
        while !source.isEmpty {
            switch source.choice(of: 6) {
            case 0, 1:
                guard let content = Self.wish(from: &source) else { continue }
                let (id, outputs) = supervisor.ask(content, at: now)
                waiting.insert(id)
                try note(outputs)
            case 2, 3:
                // An answer to something that was sent, as its bytes say.
                guard let id = source.element(of: sent) else { continue }
                let head = [source.byte()] + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: id >> $0) }
                let answer = accepted { try HelperAnswer(decoding: head + source.piece()) }
                try note(supervisor.receive(answer, at: now))
            case 4:
                now = now.advanced(by: .milliseconds(Int(source.short())))
                try note(supervisor.deadlineReached(at: now))
            default:
                if source.flag(), let id = waiting.sorted().first {
                    waiting.remove(id)
                    try note(supervisor.abandon(id, at: now))
                } else {
                    try note(supervisor.ended(at: now))
                }
            }
            try demand(waiting.count <= 64, "what waits is bounded")
        }
        // Left to itself, it comes to rest.
        for _ in 0..<16 {
            guard let due = supervisor.nextDeadline else { break }
            now = max(now, due)
            try note(supervisor.deadlineReached(at: now))
        }
        try demand(supervisor.nextDeadline == nil && waiting.isEmpty, "everybody is told in the end")
    }

    private static func wish(from source: inout ByteSource) -> HelperRequest.Content? {
        let endpoint = Endpoint(ipv4: 0xC612_0001, port: 7_420)
        switch source.choice(of: 4) {
        case 0: return .map(PortWish(transport: .udp, inside: endpoint, outsidePort: 7_420))
        case 1:
            return .unmap(
                OpenedPort(transport: .udp, outsidePort: 7_420, outsideAddress: nil, lease: 0, router: ""))
        case 2:
            return .put(
                DHTItem(key: .zero, sequence: 1, value: [], signature: [UInt8](repeating: 0, count: 64)))
        default: return .get(.zero)
        }
    }
}
