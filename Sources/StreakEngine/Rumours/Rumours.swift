import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Pushes fresh records to everybody at once, and passes on those of others.
struct Rumours: Sendable {
    private var deliveries = Deliveries()

    var nextDeadline: MonotonicInstant? { deliveries.nextDeadline }

    mutating func linkClosed(_ link: LinkID) { deliveries.linkClosed(link) }

    mutating func acknowledged(_ name: RumourName, over link: LinkID) {
        deliveries.acknowledged(Deliveries.Key(name: name, link: link))
    }

    /// Sends a fresh run over every link of its group. If it came over a link, skips that link and devices linked to
    /// its sender.
    ///
    /// - Parameter presence: who has links to whom in the group.
    mutating func push(
        _ run: Run, in group: GroupID, except source: LinkID?, presence: Presence?, core: inout EngineCore
    ) {
        let candidates = core.links(of: group, allowing: .records).filter {
            !hasFrom(source, $0, by: core.device(on: $0, in: group), presence: presence)
        }
        guard !candidates.isEmpty else { return }
        guard let message = rumourMessage(run, in: group, core: core) else {
            return core.post(.announceSoon(group, except: source))
        }
        for link in candidates { deliver(message, over: link, core: &core) }
    }

    /// Whether the peer of a link gets the run without this device: it sent the run, or has a link to the device that
    /// did.
    private func hasFrom(_ source: LinkID?, _ link: LinkID, by device: DeviceID?, presence: Presence?) -> Bool {
        guard let source, link != source else { return link == source }
        guard let device else { return false }
        return presence?.isNeighbour(DeviceHandle(device), of: source) ?? false
    }

    private struct RumourMessage {
        let name: RumourName
        let group: GroupID
        let bytes: [UInt8]
    }

    /// Nil if the run does not fit a datagram: then it is announced by digest and fetched.
    private func rumourMessage(_ run: Run, in group: GroupID, core: EngineCore) -> RumourMessage? {
        guard run.packed.count <= ProtocolLimits.maximumRumourRecordSize, let name = Deliveries.name(of: run) else {
            return nil
        }
        return RumourMessage(name: name, group: group, bytes: LinkMessage.rumour(GroupHandle(group), run).encoded)
    }

    private mutating func deliver(_ message: RumourMessage, over link: LinkID, core: inout EngineCore) {
        guard let summary = core.links.pathSummary(link) else { return }
        core.sendDatagram(message.bytes, over: link)
        // A stream repeats lost bytes itself.
        guard summary.hasDatagrams else { return }
        let interval =
            summary.via == .lan
            ? Deliveries.fastInterval
            : max(Deliveries.minimumInternetInterval, (summary.roundTripTime ?? .zero) * 3 / 2)
        let isStarted = deliveries.start(
            Deliveries.Key(name: message.name, link: link),
            Deliveries.Delivery(group: message.group, message: message.bytes, attempts: 1, interval: interval),
            due: core.now.advanced(by: interval))
        // Too many at once: this one is not repeated, and the digest shows whether it arrived.
        if !isStarted { core.post(.announceSoon(message.group, except: nil)) }
    }

    mutating func receivedRumour(_ run: Run, of group: GroupID, over link: LinkID, core: inout EngineCore) {
        if let author = core.pacedAuthor(of: run.feed, in: group), !core.budget.isReady(author, at: core.now) {
            // Neither acknowledged nor kept: this node fetches it when the author's budget allows.
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
                // A predecessor is missing here, or the author is new: an exchange brings both.
                core.post(.startRound(group, link))
            case .malformed, .invalidSignature, .limitReached, .pastCut: break
            }
            return
        }
        var work: [Work] = []
        if let name = Deliveries.name(of: run) {
            deliveries.acknowledged(Deliveries.Key(name: name, link: link))
            work.append(.acknowledgeRumour(name, link))
        }
        guard !outcome.reception.isDuplicate else {
            _ = core.charge(.redundantRecords, run.count, over: link)
            return core.persist(DurableChange(), then: work)
        }
        work.append(.pushRun(group, run, except: link))
        keep(outcome.reception, outcome.merged, of: run.feed, in: group, then: work, core: &core)
    }

    /// Takes the newest records that a member has left. Who holds the group's key could have written them: only the signature
    /// of each feed counts. Where records before them are missing, they are left out: a link brings them.
    ///
    /// - Returns: whether anything was new.
    mutating func receivedLetter(_ bytes: [UInt8], in group: GroupID, core: inout EngineCore) -> Bool {
        var reader = WireReader(bytes)
        var hasNews = false
        while reader.remainingCount > 0 {
            // A liar's, as all that does not fit below.
            guard core.isCurrentMember(of: group), let run = try? Run(from: &reader) else { break }
            guard core.isFound(run.feed.device, in: group) else { continue }
            switch received(run, in: group, core: &core) {
            case .new: hasNews = true
            case .nothingNew: break
            // Each costs a signature check of up to 4,096 records, and nobody knows who has left the letter.
            case .refused: return hasNews
            }
        }
        return hasNews
    }

    private enum Reading { case new, nothingNew, refused }

    /// Takes a run from a letter.
    private func received(_ run: Run, in group: GroupID, core: inout EngineCore) -> Reading {
        guard core.pacedAuthor(of: run.feed, in: group).map({ core.budget.isReady($0, at: core.now) }) ?? true else {
            return .nothingNew
        }
        do {
            guard
                let (reception, merged) = try core.groups[group]?.receive(
                    run, arrival: core.journal.nextArrival, wall: core.wall), !reception.isDuplicate
            else { return .nothingNew }
            keep(reception, merged, of: run.feed, in: group, then: [.pushRun(group, run, except: nil)], core: &core)
            return .new
        } catch .gap {
            return .nothingNew
        } catch {
            core.publish(.runRefused(group, error))
            switch error {
            case .malformed, .invalidSignature: return .refused
            case .unknownAuthor, .gap, .differentHistory, .limitReached, .pastCut: return .nothingNew
            }
        }
    }

    /// Shows and stores what is new. The sender and other peers hear that it is here once it is stored.
    private func keep(
        _ reception: FeedReplica.Reception, _ merged: [MergedRecord], of feed: FeedID, in group: GroupID,
        then work: [Work], core: inout EngineCore
    ) {
        var change = DurableChange()
        core.recordReception(reception, of: feed, in: group, change: &change)
        core.compact(feed, in: group, change: &change)
        core.persistMerge(change, of: group, merged: merged, then: work)
    }

    /// Sends what is due again. A peer that acknowledged nothing is told the digest instead.
    mutating func runTimers(core: inout EngineCore) {
        let (again, abandoned) = deliveries.due(at: core.now)
        for (link, group) in abandoned where core.access(of: link, in: group).contains(.records) {
            core.post(.tellDigest(group, link))
        }
        for (link, message) in again { core.sendDatagram(message, over: link) }
    }
}
