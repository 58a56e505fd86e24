public import StreakCrypto
public import StreakWire

/// The end of a feed for everybody who accepts the cut: the branch through `hash`, up to `number`.
///
/// | field | type | limit |
/// |---|---|---|
/// | epoch counter, epoch nonce | u32, u64 | |
/// | number of the last accepted record | varint | 1–2²⁰ |
/// | chain hash after that record | 32 bytes | |
/// | the device's signature there (context `feed`) | 64 bytes | |
public struct FeedCut: Hashable, Sendable {
    public let epoch: Epoch
    public let number: UInt64
    public let hash: ChainHash
    /// The device's own signature over (feed, number, hash), so that the run up to here stays verifiable.
    public let signature: Signature

    public init(epoch: Epoch, number: UInt64, hash: ChainHash, signature: Signature) {
        self.epoch = epoch
        self.number = number
        self.hash = hash
        self.signature = signature
    }
}

/// What still counts of one device: its ledger chain up to an operation, and its feeds up to given records.
///
/// | field | type | limit |
/// |---|---|---|
/// | device | 32 bytes | |
/// | its last accepted ledger operation, zero for none | 32 bytes | an ancestor of the cutting operation |
/// | number of feeds | varint | ≤ 64 |
/// | feeds, by rising epoch | `FeedCut` each | no epoch twice |
///
/// A feed that is not listed does not count, and neither does a device that is not listed.
public struct DeviceCut: Hashable, Sendable {
    /// The most feeds that all cuts of one operation may list. With their signatures they fit its 8 KiB.
    static let maximumFeeds = 64
    /// The most devices one operation may cut. A user may have 8, and more after concurrent additions.
    static let maximumDevices = 32

    public let device: DeviceID
    /// `OperationID` of zero bytes: none.
    public let lastOperation: OperationID
    public let feeds: [FeedCut]

    /// Sorts the feeds by epoch.
    public init(device: DeviceID, lastOperation: OperationID, feeds: [FeedCut]) {
        self.device = device
        self.lastOperation = lastOperation
        self.feeds = feeds.sorted { $0.epoch < $1.epoch }
    }

    /// Cuts that fit into one operation. If there are too many feeds, the longest are kept.
    ///
    /// A device may open more epochs than an operation can list. It must be removable nevertheless.
    public static func fitting(_ cuts: [DeviceCut]) -> [DeviceCut] {
        let devices = cuts.sorted { $0.device < $1.device }.prefix(maximumDevices)
        var room = (6_800 - 66 * devices.count) / 112
        var kept: [DeviceID: [FeedCut]] = [:]
        let all = devices.flatMap { cut in cut.feeds.map { (cut.device, $0) } }
        let byLength = all.sorted {
            ($1.1.number, $0.0, $0.1.epoch) < ($0.1.number, $1.0, $1.1.epoch)
        }
        for (device, feed) in byLength where room > 0 {
            kept[device, default: []].append(feed)
            room -= 1
        }
        return devices.map {
            DeviceCut(device: $0.device, lastOperation: $0.lastOperation, feeds: kept[$0.device] ?? [])
        }
    }

    func write(to writer: inout WireWriter) {
        writer.write(device)
        writer.write(lastOperation)
        writer.writeCount(feeds.count)
        for feed in feeds {
            writer.write(feed.epoch)
            writer.writeVarint(feed.number)
            writer.write(feed.hash)
            writer.write(feed.signature)
        }
    }

    init(from reader: inout WireReader) throws(WireError) {
        device = try reader.readIdentifier()
        lastOperation = try reader.readIdentifier()
        let count = try reader.readCount(maximum: Self.maximumFeeds)
        var feeds: [FeedCut] = []
        for _ in 0..<count {
            let epoch = try reader.readEpoch()
            let number = try reader.readVarint(maximum: ProtocolLimits.maximumFeedLength)
            guard number > 0 else { throw .invalidValue(field: "cut number") }
            if let last = feeds.last, last.epoch >= epoch { throw .invalidValue(field: "cut epochs") }
            feeds.append(
                FeedCut(
                    epoch: epoch, number: number, hash: try reader.readIdentifier(),
                    signature: try reader.readSignature()))
        }
        self.feeds = feeds
    }

    /// A list of cuts: a count of at most 32, then the cuts by rising device.
    static func writeList(_ cuts: [DeviceCut], to writer: inout WireWriter) {
        writer.writeCount(cuts.count)
        for cut in cuts { cut.write(to: &writer) }
    }

    static func readList(from reader: inout WireReader) throws(WireError) -> [DeviceCut] {
        let count = try reader.readCount(maximum: maximumDevices)
        var cuts: [DeviceCut] = []
        for _ in 0..<count {
            let cut = try DeviceCut(from: &reader)
            if let last = cuts.last, last.device >= cut.device { throw .invalidValue(field: "cut devices") }
            cuts.append(cut)
        }
        return cuts
    }
}
