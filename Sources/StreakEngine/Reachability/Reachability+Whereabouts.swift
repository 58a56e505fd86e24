import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Witnesses and whereabouts: where this device is found on the internet, and where others are.
extension Reachability {
    private static let whereaboutsSetting = "whereabouts"
    private static let hoursSetting = "hours-online"
    /// How long whereabouts may wait for the disk: they come again every half hour.
    private static let storeDelay: Duration = .seconds(60)

    // MARK: This device

    /// What this device can tell may have changed: decides when to tell it.
    private mutating func reconsider(core: EngineCore) {
        guard core.network.isStarted else { return }
        own.schedule(own.content(witnesses), at: core.now)
    }

    /// The network is used from now on.
    mutating func beginTelling(core: inout EngineCore) {
        reconsider(core: core)
        for device in whereabouts.devices { expect(device, core: &core) }
    }

    mutating func found(_ entries: [Whereabouts.Entry], core: EngineCore) {
        own.found(entries)
        reconsider(core: core)
    }

    mutating func change(_ setting: InternetSetting, core: inout EngineCore) {
        guard own.setting != setting else { return }
        own.setting = setting
        switch setting {
        case .on:
            for link in core.sessions.keys { tellWhereabouts(over: link, again: true, core: &core) }
            if core.network.isStarted { beginTelling(core: &core) }
        case .off, .lanOnly:
            warm.endAll()
            unknownWhereabouts = WhereaboutsTable(maximumCount: WhereaboutsTable.maximumUnknown)
            reconsider(core: core)
        }
    }

    /// Somebody without a link says where this device's datagrams come from.
    mutating func seen(at endpoint: Endpoint, by witness: Endpoint, core: EngineCore) {
        witnesses.take(endpoint, from: .outside(witness), at: witness, now: core.now)
        reconsider(core: core)
    }

    mutating func receivedSeen(at endpoint: Endpoint, over link: LinkID, core: inout EngineCore) {
        // Who has sent no datagram cannot have seen one.
        guard let path = core.links.pathSummary(link), path.hasDatagrams, let key = core.sessions[link]?.key,
            let device = core.deviceID(of: key), core.charge(.seenEndpoints, to: .device(device)),
            let account = core.member(withKey: key)
        else { return }
        witnesses.take(endpoint, from: .peer(link), of: account, at: path.endpoint, now: core.now)
        reconsider(core: core)
    }

    private mutating func tellOwn(core: inout EngineCore) {
        guard let due = own.due, due <= core.now else { return }
        let content = own.content(witnesses)
        let made = own.make(content, identity: core.identity, at: core.now, wall: core.wall)
        own.schedule(content, at: core.now)
        if let made { keep(made, age: .zero, from: nil, core: &core) }
    }

    private mutating func noteOnline(core: inout EngineCore) {
        guard core.network.isStarted, own.setting == .on, own.nextHour.map({ $0 <= core.now }) ?? true,
            own.noteOnline(at: core.now, wall: core.wall)
        else { return }
        var writer = WireWriter()
        for hour in own.hoursOnline { writer.write(hour) }
        core.storeSetting(Self.hoursSetting, writer.bytes)
    }

    // MARK: Telling

    /// Messages about a group may now flow over a link, or the peer's address has changed.
    mutating func tellWhereabouts(over link: LinkID, again: Bool, core: inout EngineCore) {
        tellSeen(over: link, core: &core)
        let groups = core.groups(on: link, allowing: .whereabouts)
        guard own.setting == .on else { return }
        for group in groups where again || core.sessions[link]?.groups[group]?.wasToldWhereabouts == false {
            core.sessions[link]?.groups[group]?.wasToldWhereabouts = true
            let told = whereabouts.told(at: core.now) { core.isFound($0, in: group) }
            if !told.isEmpty { core.send(.whereabouts(told), over: link) }
        }
    }

    /// A group has just been proven to the peer, as after a join. Before that the peer refused this device's whereabouts, so
    /// they are sent again.
    mutating func greeted(_ link: LinkID, core: inout EngineCore) {
        core.sessions[link]?.toldEndpoint = nil
        tellWhereabouts(over: link, again: true, core: &core)
    }

    /// Says from which endpoint the peer's datagrams come, where that may be told and is news.
    private mutating func tellSeen(over link: LinkID, core: inout EngineCore) {
        guard let summary = core.links.pathSummary(link), summary.hasDatagrams, summary.endpoint.mayBeTold,
            core.sessions[link]?.toldEndpoint != summary.endpoint,
            !core.groups(on: link, allowing: .whereabouts).isEmpty
        else { return }
        core.sessions[link]?.toldEndpoint = summary.endpoint
        core.send(.seenAt(summary.endpoint), over: link)
    }

    // MARK: Taking

    mutating func receivedWhereabouts(_ told: [ToldWhereabouts], over link: LinkID, core: inout EngineCore) {
        guard own.setting == .on, core.charge(.whereabouts, told.count, over: link) else { return }
        guard !core.groups(on: link, allowing: .whereabouts).isEmpty else { return }
        for entry in told {
            // It comes from a later version or a liar. The next one may be sound.
            guard let told = try? Whereabouts(decoding: entry.bytes) else { continue }
            let age = Duration.seconds(Int64(entry.age))
            if core.isFound(told.device, inAnyOf: core.groups.keys) {
                take(told, age: age, from: link, core: &core)
            } else {
                keepUnknown(told, age: age, core: core)
            }
        }
    }

    /// Whereabouts that were found elsewhere than on a link, and are as good as new.
    mutating func foundWhereabouts(_ bytes: [UInt8], core: inout EngineCore) {
        // As above.
        guard own.setting == .on, let found = try? Whereabouts(decoding: bytes),
            core.isFound(found.device, inAnyOf: core.groups.keys)
        else { return }
        take(found, age: .zero, isOfNotice: true, core: &core)
    }

    /// - Parameter link: over which they came; nil where they have not just come over one.
    private mutating func take(
        _ told: Whereabouts, age: Duration, from link: LinkID? = nil, isOfNotice: Bool = false,
        core: inout EngineCore
    ) {
        guard age <= WhereaboutsTable.lifetime else { return }
        if link != nil, told.device != core.identity.device, let before = whereabouts[told.device]?.age(at: core.now),
            whereabouts.rejuvenate(told, age: age, at: core.now)
        {
            passOn(told.device, from: link, core: &core)
            // It was dialled then, if it was young enough.
            if before > WarmDevices.maximumAge { expect(told.device, core: &core) }
            return
        }
        guard whereabouts.isNews(told), told.isSigned else { return }
        guard told.device != core.identity.device else { return own.heard(told.number, at: core.now) }
        // Only after the signature was checked: forged whereabouts use up no budget of the device that they name.
        guard core.charge(.newWhereabouts, to: .device(told.device)) else { return }
        keep(told, age: age, from: link, isOfNotice: isOfNotice, core: &core)
        expect(told.device, core: &core)
    }

    /// Keeps whereabouts of a device that no ledger here names, until one does.
    private mutating func keepUnknown(_ told: Whereabouts, age: Duration, core: EngineCore) {
        guard age <= WhereaboutsTable.lifetime, !isNamed(told.device, core: core) else { return }
        guard !unknownWhereabouts.rejuvenate(told, age: age, at: core.now), unknownWhereabouts.isNews(told),
            told.isSigned
        else { return }
        unknownWhereabouts.take(told, age: age, at: core.now)
    }

    /// Whether a ledger names a device, also a former one.
    private func isNamed(_ device: DeviceID, core: EngineCore) -> Bool {
        core.groups.keys.contains { core.groups[$0]?.state.device(device) != nil }
    }

    private mutating func keep(
        _ news: Whereabouts, age: Duration, from source: LinkID?, isOfNotice: Bool = false, core: inout EngineCore
    ) {
        whereabouts.take(news, age: age, isOfNotice: isOfNotice, at: core.now)
        passOn(news.device, from: source, core: &core)
    }

    /// What is held of a device has changed.
    private mutating func passOn(_ device: DeviceID, from source: LinkID?, core: inout EngineCore) {
        if storeDue == nil { storeDue = core.now.advanced(by: Self.storeDelay) }
        core.publish(.whereaboutsChanged(device))
        guard let held = whereabouts[device] else { return }
        for link in core.sessions.keys where link != source && core.deviceID(over: link) != device {
            guard core.groups(on: link, allowing: .whereabouts).contains(where: { core.isFound(device, in: $0) })
            else { continue }
            core.send(.whereabouts([WhereaboutsTable.told(held, at: core.now)]), over: link)
        }
    }

    /// A ledger has changed: forgets devices that are in no group with this one, and takes what was told of those that
    /// now are.
    mutating func membersChanged(core: inout EngineCore) {
        let hasChanged = whereabouts.keep(at: core.now) { core.isFound($0, inAnyOf: core.groups.keys) }
        if hasChanged, storeDue == nil { storeDue = core.now }
        for device in unknownWhereabouts.devices where isNamed(device, core: core) {
            guard let told = unknownWhereabouts.remove(device), core.isFound(device, inAnyOf: core.groups.keys) else {
                continue
            }
            take(told.whereabouts, age: told.age(at: core.now), core: &core)
        }
        _ = unknownWhereabouts.keep(at: core.now) { _ in true }
    }

    // MARK: On disk

    mutating func restoreWhereabouts(_ snapshot: Snapshot, core: inout EngineCore) {
        whereabouts = WhereaboutsTable(
            stored: snapshot.settings[Self.whereaboutsSetting] ?? [], wall: core.wall)
        membersChanged(core: &core)
        var reader = WireReader(snapshot.settings[Self.hoursSetting] ?? [])
        var hours: [UInt64] = []
        // What does not read was not written by this version.
        while hours.count < 25, let hour = try? reader.readUInt64() { hours.append(hour) }
        own.restore(hours: hours, lastNumber: whereabouts[core.identity.device]?.whereabouts.number ?? 0)
    }

    private mutating func storeWhereabouts(core: inout EngineCore) {
        guard let due = storeDue, due <= core.now else { return }
        storeDue = nil
        core.storeSetting(Self.whereaboutsSetting, whereabouts.encoded(at: core.now, wall: core.wall))
    }

    // MARK: Time

    var whereaboutsDeadline: MonotonicInstant? {
        let waiting = [
            own.due, own.setting == .on ? own.nextHour : nil, storeDue, witnesses.nextDeadline, warm.nextDeadline,
        ]
        return waiting.compactMap(\.self).min()
    }

    mutating func runWhereaboutsTimers(core: inout EngineCore) {
        if witnesses.expire(at: core.now) { reconsider(core: core) }
        noteOnline(core: &core)
        tellOwn(core: &core)
        storeWhereabouts(core: &core)
        dialWarmDevices(core: &core)
    }
}

extension EngineCore {
    /// Whether whereabouts of a device may be told, and heard, in a group: it and this device are current there.
    func isFound(_ device: DeviceID, in group: GroupID) -> Bool {
        guard isCurrentMember(of: group), let known = groups[group]?.state.device(device), known.isCurrent else {
            return false
        }
        return !isPrivate(group) || !isForeign(known)
    }

    func isFound(_ device: DeviceID, inAnyOf groups: [GroupID]) -> Bool {
        groups.contains { isFound(device, in: $0) }
    }

    /// The account of the device at the other end of a link.
    func deviceID(over link: LinkID) -> DeviceID? { sessions[link].flatMap { deviceID(of: $0.key) } }
}
