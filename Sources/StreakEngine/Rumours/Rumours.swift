import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Fresh records, pushed as soon as they are there, and passed on.
struct Rumours: Sendable {
    private var deliveries = Deliveries()

    var nextDeadline: MonotonicInstant? { deliveries.nextDeadline }

    mutating func linkClosed(_ link: LinkID) { deliveries.linkClosed(link) }

    mutating func acknowledged(_ name: RumourName, over link: LinkID) {
        deliveries.acknowledged(Deliveries.Key(name: name, link: link))
    }

    /// Sends a fresh run over every link of its group; one that came over a link only to devices that have none to its sender.
    ///
    /// - Parameter presence: who has links to whom in the group.
    mutating func push(
        _ run: Run, in group: GroupID, except source: LinkID?, presence: Presence?, core: inout EngineCore
    ) {
        let candidates = core.links(of: group, allowing: .records).filter {
            !hasFrom(source, $0, of: group, presence: presence, core: core)
        }
        guard !candidates.isEmpty else { return }
        guard let message = rumourMessage(run, in: group, core: core) else {
            return core.post(.announceSoon(group, except: source))
        }
        for link in candidates { deliver(message, over: link, core: &core) }
    }

    /// Whether the peer of a link gets what came over `source` from there: it is the sender, or the sender has a link to it.
    private func hasFrom(_ source: LinkID?, _ link: LinkID, of group: GroupID, presence: Presence?, core: EngineCore)
        -> Bool
    {
        guard let source, link != source else { return link == source }
        guard let key = core.sessions[link]?.key, let device = core.groups[group]?.state.device(linkKey: key) else {
            return false
        }
        return presence?.isNeighbour(DeviceHandle(device.device), of: source) ?? false
    }

    private struct RumourMessage {
        let name: RumourName
        let group: GroupID
        let bytes: [UInt8]
    }

    /// Nil where the run does not fit a datagram: it is announced by digest and fetched.
    private func rumourMessage(_ run: Run, in group: GroupID, core: EngineCore) -> RumourMessage? {
        guard run.packed.count <= ProtocolLimits.maximumRumourRecordSize, let name = Deliveries.name(of: run) else {
            return nil
        }
        return RumourMessage(name: name, group: group, bytes: LinkMessage.rumour(GroupHandle(group), run).encoded)
    }

    private mutating func deliver(_ message: RumourMessage, over link: LinkID, core: inout EngineCore) {
        guard let summary = core.links.pathSummary(link) else { return }
        core.sendDatagram(message.bytes, over: link)
        // A stream repeats by itself.
        guard summary.hasDatagrams else { return }
        let interval =
            summary.via == .lan
            ? Deliveries.fastInterval
            : max(Deliveries.minimumInternetInterval, (summary.roundTripTime ?? .zero) * 3 / 2)
        let isStarted = deliveries.start(
            Deliveries.Key(name: message.name, link: link),
            Deliveries.Delivery(group: message.group, message: message.bytes, attempts: 1, interval: interval),
            due: core.now.advanced(by: interval))
        // Too many at once: this one is not repeated, and the digest tells whether it came.
        if !isStarted { core.post(.announceSoon(message.group, except: nil)) }
    }

    mutating func receivedRumour(_ run: Run, of group: GroupID, over link: LinkID, core: inout EngineCore) {
        if let author = core.pacedAuthor(of: run.feed, in: group), !core.budget.isReady(author, at: core.now) {
            // Not acknowledged and not kept: it is fetched in its turn.
            core.publish(.overBudget(.newRecords))
            let turn = core.budget.nextRecords(of: author, at: core.now)
            return core.post(.resumeRound(group, link, at: turn))
        }
        let outcome: (reception: FeedReplica.Reception, merged: [MergedRecord])
        do {
            guard
                let received = try core.groups[group]?.receive(run, arrival: core.journal.nextArrival, wall: core.wall)
            else { return }
            outcome = received
        } catch {
            if case .gap = error {
                guard core.charge(.redundantRecords, PeerAbuseBudget.misplacedWeight, over: link) else { return }
            } else if !core.refused(run, because: error, in: group, over: link) {
                return
            }
            switch error {
            case .gap, .differentHistory, .unknownAuthor:
                // Something before it is missing here, or its author is new: the exchange brings both.
                core.post(.startRound(group, link))
            case .malformed, .invalidSignature, .limitReached, .pastCut: break
            }
            return
        }
        if let name = Deliveries.name(of: run) {
            deliveries.acknowledged(Deliveries.Key(name: name, link: link))
            core.sendDatagram(LinkMessage.rumourAcknowledged(name).encoded, over: link)
        }
        guard !outcome.reception.isDuplicate else {
            _ = core.charge(.redundantRecords, run.count, over: link)
            return
        }
        core.post(.pushRun(group, run, except: link))
        var change = DurableChange()
        core.note(outcome.reception, of: run.feed, in: group, change: &change)
        core.compact(run.feed, in: group, change: &change)
        core.persistMerge(change, of: group, merged: outcome.merged, then: [])
    }

    /// Sends what is due again. A peer that acknowledged nothing is told the digest, which it will answer when it can.
    mutating func runTimers(core: inout EngineCore) {
        let (again, abandoned) = deliveries.due(at: core.now)
        for (link, group) in abandoned where core.access(of: link, in: group).contains(.records) {
            core.post(.tellDigest(group, link))
        }
        for (link, message) in again { core.sendDatagram(message, over: link) }
    }
}
