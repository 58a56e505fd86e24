import StreakCrypto
import StreakEngine
import StreakMembership
import StreakWire

/// The account's secret, and this user's machines.
extension MeshNode {
    var isRecoveryConfirmed: Bool { !Account.hasSecret(in: folder) }

    func recoveryKey() throws -> RecoveryKeyReport {
        guard let key = try Account.secret(in: folder, of: identity.user) else { throw NodeFailure.recoveryKeyNeeded }
        return RecoveryKeyReport(user: identity.user.description, key: RecoveryKey(key).text())
    }

    /// Removes the account's secret from this machine once its user has shown to have it elsewhere.
    func confirmRecoveryKey(_ text: String) throws -> RecoveryReport {
        _ = try accountKey(text)
        try Account.forgetSecret(in: folder)
        inbox.publish(.groupsChanged)
        return RecoveryReport(recoveryConfirmed: true)
    }

    /// The account's key, out of the recovery key or, for nil, off this machine.
    private func accountKey(_ text: String?) throws -> SigningSecretKey {
        guard let text else {
            guard let key = try Account.secret(in: folder, of: identity.user) else {
                throw NodeFailure.recoveryKeyNeeded
            }
            return key
        }
        let key = try NodeFailure.translating { () throws(RecoveryKeyError) in try RecoveryKey(text) }
        guard key.user == identity.user else { throw NodeFailure.otherRecoveryKey }
        return key.accountKey
    }

    /// Whether the account has shut this machine out, by whatever group it has heard of it.
    var isShutOut: Bool { engine.isShutOut }

    func ownDevices() -> [DeviceReport] {
        guard let privateGroup else { return [] }
        // A machine that the recovery key has made may not have met the others, which shared groups know. One that is shut
        // out of some groups only is not shut out. The private group's ledger does not tell who is given up by the word for
        // every group.
        var found: [DeviceID: GroupState.Device] = [:]
        var current: Set<DeviceID> = []
        for group in [privateGroup] + (isShutOut ? [] : memberGroups) {
            for device in engine.state(of: group)?.devices ?? [] where device.user == identity.user {
                found[device.device] = found[device.device] ?? device
                guard device.isCurrent, group != privateGroup || !engine.isGivenUp(device.certificate) else { continue }
                current.insert(device.device)
            }
        }
        let groups = [privateGroup] + memberGroups
        return found.keys.sorted().compactMap { found[$0] }.map { device in
            let isThis = device.device == identity.device
            let isOnline = isThis ? network != nil : groups.contains { engine.route(to: device.device, in: $0) != nil }
            return DeviceReport(
                device: device.device.description, this: isThis,
                state: current.contains(device.device) && !(isThis && isShutOut) ? "current" : "revoked",
                online: isOnline, lastSeen: isOnline ? Timestamp(seconds: clock.wallTime.seconds).text : nil,
                certifiedBy: device.certificate.issuers.last?.description ?? "account", origin: origin(of: device))
        }
    }

    /// How a machine became one of the user's. The account key signs for the first, and for each that the recovery key makes;
    /// these say so in the private group.
    private func origin(of device: GroupState.Device) -> String? {
        guard device.certificate.isIssuedByAccount else { return "device" }
        let settings = accountSettings
        if settings.isRecovered(device.device) { return "recoveryKey" }
        if device.device == identity.device { return "account" }
        // There is one that the account was made with. If it is this one, no other is.
        if identity.certificate.isIssuedByAccount, !settings.isRecovered(identity.device) { return "recoveryKey" }
        // Whatever is in the private group has told how it came.
        let near = privateGroup.flatMap(engine.state)?.devices ?? []
        return near.contains { $0.device == device.device } ? "account" : nil
    }

    /// This user's machines, and which of them have the results kept from others.
    func deviceList() -> DeviceListReport {
        let near = Set((privateGroup.flatMap(engine.state)?.devices ?? []).map(\.device.description))
        return DeviceListReport(
            devices: ownDevices().map { device in
                var device = device
                device.sharesPrivate = near.contains(device.device)
                return device
            })
    }

    func revokeDevice(_ selector: String, key: String?) async throws -> DeviceListReport {
        let wanted = selector.lowercased()
        let named = ownDevices().filter { !wanted.isEmpty && $0.device.hasPrefix(wanted) }
        let found = named.filter { $0.state == "current" }
        if found.isEmpty, named.count == 1 { throw NodeFailure.alreadyShutOut(selector) }
        let known = ownGroups.flatMap { engine.state(of: $0)?.devices ?? [] }.map(\.device)
        guard let device = found.first, found.count == 1, !device.this,
            let id = known.first(where: { $0.description == device.device })
        else { throw NodeFailure.unknownDevice(selector) }
        let outcome = try await execute(.revokeDevice(id, accountKey: try accountKey(key)))
        inbox.publish(.groupsChanged)
        var report = deviceList()
        if case .refusedBy(let groups) = outcome { report.refusedBy = groups.map { groupReport($0).title } }
        return report
    }

    /// A group that this user is in, or has just come into, may have one of its machines that was shut out elsewhere: whoever
    /// watches is told, once in a run.
    func tellShutOutMachines(in group: GroupID) {
        guard engine.isMember(of: group) else { return }
        func own(_ group: GroupID, isCurrent: Bool) -> [DeviceID] {
            (engine.state(of: group)?.devices ?? []).filter {
                $0.user == identity.user && $0.isCurrent == isCurrent && $0.device != identity.device
            }.map(\.device)
        }
        let current = Set(own(group, isCurrent: true)).subtracting(toldMachines[group] ?? [])
        guard !current.isEmpty else { return }
        let shutOut = current.intersection(ownGroups.flatMap { own($0, isCurrent: false) })
        toldMachines[group, default: []].formUnion(shutOut)
        let title = title(of: group)
        for device in shutOut.sorted() {
            inbox.publish(
                .notice(
                    "A machine you shut out is still in “\(title)”: "
                        + "`streakmesh device revoke \(device.description.prefix(8))` shuts it out there, too."))
        }
    }
}

extension NodeFailure {
    /// Runs `body`; a text that is no recovery key becomes a failure with a reason for people.
    static func translating(_ body: () throws(RecoveryKeyError) -> RecoveryKey) throws -> RecoveryKey {
        do {
            return try body()
        } catch .empty {
            throw NodeFailure.invalidRecoveryKey(reason: "it is empty")
        } catch .wrongLength(let expected, let actual) {
            throw NodeFailure.invalidRecoveryKey(
                reason: "it has \(actual) \(actual == 1 ? "symbol" : "symbols") in place of \(expected)")
        } catch .invalidCharacter(let character) {
            throw NodeFailure.invalidRecoveryKey(reason: "“\(character)” is in no recovery key")
        } catch .wrongChecksum {
            throw NodeFailure.invalidRecoveryKey(reason: "at least one symbol is another than was shown")
        }
    }
}
