import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
public import StreakStorage
import StreakWire

/// Linking a further machine to an account (Protocol/friends.md §2).
extension MeshNode {
    /// Makes an empty folder the data folder of another machine, of the account that made the link `text`.
    ///
    /// The machine makes its own keys. One of the account's other machines has to be running and reachable. If linking
    /// fails, nothing is left in the folder.
    ///
    /// - Parameter timeout: In seconds.
    /// - Throws: `NodeFailure`.
    @concurrent
    public static func linkDevice(
        in folder: DataFolder, link text: String, timeout: Int64, listen: String = "0.0.0.0:0", usesLAN: Bool = true
    ) async throws -> ProfileReport {
        do {
            return try await linkDevice(
                in: folder, link: InviteLink.read(text, for: .device), timeout: timeout, listen: listen,
                usesLAN: usesLAN)
        } catch NodeFailure.linkMalformed {
            throw NodeFailure.deviceLink(.malformed)
        } catch NodeFailure.linkTampered {
            throw NodeFailure.deviceLink(.tampered)
        } catch NodeFailure.linkExpired(let expiry, let now) {
            throw NodeFailure.deviceLink(.expired(at: expiry, now: now))
        } catch NodeFailure.linkUsedUp {
            throw NodeFailure.deviceLink(.usedUp)
        } catch NodeFailure.nobodyReachable {
            throw NodeFailure.deviceLink(.nobodyReachable)
        }
    }

    private static func linkDevice(
        in folder: DataFolder, link: InviteLink, timeout: Int64, listen: String, usesLAN: Bool
    ) async throws -> ProfileReport {
        let clock = SystemClock()
        guard !link.isExpired(at: clock.wallTime.seconds) else {
            throw NodeFailure.expired(link, at: clock)
        }
        let lock = try prepare(folder)
        let waiting = folder.inner("linking")
        // Left behind if a crash ended an earlier attempt.
        try waiting.delete()
        let identity: DeviceIdentity
        let linking: DeviceLinking
        do {
            (identity, linking) = try await request(
                link, timeout: timeout, in: waiting,
                configuration: NodeConfiguration(listen: listen, usesNetwork: true, usesLAN: usesLAN, peers: []))
            try waiting.delete()
        } catch NodeFailure.linkExpired {
            try waiting.delete()
            throw NodeFailure.expired(link, at: clock)
        } catch {
            try waiting.delete()
            throw error
        }
        try storeLinking(linking, of: identity, under: link, in: folder)
        lock.close()
        return try await openOnce(folder)
    }

    /// Runs a node without an account, in a temporary folder, until one of the account's machines has answered.
    private static func request(
        _ link: InviteLink, timeout: Int64, in folder: DataFolder, configuration: NodeConfiguration
    ) async throws -> (DeviceIdentity, DeviceLinking) {
        let lock = try prepare(folder)
        var entropy = SystemEntropy()
        let identity = DeviceIdentity.create(accountKey: .generate(from: &entropy), from: &entropy)
        try Account.write(identity, to: folder)
        try folder.finish()
        lock.close()
        let node = try await MeshNode(opening: folder, configuration: configuration)
        let linking = try await withThrowingTaskGroup(of: DeviceLinking?.self) { group in
            group.addTask {
                try await node.run()
                return nil
            }
            group.addTask {
                _ = try await node.ready()
                return try await node.requestDevice(link, timeout: timeout)
            }
            do {
                guard let linking = try await group.next() ?? nil else { throw NodeFailure.stopping }
                await node.close()
                group.cancelAll()
                return linking
            } catch {
                await node.close()
                group.cancelAll()
                throw error
            }
        }
        return (identity, linking)
    }

    private func requestDevice(_ link: InviteLink, timeout: Int64) async throws -> DeviceLinking {
        let outcome = try await loop.execute(.requestDevice(link, timeout: .seconds(max(1, min(timeout, 3_600)))))
        guard case .deviceLinked(let linking) = outcome else { throw NodeFailure.deviceLinkUnknown }
        return linking
    }

    /// Writes what a new machine starts with.
    private static func storeLinking(
        _ linking: DeviceLinking, of identity: DeviceIdentity, under link: InviteLink, in folder: DataFolder
    ) throws {
        guard
            let device = DeviceIdentity(
                certificate: linking.certificate, signingKey: identity.signingKey, linkKey: identity.linkKey)
        else { throw NodeFailure.accountDamaged }
        let code: FriendCode
        let keys: FriendCodeKeys
        do {
            code = try FriendCode(of: device.user)
            keys = try FriendCodeKeys(of: code)
        } catch {
            throw NodeFailure.storageFailed("there is not enough memory for the code’s hash")
        }
        let store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let clock = SystemClock()
        var engine = MeshEngine(
            snapshot: try store.snapshot(), identity: device, entropy: SystemEntropy(), wallTime: clock.wallTime)
        var change = DurableChange()
        let outputs = engine.handle(
            .command(CommandID(number: 1), .setAnswersToCode(keys)), at: clock.now, wallTime: clock.wallTime)
        for case .persist(let part, _) in outputs { change.append(part) }
        var arrival = try store.snapshot().nextArrival
        for group in linking.groups {
            for bytes in group.operations {
                // The engine has checked each of them.
                guard let operation = try? SignedOperation(decoding: bytes) else { throw NodeFailure.accountDamaged }
                change.operations.append(
                    StoredOperation(group: group.group, id: operation.id, bytes: bytes, arrival: arrival))
                arrival += 1
            }
            change.accessKeys += group.accessKeys.map { StoredAccessKey(group: group.group, key: $0) }
        }
        // So that this machine finds the one that made the link without searching.
        change.addresses = (link.addresses.first ?? []).map {
            RememberedAddress(device: link.inviter, endpoint: $0, lastAnswered: clock.wallTime.seconds)
        }
        change.settings[NodeCore.friendCodeSetting] = Array(code.description.utf8)
        try store.apply(change)
        try store.close()
        try Account.write(device, to: folder)
        try folder.finish()
    }
}
