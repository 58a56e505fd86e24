import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Sends beacons on the local networks, and answers those of others.
extension Reachability {
    /// Sends a beacon to the local networks, or to one address. A member there may be new to this device, which then has no
    /// key and address to dial it.
    mutating func call(_ target: Endpoint?, core: inout EngineCore) {
        guard discovery.isStarted else { return }
        let hour = Beacon.hour(of: core.wall)
        let content = Beacon.Content(kind: .query, port: discovery.port, linkKey: core.identity.linkKey.publicKey)
        // A newcomer asks under its invite, a member under its access keys; a member never calls under an invite.
        let slots = discovery.takeCalledSources().map {
            (hourKey: Beacon.hourKey($0.key, hour: hour), content: content)
        }
        guard !slots.isEmpty else { return }
        core.outputs.append(.sendBeacon(Beacon.make(slots, entropy: &core.entropy), to: target))
    }

    private mutating func answerBeacon(hourKey: [UInt8], to target: Endpoint, core: inout EngineCore) {
        let reply = Beacon.Content(kind: .answer, port: discovery.port, linkKey: core.identity.linkKey.publicKey)
        core.outputs.append(.sendBeacon(Beacon.make([(hourKey, reply)], entropy: &core.entropy), to: target))
    }

    /// Whether this node answers although it has enough links: about `wantedLinks` of those online do, at random.
    private mutating func isChosenToAnswer(in group: GroupID, links: Int, core: inout EngineCore) -> Bool {
        guard links >= Dialler.wantedLinks else { return false }
        return core.randomNumber(below: max(1, presence[group]?.count ?? 0)) < Dialler.wantedLinks
    }

    private func isCurrent(_ linkKey: AgreementPublicKey, in group: GroupID, core: EngineCore) -> Bool {
        core.groups[group]?.state.device(linkKey: linkKey)?.isCurrent ?? false
    }

    /// Takes in a beacon.
    ///
    /// - Returns: false if the bytes are not a beacon of ours.
    mutating func handleBeacon(_ bytes: [UInt8], from endpoint: Endpoint, core: inout EngineCore) -> Bool {
        // Other bytes may still be a packet of a link, so they are not reported as refused.
        guard discovery.isStarted, bytes.count == Beacon.size,
            core.budget.charge(.beaconsOfSource, to: .source(endpoint), at: core.now),
            core.budget.charge(.beacons, to: .everybody, at: core.now),
            let (source, hourKey, content) = discovery.read(bytes, wall: core.wall)
        else { return false }
        guard content.linkKey != core.identity.linkKey.publicKey else { return true }
        let target = Endpoint(address: endpoint.address, port: content.port, scope: endpoint.scope)
        if let code = source.code {
            core.post(.friendBeacon(content, code, hourKey: hourKey, from: target))
        } else if joinedGroups.contains(source.group), content.kind == .answer {
            core.post(.joinSighted(source.group, target))
        } else if source.invite != nil, content.kind == .query {
            answerBeacon(hourKey: hourKey, to: target, core: &core)
        } else if let linkKey = source.linkKey {
            if core.links.link(to: content.linkKey) == nil {
                let links = core.links(of: source.group, allowing: .records, upTo: Dialler.wantedLinks).count
                dialSighted(
                    content.linkKey, in: source.group, under: linkKey, at: target, links: links, core: &core)
                // If there was no room to dial it, it may have room to dial us. Some of many members answer; that is enough.
                if content.kind == .query, isCurrent(content.linkKey, in: source.group, core: core),
                    isChosenToAnswer(in: source.group, links: links, core: &core)
                {
                    answerBeacon(hourKey: hourKey, to: target, core: &core)
                }
            } else if content.kind == .query, isCurrent(content.linkKey, in: source.group, core: core) {
                // Perhaps it has just restarted, and this side still has the old link: let it dial.
                answerBeacon(hourKey: hourKey, to: target, core: &core)
            }
        }
        return true
    }
}
