import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Fresh records and operations, pushed as soon as they are there.
extension MeshEngine {
    /// Sends a fresh run over every link of its group; one that came over a link only to devices that have none to its sender.
    mutating func push(_ run: Run, in group: GroupID, except source: LinkID?) {
        let candidates = links(sharing: group).filter { !hasFrom(source, $0, of: group) }
        guard !candidates.isEmpty else { return }
        guard let message = rumourMessage(run, in: group) else { return announceSoon(group, except: source) }
        for link in candidates { deliver(message, over: link) }
    }

    /// Whether the peer of a link gets what came over `source` from there: it is the sender, or the sender has a link to it.
    private func hasFrom(_ source: LinkID?, _ link: LinkID, of group: GroupID) -> Bool {
        guard let source, link != source else { return link == source }
        guard let key = sessions[link]?.key, let device = groups[group]?.state.device(linkKey: key) else {
            return false
        }
        return presence[group]?.isNeighbour(DeviceHandle(device.device), of: source) ?? false
    }

    private struct RumourMessage {
        let name: Rumours.Name
        let group: GroupID
        let bytes: [UInt8]
    }

    /// Nil where the run does not fit a datagram: it is announced by digest and fetched.
    private func rumourMessage(_ run: Run, in group: GroupID) -> RumourMessage? {
        guard run.packed.count <= ProtocolLimits.maximumRumourRecordSize, let name = Rumours.name(of: run) else {
            return nil
        }
        return RumourMessage(name: name, group: group, bytes: LinkMessage.rumour(GroupHandle(group), run).encoded)
    }

    private mutating func deliver(_ message: RumourMessage, over link: LinkID) {
        guard let summary = links.pathSummary(link) else { return }
        sendDatagram(message.bytes, over: link)
        // A stream repeats by itself.
        guard summary.hasDatagrams else { return }
        let interval =
            summary.via == .lan
            ? Rumours.fastInterval
            : max(Rumours.minimumInternetInterval, (summary.roundTripTime ?? .zero) * 3 / 2)
        let isStarted = rumours.start(
            Rumours.Key(name: message.name, link: link),
            Rumours.Delivery(group: message.group, message: message.bytes, attempts: 1, interval: interval),
            due: now.advanced(by: interval))
        // Too many at once: this one is not repeated, and the digest tells whether it came.
        if !isStarted { announceSoon(message.group, except: nil) }
    }

    mutating func receivedRumour(_ run: Run, of group: GroupID, over link: LinkID) {
        if let author = pacedAuthor(of: run.feed, in: group), !pacing.isReady(author, at: now) {
            // Not acknowledged and not kept: it is fetched in its turn.
            let turn = pacing.nextTurn(of: author, at: now)
            let resumption = sessions[link]?.groups[group]?.resumption
            if resumption == nil { sessions[link]?.groups[group]?.resumption = (turn, false) }
            return
        }
        let outcome: (reception: FeedReplica.Reception, merged: [MergedRecord])
        do {
            guard let received = try groups[group]?.receive(run, arrival: nextArrival, wall: wall) else { return }
            outcome = received
        } catch {
            if case .gap = error {
                guard takeIdle(Conduct.misplacedWeight, over: link) else { return }
            } else if !refused(run, because: error, in: group, over: link) {
                return
            }
            switch error {
            case .gap, .differentHistory, .unknownAuthor:
                // Something before it is missing here, or its author is new: the exchange brings both.
                startRound(over: link, group: group, comparingAll: false)
            case .malformed, .invalidSignature, .limitReached, .pastCut: break
            }
            return
        }
        if let name = Rumours.name(of: run) {
            rumours.acknowledged(Rumours.Key(name: name, link: link))
            sendDatagram(LinkMessage.rumourAcknowledged(name).encoded, over: link)
        }
        guard !outcome.reception.isDuplicate else {
            _ = takeIdle(run.count, over: link)
            return
        }
        push(run, in: group, except: link)
        var change = DurableChange()
        note(outcome.reception, of: run.feed, in: group, change: &change)
        compact(run.feed, in: group, change: &change)
        persistMerge(change, of: group, merged: outcome.merged, then: [])
    }

    /// Sends what is due again. A peer that acknowledged nothing is told the digest, which it will answer when it can.
    mutating func dueRumours() -> [(LinkID, [UInt8])] {
        let (again, abandoned) = rumours.due(at: now)
        for (link, group) in abandoned where isAuthorised(link, in: group) { sendDigest(of: group, over: link) }
        return again.map { ($0.0, $0.1) }
    }
}
