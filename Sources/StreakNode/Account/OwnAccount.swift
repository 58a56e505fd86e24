import StreakCrypto
import StreakEngine
import StreakMembership
import StreakReplication
import StreakScores
import StreakStorage
import StreakWire

/// This user's account: its name, its secret, its machines, and its backups.
final class OwnAccount {
    private let core: NodeCore
    private let loop: NodeLoop
    private let store: Store
    private let folder: DataFolder

    init(core: NodeCore, loop: NodeLoop, store: Store, folder: DataFolder) {
        (self.core, self.loop, self.store, self.folder) = (core, loop, store, folder)
    }

    // MARK: Profile

    func profile() -> ProfileReport {
        ProfileReport(
            user: core.identity.user.description, device: core.identity.device.description, name: core.ownName,
            friendCode: core.text(of: NodeCore.friendCodeSetting) ?? "", recoveryConfirmed: isRecoveryConfirmed)
    }

    /// Groups in which this user goes by an alias keep the alias. Groups in which sharing has stopped keep the old
    /// name.
    func rename(to name: String) async throws -> ProfileReport {
        let name = try Argument.checkName(name)
        try await loop.execute(
            .write(core.ownGroups.compactMap { profileWrite(in: $0, name: name) }),
            with: [.keepSetting(name: NodeCore.nameSetting, value: Array(name.utf8))])
        return profile()
    }

    /// The record that tells a group this user's name. Nil if the group knows it, uses the alias, or is to get nothing
    /// new; also nil while a newly linked device has not heard the name itself.
    private func profileWrite(in group: GroupID, name: String) -> (group: GroupID, drafts: [RecordDraft])? {
        let known = core.views[group]?.profiles[core.identity.user]
        guard !name.isEmpty, !core.sharing(in: group).isStopped, known?.isAnonymous != true, known?.name != name,
            known != nil || core.isNew(in: group)
        else { return nil }
        var profile = known ?? Profile(name: name)
        profile.name = name
        return (group, [.value(profile)])
    }

    /// Tells every group this user's name that does not know it. If a process ended between joining and introducing the
    /// user, the next start makes up for it.
    func introduceWhereUnknown() {
        let name = core.ownName
        let writes = core.ownGroups.compactMap { profileWrite(in: $0, name: name) }
        guard !writes.isEmpty else { return }
        loop.post(.write(writes))
        loop.process()
    }

    // MARK: Copies

    func backup(to path: String, passphrase: String) async throws -> BackupReport {
        guard passphrase.count >= MeshNode.minimumPassphraseLength else {
            throw NodeFailure.weakPassphrase(minimum: MeshNode.minimumPassphraseLength)
        }
        guard !loop.isClosed else { throw NodeFailure.stopping }
        let content = BackupContent(secrets: try Account.secrets(in: folder))
        do {
            let size = try await Self.write(store, content, in: folder, to: path, passphrase: passphrase)
            return BackupReport(file: path, bytes: size)
        } catch StorageError.fileExists {
            throw NodeFailure.cannotWriteFile(reason: "it exists already")
        } catch StorageError.failed(let reason) {
            throw NodeFailure.cannotWriteFile(reason: reason)
        } catch let error as SealedArchiveError {
            throw NodeFailure(error)
        }
    }

    /// The passphrase's slow hash and the sealing run outside the node's actor.
    @concurrent
    private static func write(
        _ store: Store, _ content: BackupContent, in folder: DataFolder, to path: String, passphrase: String
    ) async throws -> Int {
        var entropy = SystemEntropy()
        return try Backup.write(
            store, content, in: folder, to: path, passphrase: passphrase, entropy: &entropy)
    }

    // MARK: The secret

    private var isRecoveryConfirmed: Bool { !Account.hasSecret(in: folder) }

    func recoveryKey() throws -> RecoveryKeyReport {
        guard let key = try Account.secret(in: folder, of: core.identity.user) else {
            throw NodeFailure.recoveryKeyNeeded
        }
        return RecoveryKeyReport(user: core.identity.user.description, key: RecoveryKey(key).text())
    }

    /// Removes the account's secret from this machine, once its user has shown that they have the recovery key.
    func confirmRecoveryKey(_ text: String) throws -> RecoveryReport {
        _ = try accountKey(text)
        try Account.forgetSecret(in: folder)
        core.publish(.groupsChanged)
        return RecoveryReport(recoveryConfirmed: true)
    }

    /// The account's key, from the recovery key or, if nil, from this machine.
    private func accountKey(_ text: String?) throws -> SigningSecretKey {
        guard let text else {
            guard let key = try Account.secret(in: folder, of: core.identity.user) else {
                throw NodeFailure.recoveryKeyNeeded
            }
            return key
        }
        let key = try NodeFailure.translating { () throws(RecoveryKeyError) in try RecoveryKey(text) }
        guard key.user == core.identity.user else { throw NodeFailure.otherRecoveryKey }
        return key.accountKey
    }

    // MARK: Machines

    func ownDevices() -> [DeviceReport] {
        guard let privateGroup = core.privateGroup else { return [] }
        // A machine made by the recovery key may not have met the others, which shared groups know. The private group
        // says which machines are shut out, wherever they still are.
        var found: [DeviceID: GroupState.Device] = [:]
        var current: Set<DeviceID> = []
        for group in [privateGroup] + (core.engine.isShutOut ? [] : core.memberGroups) {
            for device in core.engine.state(of: group)?.devices ?? [] where device.user == core.identity.user {
                found[device.device] = found[device.device] ?? device
                guard device.isCurrent, !core.engine.isGivenUp(device.certificate) else { continue }
                current.insert(device.device)
            }
        }
        let groups = [privateGroup] + core.memberGroups
        let strays = Dictionary(uniqueKeysWithValues: core.strayMachines.map { ($0.device, $0.groups) })
        return found.keys.sorted().compactMap { found[$0] }.map { device in
            let isThis = device.device == core.identity.device
            let isOnline =
                isThis ? core.isServing : groups.contains { core.engine.route(to: device.device, in: $0) != nil }
            return DeviceReport(
                device: device.device.description, name: core.accountSettings.machineName(of: device.device),
                this: isThis,
                state: current.contains(device.device) && !(isThis && core.engine.isShutOut) ? "current" : "revoked",
                online: isOnline, lastSeen: isOnline ? Timestamp(seconds: core.clock.wallTime.seconds).text : nil,
                certifiedBy: device.certificate.issuers.last?.description ?? "account", origin: origin(of: device),
                stillIn: strays[device.device]?.map(core.title) ?? [])
        }
    }

    /// How a machine became one of the user's. The account key certifies the first, and every machine that the recovery
    /// key makes; such machines say so in the private group.
    private func origin(of device: GroupState.Device) -> String? {
        guard device.certificate.isIssuedByAccount else { return "device" }
        let settings = core.accountSettings
        if settings.isRecovered(device.device) { return "recoveryKey" }
        if device.device == core.identity.device { return "account" }
        // The account was made with exactly one machine. If it is this one, no other is.
        if core.identity.certificate.isIssuedByAccount, !settings.isRecovered(core.identity.device) {
            return "recoveryKey"
        }
        // Every machine in the private group has said how it was made.
        let near = core.privateGroup.flatMap(core.engine.state)?.devices ?? []
        return near.contains { $0.device == device.device } ? "account" : nil
    }

    /// This user's machines, and which of them share the private results.
    func deviceList() -> DeviceListReport {
        let near = Set((core.privateGroup.flatMap(core.engine.state)?.devices ?? []).map(\.device.description))
        return DeviceListReport(
            devices: ownDevices().map { device in
                var device = device
                device.sharesPrivate = near.contains(device.device)
                return device
            })
    }

    private func id(of device: DeviceReport) -> DeviceID? {
        let known = core.ownGroups.flatMap { core.engine.state(of: $0)?.devices ?? [] }.map(\.device)
        return known.first { $0.description == device.device }
    }

    func renameDevice(_ selector: String, to name: String) async throws -> DeviceListReport {
        let named = ownDevices().matching(selector)
        guard let device = named.first, named.count == 1, let id = id(of: device) else {
            throw NodeFailure.unknownDevice(selector)
        }
        try await loop.storeSettings([AccountSettings.draft(naming: id, try Argument.checkMachineName(name))])
        return deviceList()
    }

    /// Names this machine as its system does, unless it has a name.
    func nameThisMachine() async throws {
        guard let name = core.configuration.machineName, !core.configuration.isGuest, core.privateGroup != nil,
            !core.engine.isShutOut, core.accountSettings.machineName(of: core.identity.device) == nil,
            let shown = DisplayText.validatedTitle(name, maximumLength: ProtocolLimits.maximumNameLength)
        else { return }
        try await loop.storeSettings([AccountSettings.draft(naming: core.identity.device, shown)])
    }

    func revokeDevice(_ selector: String, key: String?) async throws -> DeviceListReport {
        let named = ownDevices().matching(selector)
        let found = named.filter { $0.state == "current" || !$0.stillIn.isEmpty }
        if found.isEmpty, named.count == 1 { throw NodeFailure.alreadyShutOut(selector) }
        guard let device = found.first, found.count == 1, !device.this, let id = id(of: device) else {
            throw NodeFailure.unknownDevice(selector)
        }
        let outcome = try await loop.execute(.revokeDevice(id, accountKey: try accountKey(key)))
        core.publish(.groupsChanged)
        var report = deviceList()
        if case .refusedBy(let groups) = outcome { report.refusedBy = groups.map { core.groupReport($0).title } }
        return report
    }

    /// A link that makes one new machine this user's, within ten minutes.
    func deviceLink() async throws -> DeviceLinkReport {
        guard case .invite(_, let text) = try await loop.execute(.linkDevice) else {
            throw NodeFailure.storageFailed("no link was made")
        }
        return DeviceLinkReport(
            link: text, expires: Timestamp(seconds: core.clock.wallTime.seconds + MeshEngine.deviceLinkLifetime).text)
    }
}

extension NodeFailure {
    /// Runs `body`. If it refuses a recovery key, throws a failure with a reason for the user.
    static func translating(_ body: () throws(RecoveryKeyError) -> RecoveryKey) throws -> RecoveryKey {
        do {
            return try body()
        } catch .empty {
            throw NodeFailure.invalidRecoveryKey(reason: "it is empty")
        } catch .wrongLength(let expected, let actual) {
            throw NodeFailure.invalidRecoveryKey(
                reason: "it has \(actual) \(actual == 1 ? "symbol" : "symbols") instead of \(expected)")
        } catch .invalidCharacter(let character) {
            throw NodeFailure.invalidRecoveryKey(reason: "“\(character)” is in no recovery key")
        } catch .wrongChecksum {
            throw NodeFailure.invalidRecoveryKey(reason: "at least one symbol is mistyped")
        }
    }
}
