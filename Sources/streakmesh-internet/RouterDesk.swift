import CUPnP
import Dispatch
import StreakInternet
import StreakWire
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Has miniupnpc ask the router, one request after the other on a thread of its own: each call blocks.
final class RouterDesk: Sendable {
    /// More wait for nothing good.
    private static let maximumWaiting = 16
    /// Further ports that are tried where a router does not choose one itself.
    private static let otherPorts = 3
    /// Errors of UPnP: the port is somebody else's; only openings without an end are known (WANIPConnection:1 §2.4.16).
    private static let portTaken: CInt = 718
    private static let onlyPermanent: CInt = 725

    private let answers: Answers
    private let queue = DispatchQueue(label: "router")
    private let waiting = Atomic<Int>(0)

    init(answers: Answers) { self.answers = answers }

    func take(_ request: HelperRequest) {
        guard waiting.add(1, ordering: .relaxed).newValue <= Self.maximumWaiting else {
            waiting.subtract(1, ordering: .relaxed)
            return answers.give(.failed(.busy), to: request.id)
        }
        queue.async { [self] in
            switch request.content {
            case .map(let wish): answers.give(Self.map(wish), to: request.id)
            case .unmap(let port): answers.give(Self.unmap(port), to: request.id)
            case .open, .put, .get, .nodes, .close: break
            }
            waiting.subtract(1, ordering: .relaxed)
        }
    }

    private static func map(_ wish: PortWish) -> HelperAnswer.Content {
        let router: Router
        do {
            router = try Router(at: wish.router, isIPv6: wish.inside.ipv4 == nil)
        } catch {
            return .failed(error)
        }
        guard wish.inside.ipv4 != nil else { return addPinhole(wish, at: router) }
        var (error, port, lease) = add(wish, at: router, lease: wish.lease)
        if error == onlyPermanent { (error, port, lease) = add(wish, at: router, lease: 0) }
        guard error == 0 else { return .failed(refusal(of: error)) }
        return .mapped(
            OpenedPort(
                transport: wish.transport, outsidePort: port, outsideAddress: router.outsideAddress, lease: lease,
                router: router.location))
    }

    private static func add(
        _ wish: PortWish, at router: Router, lease: UInt32
    ) -> (error: CInt, port: UInt16, lease: UInt32) {
        if !wish.isExact, router.choosesPort {
            let (error, port) = router.addAny(
                wish.transport, outside: wish.outsidePort, inside: wish.inside.port, lease)
            // Some routers say that they could and cannot.
            if error == 0 || error == onlyPermanent { return (error, port, lease) }
        }
        var port = wish.outsidePort
        var error = router.add(wish.transport, outside: port, inside: wish.inside.port, lease)
        var tries = wish.isExact ? 0 : otherPorts
        while error == portTaken, tries > 0 {
            // Dynamic ports (RFC 6335 §6).
            port = .random(in: 49_152...65_535)
            error = router.add(wish.transport, outside: port, inside: wish.inside.port, lease)
            tries -= 1
        }
        return (error, port, lease)
    }

    private static func addPinhole(_ wish: PortWish, at router: Router) -> HelperAnswer.Content {
        let (error, pinhole) = router.addPinhole(wish.transport, to: wish.inside, wish.lease)
        guard error == 0 else { return .failed(refusal(of: error)) }
        return .mapped(
            OpenedPort(
                transport: wish.transport, outsidePort: wish.inside.port, outsideAddress: wish.inside.address,
                lease: wish.lease, pinhole: pinhole, router: router.location))
    }

    private static func unmap(_ port: OpenedPort) -> HelperAnswer.Content {
        do {
            let router = try Router(at: port.router, isIPv6: port.pinhole != nil)
            let error =
                port.pinhole.map(router.deletePinhole) ?? router.delete(port.transport, outside: port.outsidePort)
            return error == 0 ? .unmapped : .failed(refusal(of: error))
        } catch {
            return .failed(error)
        }
    }

    private static func refusal(of error: CInt) -> HelperRefusal {
        error > 0 ? .refused(code: UInt16(clamping: error)) : .routerFailed
    }
}

/// A router that was found, and what miniupnpc holds of it.
@safe private final class Router {
    private let router: OpaquePointer

    init(at location: String, isIPv6: Bool) throws(HelperRefusal) {
        var search = streak_router_none
        guard let router = unsafe streak_router_find(location, isIPv6, &search) else {
            throw search == streak_router_unconnected ? .unconnected : .noRouter
        }
        unsafe self.router = router
    }

    deinit { unsafe streak_router_release(router) }

    /// Where it describes itself; empty where that is no printable ASCII, as an address is.
    var location: String {
        let text = unsafe String(cString: streak_router_location(router))
        return text.utf8.allSatisfy { (0x21...0x7E).contains($0) } ? text : ""
    }

    var choosesPort: Bool { unsafe streak_router_chooses_port(router) }

    /// Its address on the internet, if it says one.
    var outsideAddress: Bytes16? {
        var text = [CChar](repeating: 0, count: 40)
        unsafe streak_router_outside(router, &text)
        var address = in_addr()
        guard unsafe inet_pton(AF_INET, text, &address) == 1 else { return nil }
        return Endpoint(ipv4: UInt32(bigEndian: address.s_addr), port: 0).address
    }

    func add(_ transport: PortTransport, outside: UInt16, inside: UInt16, _ lease: UInt32) -> CInt {
        unsafe streak_router_add(router, transport == .tcp, outside, inside, lease)
    }

    func addAny(
        _ transport: PortTransport, outside: UInt16, inside: UInt16, _ lease: UInt32
    ) -> (error: CInt, port: UInt16) {
        var port = outside
        let error = unsafe streak_router_add_any(router, transport == .tcp, &port, inside, lease)
        return (error, port)
    }

    func delete(_ transport: PortTransport, outside: UInt16) -> CInt {
        unsafe streak_router_delete(router, transport == .tcp, outside)
    }

    func addPinhole(
        _ transport: PortTransport, to inside: Endpoint, _ lease: UInt32
    ) -> (error: CInt, pinhole: UInt16) {
        var pinhole: UInt16 = 0
        // In its shortest form: miniupnpd compares it with the asker's as text, and refuses another one (606).
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        unsafe inet_ntop(AF_INET6, inside.address.array, &text, socklen_t(text.count))
        let error = unsafe streak_router_add_pinhole(router, transport == .tcp, text, inside.port, lease, &pinhole)
        return (error, pinhole)
    }

    func deletePinhole(_ pinhole: UInt16) -> CInt { unsafe streak_router_delete_pinhole(router, pinhole) }
}
