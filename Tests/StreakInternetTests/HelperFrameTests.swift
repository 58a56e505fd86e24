import StreakRandom
import StreakWire
import Testing

@testable import StreakInternet

@Suite struct HelperFrameTests {
    private static let endpoint = Endpoint(ipv4: 0xC612_0001, port: 7_420)
    private static let key = Bytes32(1, 2, 3, 4)
    private static let port = OpenedPort(
        transport: .tcp, outsidePort: 7_421, outsideAddress: endpoint.address, lease: 3_600, pinhole: 9,
        router: "http://192.168.1.1:5000/root.xml")

    static let requests = [
        HelperRequest(
            id: 1,
            .map(PortWish(transport: .udp, inside: endpoint, outsidePort: 7_420, isExact: true, router: "http://r/"))),
        HelperRequest(id: 2, .unmap(port)),
        HelperRequest(
            id: 3, .open(DHTNetwork(bootstrap: ["a.example:6881", "198.18.0.1:6881"], isLab: true), nodes: [endpoint])),
        HelperRequest(
            id: 4, .put(DHTItem(key: key, sequence: -7, value: [1, 2, 3], signature: [UInt8](repeating: 5, count: 64)))),
        HelperRequest(id: 5, .get(key)), HelperRequest(id: 6, .nodes), HelperRequest(id: .max, .close),
    ]

    static let answers =
        [
            HelperAnswer(id: 1, .mapped(port)),
            HelperAnswer(
                id: 1, .mapped(OpenedPort(transport: .udp, outsidePort: 1, outsideAddress: nil, lease: 0, router: ""))),
            HelperAnswer(id: 2, .unmapped), HelperAnswer(id: 3, .opened(nodes: 8)),
            HelperAnswer(id: 4, .stored(count: 0)),
            HelperAnswer(id: 5, .value(DHTValue(sequence: .max, value: [7]))), HelperAnswer(id: 5, .ended),
            HelperAnswer(id: 6, .nodes([endpoint, Endpoint(address: Bytes16(0x2001_0DB8 << 32, 1), port: 1)])),
            HelperAnswer(id: 7, .closed), HelperAnswer(id: 8, .failed(.refused(code: 718))),
        ]
        + [.noRouter, .unconnected, .routerFailed, .wrongSession, .busy, .systemFailed].map {
            HelperAnswer(id: 9, .failed($0))
        }

    @Test(arguments: requests)
    func `a request is what it was encoded from`(request: HelperRequest) throws {
        #expect(try HelperRequest(decoding: request.encoded) == request)
        Self.spoil(request.encoded) { try HelperRequest(decoding: $0).encoded }
    }

    @Test(arguments: answers)
    func `an answer is what it was encoded from`(answer: HelperAnswer) throws {
        #expect(try HelperAnswer(decoding: answer.encoded) == answer)
        Self.spoil(answer.encoded) { try HelperAnswer(decoding: $0).encoded }
    }

    /// Whatever is cut off is refused, and with any bit turned over it is refused or says what it says.
    private static func spoil(_ bytes: [UInt8], _ reencode: ([UInt8]) throws -> [UInt8]) {
        for count in 0..<bytes.count {
            #expect(throws: WireError.self) { try reencode(Array(bytes.prefix(count))) }
        }
        #expect(throws: WireError.trailingBytes(count: 1)) { try reencode(bytes + [0]) }
        for bit in 0..<(bytes.count * 8) {
            var changed = bytes
            changed[bit / 8] ^= 1 << (bit % 8)
            if let again = try? reencode(changed) { #expect(again == changed, "bit \(bit)") }
        }
    }

    @Test func `limits are those of the fields`() throws {
        func refusal(_ write: (inout WireWriter) -> Void, kind: UInt8, ofAnswer isAnswer: Bool) -> WireError? {
            var writer = WireWriter()
            writer.write(kind)
            writer.write(UInt32(1))
            write(&writer)
            do {
                if isAnswer {
                    _ = try HelperAnswer(decoding: writer.bytes)
                } else {
                    _ = try HelperRequest(decoding: writer.bytes)
                }
                return nil
            } catch { return error }
        }
        // A count of nodes that is above the limit, and no node behind it.
        #expect(
            refusal({ $0.writeCount(201) }, kind: 7, ofAnswer: true) == .limitExceeded(limit: 200, actual: 201))
        #expect(
            refusal(
                {
                    $0.write(UInt64(1))
                    $0.writeCount(997)
                }, kind: 5, ofAnswer: true) == .limitExceeded(limit: 996, actual: 997))
        #expect(
            refusal(
                {
                    $0.write(UInt8(0))
                    $0.writeCount(9)
                }, kind: 3, ofAnswer: false) == .limitExceeded(limit: 8, actual: 9))
        #expect(
            refusal(
                {
                    $0.write(UInt8(0))
                    $0.writeCount(1)
                    $0.writeText("a,b c:1")
                }, kind: 3, ofAnswer: false) == .invalidValue(field: "bootstrap"))
    }

    @Test func `what is largest fits a frame`() throws {
        let open = HelperRequest(
            id: .max,
            .open(
                DHTNetwork(bootstrap: Array(repeating: String(repeating: "a", count: 259), count: 8)),
                nodes: Array(repeating: Self.endpoint, count: 200)))
        #expect(open.encoded.count <= HelperFrame.maximumSize)
        #expect(try HelperRequest(decoding: open.encoded) == open)
        let put = HelperRequest(
            id: 1,
            .put(
                DHTItem(
                    key: Self.key, sequence: 1, value: [UInt8](repeating: 1, count: 996),
                    signature: [UInt8](repeating: 1, count: 64))))
        #expect(try HelperRequest(decoding: put.encoded) == put)
    }

    @Test(arguments: 1...20)
    func `frames are found in pieces of any size`(seed: UInt64) throws {
        var random = SplitMix64(seed: seed)
        let contents = Self.requests.map(\.encoded) + [[], [UInt8](repeating: 3, count: HelperFrame.maximumSize)]
        var rest = contents.flatMap(HelperFrame.framed)[...]
        var reader = HelperFrameReader()
        var found: [[UInt8]] = []
        while !rest.isEmpty {
            let piece = rest.prefix(Int.random(in: 1...300, using: &random))
            rest = rest.dropFirst(piece.count)
            reader.append(piece)
            while let frame = try reader.next() { found.append(frame) }
            #expect(reader.pendingCount <= HelperFrame.maximumSize + 2 + 300)
        }
        #expect(found == contents)
        #expect(reader.pendingCount == 0)
    }

    @Test func `a length that is too large is refused before its bytes come`() throws {
        var reader = HelperFrameReader()
        let length = HelperFrame.maximumSize + 1
        reader.append([UInt8(length >> 8), UInt8(length & 255)])
        #expect(throws: WireError.limitExceeded(limit: HelperFrame.maximumSize, actual: UInt64(length))) {
            try reader.next()
        }
    }

    @Test func `an item is signed as BEP 44 says`() {
        // The document's own test vector 1.
        #expect(
            DHTItem.signedBytes(sequence: 1, value: Array("Hello World!".utf8))
                == Array("3:seqi1e1:v12:Hello World!".utf8))
    }
}
