import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What this device leaves in the DHT, and whose notices it looks for (Protocol/reachability.md §5).
///
/// A notice says where its device is, and holds a *letter*: the newest records of it and of friends. So this device looks for every member of a
/// group who is not online there: often while it has no link of the group beyond the local network, seldom otherwise. Besides, the inviter and the newcomer of
/// an invite find each other that way.
struct Notices: Sendable {
    private enum Subject: Sendable {
        case member(DeviceID, of: GroupID, keyIndex: Int, isToday: Bool)
        case inviter(CommandID)
        case newcomer
    }

    /// A place that was asked about and has not answered to the end yet.
    private struct Question: Sendable {
        let place: NoticePlace
        let subject: Subject
        let end: MonotonicInstant
        var isAnswered = false
    }

    /// Something that is looked for again and again.
    private struct Search: Sendable {
        var due: MonotonicInstant
        var rounds = 0
        let began: MonotonicInstant
        var lastLook: MonotonicInstant?
        var company = Company.nobody
    }

    /// With whom of a group this device has links.
    private enum Company {
        case nobody
        /// Devices on the local network alone: when the provider gives it another address, they have lost all others, too.
        case neighbours
        case others
    }

    /// A newcomer's address, towards which this device's router is kept open.
    private struct Knock: Sendable {
        var due: MonotonicInstant
        var end: MonotonicInstant
    }

    // For members.
    static let firstWait: Duration = .seconds(20)
    /// How long after the last link was lost the first look is. Until then the known addresses are dialled.
    static let lossWait: Duration = .seconds(5)
    /// After the first look; then twice as long each time, up to `lonelyInterval`. Who lost everybody at the same time may leave
    /// its new address a little later.
    static let secondWait: Duration = .seconds(40)
    static let lonelyInterval: Duration = .seconds(300)
    static let interval: Duration = .seconds(1_800)
    static let devicesARound = 8
    /// 70 minutes, in milliseconds: a device signs new whereabouts every 30. Clocks differ.
    static let signOfLife: UInt64 = 70 * 60_000
    /// With neighbours alone, after so many rounds, whoever is missing is most likely off.
    static let roundsWithNeighbours = 5
    /// Every so many rounds the key before the newest is tried: who was away at a removal knows no other.
    static let roundsToAnEarlierKey = 4
    // For newcomers, and for the inviter.
    static let inviteInterval: Duration = .seconds(300)
    /// Most links are opened at once, by somebody who waits. With those after it, 23 searches in the first hour.
    static let youngInviteInterval: Duration = .seconds(45)
    static let youth: Duration = .seconds(600)
    static let knockLifetime: Duration = .seconds(140)
    static let joinWait: Duration = .seconds(2)
    static let joinInterval: Duration = .seconds(15)
    static let maximumInvites = 8
    // For this device's own.
    static let putDelay: Duration = .seconds(10)
    /// Some at once: an address that changes, or a friend who joins, is told without a pause.
    static let putRate = TokenBucket.Limit(burst: 3, interval: .seconds(120))
    /// A node that has just come to the DHT may know nobody there yet, so the first pause is short.
    static let retryPauses: [Duration] = [.seconds(20), .seconds(60), .seconds(300)]
    static let putInterval: Duration = .seconds(1_800)
    static let groupsAPut = 8
    /// Friends whose newest records a letter carries, if they wrote within these days.
    static let friendsCarried = 2
    static let daysCarried: Int64 = 2
    /// Bytes of a knock for a newcomer: as many as the message that answers it.
    static let knockSize = 488
    static let maximumKnocks = 32
    static let maximumQuestions = 64
    static let patience: Duration = .seconds(60)

    private static let secondsADay: Int64 = 86_400
    private static let newcomer = DeviceID(bytes: .zero)

    /// Whether notices hold letters: their own switch.
    var leavesLetters = true {
        didSet { if leavesLetters != oldValue { hasNews = true } }
    }
    private var questions: [Bytes32: Question] = [:]
    private var groups: [GroupID: Search] = [:]
    private var invites: [OperationID: Search] = [:]
    private var joins: [CommandID: Search] = [:]
    private var knocks: [Endpoint: Knock] = [:]
    /// The addresses in the last notices; nil before the first.
    private var lastEntries: [Whereabouts.Entry]?
    private var putDue: MonotonicInstant?
    private var puts = TokenBucket(putRate)
    /// Before this, nothing is put, unless this device has moved: what was put has reached nobody.
    private var pauseEnd: MonotonicInstant?
    private var failures = 0
    private var lastSequence: Int64 = 0
    /// Whether there is something that the last notices lack, besides addresses.
    private var hasNews = false
    /// Whether links, members or invites may have changed since this was looked at.
    private var isStale = true

    /// Links, members, invites or the setting have changed.
    mutating func reconsider() { isStale = true }

    /// This device has got other addresses, as after a sleep: who has no link looks again soon.
    mutating func networkChanged(at now: MonotonicInstant) {
        for (group, search) in groups where search.company == .nobody {
            groups[group]?.due = min(search.due, now.advanced(by: Self.lossWait))
        }
    }

    /// This device has written a record.
    mutating func wrote(_ run: Run, core: EngineCore) {
        if run.feed.device == core.identity.device, leavesLetters { hasNews = true }
    }

    /// A letter has brought something: whoever has not read it finds it in this device's own.
    mutating func readLetter() {
        if leavesLetters { hasNews = true }
    }

    /// When something is due next.
    var nextDeadline: MonotonicInstant? {
        // The least of all is the same in any order.
        let waiting = [
            groups.values.lazy.map(\.due).min(), invites.values.lazy.map(\.due).min(),
            joins.values.lazy.map(\.due).min(),
            knocks.values.lazy.map(\.due).min(), putDue,
        ]
        return waiting.compactMap(\.self).min()
    }

    // MARK: Turns

    /// What other machines know, when it is this one's turn.
    struct Surroundings {
        let isAllowed: Bool
        /// Whose whereabouts are known, this device's among them.
        let table: WhereaboutsTable
        /// Who is online.
        let presence: [GroupID: Presence]
        /// The commands by which this device joins, with their links.
        let joining: [(id: CommandID, link: InviteLink)]
    }

    /// Does what is due.
    mutating func runTimers(_ around: Surroundings, core: inout EngineCore) {
        guard around.isAllowed, core.network.isStarted else {
            guard nextDeadline != nil || !questions.isEmpty else { return }
            let letters = leavesLetters
            self = Notices()
            return leavesLetters = letters
        }
        follow(around.joining, at: core.now)
        if isStale {
            isStale = false
            followGroups(core: core)
            followInvites(core: core)
        }
        let own = around.table[core.identity.device]?.whereabouts
        schedulePut(own, core: core)
        guard let due = nextDeadline, due <= core.now else { return }
        if let putDue, putDue <= core.now { put(own, around, core: &core) }
        lookForMembers(around, core: &core)
        lookForNewcomers(core: &core)
        lookForInviters(around.joining, core: &core)
        knock(core: &core)
        questions = questions.filter { $0.value.end > core.now }
    }

    private func others(in group: GroupID, core: EngineCore) -> [DeviceID] {
        guard core.isCurrentMember(of: group) else { return [] }
        return (core.groups[group]?.state.devices ?? []).map(\.device).filter { device in
            device != core.identity.device && core.isFound(device, in: group)
        }
    }

    private mutating func followGroups(core: EngineCore) {
        var found: [GroupID: Search] = [:]
        for group in core.groups.keys where !others(in: group, core: core).isEmpty {
            var search = groups[group] ?? Search(due: core.now.advanced(by: Self.firstWait), began: core.now)
            let company = company(in: group, core: core)
            if company != search.company {
                let isLoss = search.company == .others
                (search.company, search.rounds) = (company, 0)
                let wait = company == .others ? Self.secondWait : isLoss ? Self.lossWait : Self.firstWait
                // Links that come and go do not cause looks all the time.
                let next = max(core.now.advanced(by: wait), search.lastLook?.advanced(by: Self.secondWait) ?? .zero)
                search.due = company == .others ? next : min(search.due, next)
            }
            found[group] = search
        }
        groups = found
    }

    private func company(in group: GroupID, core: EngineCore) -> Company {
        let links = core.links(of: group, allowing: .records)
        let isBeyond = links.contains { !(core.links.pathSummary($0)?.endpoint.isLocal ?? true) }
        return isBeyond ? .others : links.isEmpty ? .nobody : .neighbours
    }

    private static func pause(after search: Search) -> Duration {
        // The fourth is the longest.
        let lonely = min(secondWait * (1 << min(search.rounds, 3)), lonelyInterval)
        return switch search.company {
        case .nobody: lonely
        case .neighbours: search.rounds < roundsWithNeighbours - 1 ? lonely : interval
        case .others: interval
        }
    }

    private mutating func followInvites(core: EngineCore) {
        var found: [OperationID: Search] = [:]
        for invite in liveInvites(core: core) {
            if invites[invite.id] == nil { hasNews = true }
            let begin = Search(due: core.now.advanced(by: Self.youngInviteInterval), began: core.now)
            found[invite.id] = invites[invite.id] ?? begin
        }
        invites = found
    }

    /// The invites that this device made, and that still let somebody in; those that live longest.
    private func liveInvites(core: EngineCore) -> [GroupState.Invite] {
        let all = core.groups.keys.filter { core.isCurrentMember(of: $0) }.flatMap { group in
            (core.groups[group]?.state.invites ?? []).filter { invite in
                invite.author == core.identity.device && invite.isLive(at: core.wall.seconds)
            }
        }
        return Array(all.sorted { ($0.expiresAt, $0.id) > ($1.expiresAt, $1.id) }.prefix(Self.maximumInvites))
    }

    private mutating func follow(_ joining: [(id: CommandID, link: InviteLink)], at now: MonotonicInstant) {
        guard !joining.isEmpty || !joins.isEmpty else { return }
        var found: [CommandID: Search] = [:]
        for (id, _) in joining {
            if joins[id] == nil { hasNews = true }
            found[id] = joins[id] ?? Search(due: now.advanced(by: Self.joinWait), began: now)
        }
        joins = found
    }

    // MARK: This device's notices

    private mutating func schedulePut(_ own: Whereabouts?, core: EngineCore) {
        let hasMoved = lastEntries ?? [] != own?.entries ?? []
        guard hasNews || hasMoved else { return }
        // What changes together is told together; but who joins is at hand, and waits.
        let delay = joins.isEmpty ? Self.putDelay : .zero
        let next = max(core.now.advanced(by: delay), puts.nextAdmission, hasMoved ? .zero : pauseEnd ?? .zero)
        putDue = min(putDue ?? next, next)
    }

    private mutating func put(
        _ own: Whereabouts?, _ around: Surroundings, core: inout EngineCore
    ) {
        guard puts.admits(at: core.now) else { return putDue = puts.nextAdmission }
        // Where it is now, the way into the DHT may be another.
        if lastEntries ?? [] != own?.entries ?? [] { (pauseEnd, failures) = (nil, 0) }
        lastEntries = own?.entries ?? []
        putDue = core.now.advanced(by: Self.putInterval)
        hasNews = false
        lastSequence = max(lastSequence + 1, core.wall.seconds)
        let before = core.outputs.count
        defer { if core.outputs.count > before { puts.charge(at: core.now) } }
        let today = Self.day(core.wall)
        // In its last hour the next day is served, too: clocks differ.
        let isLate = core.wall.seconds - today * Self.secondsADay >= Self.secondsADay - 3_600
        let days = isLate ? [today, today + 1] : [today]
        let served = core.groups.keys.filter { !others(in: $0, core: core).isEmpty }
            .sorted { (latest($0, core: core), $0) > (latest($1, core: core), $1) }.prefix(Self.groupsAPut)
        for group in served {
            guard let key = core.groups[group]?.accessKeys.first else { continue }
            let content = Notice.Content(
                whereabouts: own, letter: letter(of: group, around, core: core))
            guard content.whereabouts != nil || !content.letter.isEmpty else { continue }
            put(content, under: RendezvousKey(of: key), of: core.identity.device, days, core: &core)
        }
        guard let own else { return }
        let content = Notice.Content(whereabouts: own)
        for invite in liveInvites(core: core) {
            let key = RendezvousKey(ofInvite: invite.presharedKey)
            put(content, under: key, of: core.identity.device, days, core: &core)
        }
        for (_, link) in around.joining {
            let key = RendezvousKey(ofInvite: link.secrets.presharedKey)
            put(content, under: key, of: Self.newcomer, days, core: &core)
        }
    }

    private mutating func put(
        _ content: Notice.Content, under key: RendezvousKey, of device: DeviceID, _ days: [Int64],
        core: inout EngineCore
    ) {
        for day in days {
            let notice = key.place(of: device, day: day)
                .notice(of: content, sequence: lastSequence, entropy: &core.entropy)
            core.outputs.append(.putNotice(notice))
        }
    }

    /// The newest records of a group: this device's own, and those of friends who are not online to leave theirs.
    private func letter(of group: GroupID, _ around: Surroundings, core: EngineCore) -> [UInt8] {
        guard leavesLetters, let replica = core.groups[group] else { return [] }
        let own = replica.ownEpoch.flatMap { replica.feeds[FeedID(device: core.identity.device, epoch: $0)] }
        let feeds =
            feedsOfOthers(in: replica, of: group, around.presence[group], around.table, core: core)
            + [own].compactMap(\.self)
        var writer = WireWriter()
        for (index, feed) in feeds.enumerated() {
            // What one leaves of its share is for those after it.
            let share = (Notice.maximumLetterSize - writer.bytes.count) / (feeds.count - index)
            feed.newest(upTo: share)?.encode(into: &writer)
        }
        return writer.bytes
    }

    /// Feeds of friends who are not online, one each, those who wrote last first.
    private func feedsOfOthers(
        in replica: GroupReplica, of group: GroupID, _ presence: Presence?, _ table: WhereaboutsTable, core: EngineCore
    ) -> [FeedReplica] {
        let oldest = core.wall.milliseconds - Self.daysCarried * Self.secondsADay * 1_000
        var feeds: [UserID: (latest: HybridTime, feed: FeedReplica)] = [:]
        for feed in replica.feeds.feeds
        where feed.id.device != core.identity.device && core.isFound(feed.id.device, in: group) {
            guard let user = replica.state.device(feed.id.device)?.user,
                !isOnline(feed.id.device, presence, table, core: core),
                let latest = replica.merged.latest(of: user), latest.milliseconds >= oldest,
                feeds[user].map({ $0.feed.lastArrival < feed.lastArrival }) ?? true
            else { continue }
            feeds[user] = (latest, feed)
        }
        return feeds.sorted { ($0.value.latest, $0.key) > ($1.value.latest, $1.key) }
            .prefix(Self.friendsCarried).map(\.value.feed)
    }

    /// When this user last wrote in a group; before all others where never.
    private func latest(_ group: GroupID, core: EngineCore) -> HybridTime {
        core.groups[group]?.merged.latest(of: core.identity.user) ?? .zero
    }

    /// What was put has reached nobody.
    mutating func putFailed(core: EngineCore) {
        hasNews = true
        // Notices of several groups fail together.
        if let pauseEnd, core.now < pauseEnd { return }
        let last = Self.retryPauses.count - 1
        // Where none has failed for long, what was put since has been stored.
        let isAgain = pauseEnd.map { core.now < $0.advanced(by: Self.retryPauses[last]) } ?? false
        failures = isAgain ? min(failures + 1, last) : 0
        pauseEnd = core.now.advanced(by: Self.retryPauses[failures])
    }

    // MARK: Looking

    private mutating func lookForMembers(_ around: Surroundings, core: inout EngineCore) {
        for group in groups.keys.sorted() {
            guard var search = groups[group], search.due <= core.now else { continue }
            let presence = around.presence[group]
            let sought = others(in: group, core: core).filter { !isOnline($0, presence, around.table, core: core) }
            // Who is always on first, then who was heard last.
            let ranked = sought.sorted { left, right in
                let (one, other) = (around.table[left], around.table[right])
                let (isOn, isOtherOn) = (one?.whereabouts.isAlwaysOn ?? false, other?.whereabouts.isAlwaysOn ?? false)
                if isOn != isOtherOn { return isOn }
                let (age, otherAge) = (one?.age(at: core.now), other?.age(at: core.now))
                return (age ?? WhereaboutsTable.lifetime * 2, left) < (otherAge ?? WhereaboutsTable.lifetime * 2, right)
            }
            let keyIndex = search.rounds % Self.roundsToAnEarlierKey == Self.roundsToAnEarlierKey - 1 ? 1 : 0
            let start = ranked.isEmpty ? 0 : search.rounds * Self.devicesARound % ranked.count
            for offset in 0..<min(Self.devicesARound, ranked.count) {
                ask(about: ranked[(start + offset) % ranked.count], of: group, keyIndex: keyIndex, core: &core)
            }
            search.due = core.now.advanced(by: Self.pause(after: search))
            search.rounds += 1
            // Where everybody is online, the DHT was not asked.
            if !ranked.isEmpty { search.lastLook = core.now }
            groups[group] = search
        }
    }

    /// Whether a device is online: there is a link to it, or others say so and it has signed new whereabouts lately. The word of
    /// others alone would let one member keep the rest from looking for a friend.
    private func isOnline(
        _ device: DeviceID, _ presence: Presence?, _ table: WhereaboutsTable, core: EngineCore
    ) -> Bool {
        guard let route = presence?.route(to: DeviceHandle(device)) else { return false }
        if route.hops == 1 { return true }
        guard let number = table[device]?.whereabouts.number, let signedAt = Int64(exactly: number) else {
            return false
        }
        let (difference, isTooFar) = core.wall.milliseconds.subtractingReportingOverflow(signedAt)
        return !isTooFar && difference.magnitude <= Self.signOfLife
    }

    private mutating func ask(about device: DeviceID, of group: GroupID, keyIndex: Int, core: inout EngineCore) {
        guard let keys = core.groups[group]?.accessKeys, let key = keys.dropFirst(keyIndex).first ?? keys.first else {
            return
        }
        let place = RendezvousKey(of: key).place(of: device, day: Self.day(core.wall))
        ask(place, .member(device, of: group, keyIndex: keyIndex, isToday: true), core: &core)
    }

    private mutating func lookForNewcomers(core: inout EngineCore) {
        for invite in liveInvites(core: core) {
            guard let search = invites[invite.id], search.due <= core.now else { continue }
            let place = RendezvousKey(ofInvite: invite.presharedKey)
                .place(of: Self.newcomer, day: Self.day(core.wall))
            ask(place, .newcomer, core: &core)
            let isYoung = search.began.duration(to: core.now) < Self.youth
            invites[invite.id]?.due = core.now.advanced(
                by: isYoung ? Self.youngInviteInterval : Self.inviteInterval)
        }
        // An invite that has ended since.
        for (id, search) in invites where search.due <= core.now { invites[id] = nil }
    }

    private mutating func lookForInviters(
        _ joining: [(id: CommandID, link: InviteLink)], core: inout EngineCore
    ) {
        for (id, link) in joining {
            guard let search = joins[id], search.due <= core.now else { continue }
            let place = RendezvousKey(ofInvite: link.secrets.presharedKey)
                .place(of: link.inviter, day: Self.day(core.wall))
            ask(place, .inviter(id), core: &core)
            joins[id]?.due = core.now.advanced(by: Self.joinInterval)
        }
    }

    private mutating func ask(_ place: NoticePlace, _ subject: Subject, core: inout EngineCore) {
        guard questions[place.key] == nil, questions.count < Self.maximumQuestions else { return }
        questions[place.key] = Question(place: place, subject: subject, end: core.now.advanced(by: Self.patience))
        core.outputs.append(.getNotice(place.key))
    }

    // MARK: Answers

    /// Somebody has put something at a place. A DHT gives old values first; what is held already changes nothing.
    mutating func found(_ value: [UInt8], at key: Bytes32, core: inout EngineCore) {
        guard let question = questions[key], let content = question.place.open(value) else { return }
        questions[key]?.isAnswered = true
        switch question.subject {
        case .member(let device, let group, _, _):
            if let told = content.whereabouts, told.device == device { core.post(.whereaboutsFound(told.bytes)) }
            if !content.letter.isEmpty { core.post(.letterFound(content.letter, group)) }
        case .inviter(let id):
            guard let told = content.whereabouts, told.isSigned else { return }
            for entry in told.dialled { core.post(.inviterFound(id, entry.endpoint)) }
        case .newcomer:
            guard let told = content.whereabouts, told.isSigned, told.device != core.identity.device else { return }
            for entry in told.dialled {
                guard knocks.count < Self.maximumKnocks || knocks[entry.endpoint] != nil else { break }
                // Many values may name one endpoint: it is knocked at no sooner for that.
                knocks[entry.endpoint] = Knock(
                    due: knocks[entry.endpoint]?.due ?? core.now, end: core.now.advanced(by: Self.knockLifetime))
            }
        }
    }

    /// A search has ended: nothing further is there, or nobody answers. The two look alike.
    mutating func searched(_ key: Bytes32, core: inout EngineCore) {
        guard let question = questions.removeValue(forKey: key), !question.isAnswered,
            case .member(let device, let group, let keyIndex, true) = question.subject,
            let search = groups[group], search.company != .others, let keys = core.groups[group]?.accessKeys,
            let accessKey = keys.dropFirst(keyIndex).first
        else { return }
        // The other's clock, or the time zone of midnight, may differ by some minutes.
        let rendezvous = RendezvousKey(of: accessKey)
        for day in [Self.day(core.wall) - 1, Self.day(core.wall) + 1] {
            ask(
                rendezvous.place(of: device, day: day),
                .member(device, of: group, keyIndex: keyIndex, isToday: false), core: &core)
        }
    }

    private mutating func knock(core: inout EngineCore) {
        for endpoint in knocks.keys.sorted() {
            guard let knock = knocks[endpoint], knock.due <= core.now else { continue }
            guard knock.end > core.now else {
                knocks[endpoint] = nil
                continue
            }
            knocks[endpoint]?.due = core.now.advanced(by: WarmDevices.interval)
            guard core.budget.chargeAll(.dialsBeyondLAN, 1, to: .everybody, at: core.now) else { continue }
            let bytes = core.entropy.bytes(Self.knockSize)
            core.outputs.append(
                .link(.sendDatagram(bytes, to: endpoint, hopLimit: core.links.knockHopLimit)))
        }
    }

    private static func day(_ wall: WallTime) -> Int64 {
        let days = wall.seconds / secondsADay
        return wall.seconds % secondsADay < 0 ? days - 1 : days
    }
}
