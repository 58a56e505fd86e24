import StreakRandom
import StreakWire
import Testing

struct BytesTests {
    @Test func `names are ordered as their bytes are`() {
        var numbers = SplitMix64(seed: 1)
        for _ in 0..<500 {
            let left = (0..<32).map { _ in UInt8.random(in: 0...2, using: &numbers) }
            let right = (0..<32).map { _ in UInt8.random(in: 0...2, using: &numbers) }
            guard let first = Bytes32(left), let second = Bytes32(right) else { return #expect(Bool(false)) }
            #expect(first.array == left)
            #expect((first < second) == left.lexicographicallyPrecedes(right))
        }
    }

    @Test(arguments: [0, 1, 15, 17, 31, 33, 64])
    func `only the right number of bytes makes a name`(count: Int) {
        #expect(Bytes32([UInt8](repeating: 0, count: count)) == nil)
        #expect(count == 16 || Bytes16([UInt8](repeating: 0, count: count)) == nil)
        #expect(DeviceID([UInt8](repeating: 0, count: count)) == nil)
    }

    @Test func `hexadecimal digits come back as bytes`() {
        let bytes = [UInt8](0...255)
        #expect([UInt8](hexadecimal: bytes.hexadecimal) == bytes)
        #expect([UInt8](hexadecimal: bytes.hexadecimal.uppercased()) == bytes)
    }

    @Test(arguments: ["0", "abc", "0g", "0x", "é0", " 00"])
    func `what is no pair of digits is refused`(text: String) {
        #expect([UInt8](hexadecimal: text) == nil)
    }

    @Test(arguments: SigningContext.allCases)
    func `no context's prefix begins another's`(context: SigningContext) {
        for other in SigningContext.allCases where other != context {
            #expect(!other.prefix.starts(with: context.prefix))
        }
        #expect(context.prefix.last == 0)
    }
}

struct EndpointTests {
    @Test(
        arguments: [
            (0x7F00_0001, true, true), (0x0A01_0203, false, true), (0xAC10_0001, false, true),
            (0xAC20_0001, false, false),
            (0xC0A8_0114, false, true), (0xA9FE_0001, false, true), (0x0808_0808, false, false),
        ] as [(UInt32, Bool, Bool)])
    func `IPv4 addresses are told apart`(address: UInt32, isLoopback: Bool, isLocal: Bool) {
        let endpoint = Endpoint(ipv4: address, port: 7_420)
        #expect(endpoint.ipv4 == address)
        #expect(endpoint.isLoopback == isLoopback)
        #expect(endpoint.isLocal == isLocal)
        #expect(!endpoint.isLinkLocal)
    }

    @Test(
        arguments: [
            (0, 1, true, false, true), (0xFE80_0000_0000_0000, 1, false, true, true),
            (0xFD00_0000_0000_0000, 1, false, false, true), (0x2001_0DB8_0000_0000, 1, false, false, false),
        ] as [(UInt64, UInt64, Bool, Bool, Bool)])
    func `IPv6 addresses are told apart`(
        high: UInt64, low: UInt64, isLoopback: Bool, isLinkLocal: Bool, isLocal: Bool
    ) {
        let endpoint = Endpoint(address: Bytes16(high, low), port: 1)
        #expect(endpoint.ipv4 == nil)
        #expect(endpoint.isLoopback == isLoopback)
        #expect(endpoint.isLinkLocal == isLinkLocal)
        #expect(endpoint.isLocal == isLocal)
    }

    /// RFC 5952 §4.
    @Test(
        arguments: [
            (0x2001_0DB8_0000_0000, 1, "2001:db8::1"), (0, 0, "::"), (0, 1, "::1"),
            (0x2001_0DB8 << 32, 0, "2001:db8::"),
            (0x2001_0DB8_0000_0001, 0x0001_0001_0001_0001, "2001:db8:0:1:1:1:1:1"),
            (0x2001_0000_0000_0001, 0x0000_0000_0000_0001, "2001:0:0:1::1"),
            (0x2001_0DB8_0000_0000, 0x0001_0000_0000_0001, "2001:db8::1:0:0:1"),
            (0x2001_0DB8_00AB_0CDE, 0x0001_0002_0003_0004, "2001:db8:ab:cde:1:2:3:4"),
        ] as [(UInt64, UInt64, String)])
    func `endpoints are written for people`(high: UInt64, low: UInt64, text: String) {
        #expect(Endpoint(ipv4: 0xC000_0201, port: 7_420).description == "192.0.2.1:7420")
        #expect(Endpoint(address: Bytes16(high, low), port: 80).description == "[\(text)]:80")
    }

    @Test(
        arguments: [
            (0x0000_0001, false), (0x0A00_0001, false), (0x643F_FFFF, true), (0x6440_0000, false), (0x647F_FFFF, false),
            (0x6480_0000, true), (0x7F00_0001, false), (0xA9FE_0001, false), (0xAC10_0001, false), (0xAC20_0001, true),
            (0xC0A8_0001, false), (0xC612_0001, true), (0xDFFF_FFFF, true), (0xE000_0001, false), (0xFFFF_FFFF, false),
        ] as [(UInt32, Bool)])
    func `an IPv4 address is told only if it is one on the internet`(address: UInt32, told: Bool) {
        #expect(Endpoint(ipv4: address, port: 1_024).mayBeTold == told)
        #expect(!Endpoint(ipv4: address, port: 1_023).mayBeTold)
    }

    @Test(
        arguments: [
            (0, 1, false), (0x1FFF_0000_0000_0000, 1, false), (0x2000_0000_0000_0000, 1, true),
            (0x2001_0DB8_0000_0000, 1, true), (0x2002_0A00_0001_0000, 1, false), (0x3FFF_0000_0000_0000, 1, true),
            (0x4000_0000_0000_0000, 1, false),
            (0xFD00_0000_0000_0000, 1, false), (0xFE80_0000_0000_0000, 1, false), (0xFF02_0000_0000_0000, 1, false),
        ] as [(UInt64, UInt64, Bool)])
    func `an IPv6 address is told only if it is a global unicast one`(high: UInt64, low: UInt64, told: Bool) {
        #expect(Endpoint(address: Bytes16(high, low), port: 7_420).mayBeTold == told)
    }

    @Test func `a provider is an IPv4 16 or an IPv6 32`() {
        #expect(Endpoint(ipv4: 0xC612_0001, port: 1).provider == Endpoint(ipv4: 0xC612_FFFF, port: 2).provider)
        #expect(Endpoint(ipv4: 0xC612_0001, port: 1).provider != Endpoint(ipv4: 0xC613_0001, port: 1).provider)
        let low = Endpoint(address: Bytes16(0x2001_0DB8_0000_0000, 1), port: 1)
        #expect(low.provider == Endpoint(address: Bytes16(0x2001_0DB8_FFFF_0000, 9), port: 1).provider)
        #expect(low.provider != Endpoint(address: Bytes16(0x2001_0DB9_0000_0000, 1), port: 1).provider)
    }
}
