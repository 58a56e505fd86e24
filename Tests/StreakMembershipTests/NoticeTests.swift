import StreakCrypto
import StreakWire
import Testing

@testable import StreakMembership

/// What a device leaves sealed in the DHT.
@Suite struct NoticeTests {
    private var entropy = SeededEntropy(seed: 9)
    private let identity: DeviceIdentity
    private let accessKey: AccessKey
    private let told: Whereabouts

    init() {
        identity = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        accessKey = AccessKey.generate(from: &entropy)
        told = Whereabouts(
            number: 7, isSteady: true, isAlwaysOn: false,
            entries: [.init(source: .mapped, endpoint: Endpoint(ipv4: 0xC612_0001, port: 7_420))], identity: identity)
    }

    private var place: NoticePlace { RendezvousKey(of: accessKey).place(of: identity.device, day: 20_778) }

    @Test mutating func `whatever it holds is read again, and all notices have one size`() {
        let letter = (0..<Notice.maximumLetterSize).map { UInt8(truncatingIfNeeded: $0) }
        for content in [
            Notice.Content(whereabouts: told, letter: letter), .init(whereabouts: told),
            .init(whereabouts: nil, letter: [9]),
            .init(whereabouts: nil),
        ] {
            let notice = place.notice(of: content, sequence: 3, entropy: &entropy)
            #expect(place.open(notice.value) == content)
            #expect(notice.value.count == 996 && notice.key == place.key)
        }
    }

    @Test mutating func `its signature is that of BEP 44`() throws {
        let notice = place.notice(of: .init(whereabouts: told), sequence: 1_795_000_000, entropy: &entropy)
        let key = try SigningPublicKey(rawBytes: notice.key.array)
        let text = Array("3:seqi1795000000e1:v996:".utf8) + notice.value
        #expect(key.isValid(try Signature(rawBytes: notice.signature), for: text))
    }

    @Test mutating func `each day, device and key has a place of its own, and opens no other's`() throws {
        let notice = place.notice(of: .init(whereabouts: told), sequence: 1, entropy: &entropy)
        let other = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        let secret = try SymmetricKey(rawBytes: accessKey.key.rawBytes())
        let keys = [RendezvousKey(of: accessKey), RendezvousKey(of: AccessKey.generate(from: &entropy))]
        let others = [
            keys[0].place(of: identity.device, day: 20_777), keys[0].place(of: other.device, day: 20_778),
            keys[1].place(of: identity.device, day: 20_778),
        ]
        for place in others { #expect(place.key != notice.key && place.open(notice.value) == nil) }
        #expect(Set(others.map(\.key)).count == others.count)
        #expect(RendezvousKey(ofInvite: secret).place(of: identity.device, day: 20_778).open(notice.value) != nil)
    }

    @Test mutating func `a changed byte, another size and what does not read are refused`() {
        let value = place.notice(of: .init(whereabouts: told), sequence: 1, entropy: &entropy).value
        for index in stride(from: 0, to: value.count, by: 13) {
            var changed = value
            changed[index] ^= 4
            #expect(place.open(changed) == nil)
        }
        #expect(place.open([]) == nil && place.open(Array(value.dropLast())) == nil && place.open(value + [0]) == nil)
        func opens(_ beginning: [UInt8], size: Int = Notice.plainSize) -> Bool {
            let plain = beginning + [UInt8](repeating: 0, count: size - beginning.count)
            return place.open(place.notice(sealing: plain, sequence: 1, entropy: &entropy).value) != nil
        }
        #expect(opens([0, 0, 0, 0]) && opens([0, 0, 2, 0xDB]))
        #expect(!opens([0, 0, 2, 0xDC]), "a letter that is too long")
        #expect(!opens([3, 0xB9]), "whereabouts that end after the end")
        #expect(!opens([0, 0, 0, 0, 1]), "something behind the letter")
        #expect(!opens([0, 1, 1]), "whereabouts of one byte")
        #expect(!opens([0, 0, 0, 0], size: 955) && !opens([], size: 0))
    }
}
