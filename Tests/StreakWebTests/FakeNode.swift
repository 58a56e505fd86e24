import Synchronization

@testable import StreakNode

/// A node with invented friends, for viewing and testing pages.
final class FakeNode: NodeCalling, AccountMaking {
    enum Scenario: Sendable {
        /// Seven friends, many games, every feature in use.
        case full
        /// An account without a group.
        case lonely
        /// A group without results.
        case silent
        /// Names and titles that try to be markup.
        case hostile
        /// A plain member under an alias, on no board, who has stopped sharing. Another group has removed it.
        case outsider
        /// As `full`, before the recovery key is written down; a guest has left results.
        case unconfirmed
        /// A guest plays.
        case guest
        /// Every request fails.
        case failing
        /// Its only group has removed it.
        case removed
        /// A plain member of a group of two.
        case pair
        /// The account has shut this machine out.
        case shutOut
        /// No account yet; otherwise as `unconfirmed`.
        case newcomer
    }

    let scenario: Scenario
    /// 2026-11-21T09:30:00Z
    static let now: Int64 = 1_795_253_400
    private let requests = Mutex<[any NodeRequest]>([])
    private let refusal = Mutex<NodeFailure?>(nil)

    private let origins = Mutex<[AccountOrigin]>([])

    /// Suffixes for the texts of reports.
    let marks: Marks?

    init(_ scenario: Scenario, marks: [String] = []) {
        self.scenario = scenario
        self.marks = marks.isEmpty ? nil : Marks(marks)
    }

    /// The accounts made so far.
    var accounts: [AccountOrigin] { origins.withLock { $0 } }

    func makeAccount(_ origin: AccountOrigin) async throws -> ProfileReport {
        if case .new(let name, _) = origin, name.isEmpty { throw NodeFailure.invalidName(limit: 40) }
        if case .machine(let link) = origin, link != "streakmesh://device/A" {
            throw link.hasPrefix("streakmesh://join/") ? NodeFailure.linkForGroup : .deviceLink(.malformed)
        }
        if let failure = refusal.withLock({ $0 }) { throw failure }
        guard scenario == .newcomer, accounts.isEmpty else { throw NodeFailure.accountExists }
        origins.withLock { $0.append(origin) }
        return try await call(ProfileRequest.whoami)
    }

    /// From now on every request that would change something fails like this.
    func refuse(with failure: NodeFailure) { refusal.withLock { $0 = failure } }

    /// All requests so far.
    var asked: [any NodeRequest] { requests.withLock { $0 } }

    /// Of these, the requests that would change something.
    var changes: [any NodeRequest] { asked.filter { !$0.isQuestion } }

    static let script = "<script>alert('x')</script>"
    static let group = "9f2c4e0b7a31d5c86e10f4b29d7a3c5e8b1f6024d9c7a3e5b8f0164d2c9a7e3b"

    private static let names = [
        "Ada Lovelace", "Ben", "Chiara Rossi", "Dmitri", "Élodie", "Fatima Zahra", "Grace Hopper-Murray",
    ]

    var title: String { scenario == .hostile ? Self.script : "Sunday puzzlers" }

    func name(_ index: Int) -> String {
        scenario == .hostile && index != 1 ? "\(Self.script)<b>\(index)" : Self.names[index % Self.names.count]
    }

    static func user(_ index: Int) -> String {
        let digits = Array("0123456789abcdef")
        return String((0..<64).map { digits[(index * 7 + $0 * (index + 3)) % 16] })
    }

    func call<Request: NodeRequest>(_ request: Request) async throws -> Request.Report {
        requests.withLock { $0.append(request) }
        if !request.isQuestion, let failure = refusal.withLock({ $0 }) { throw failure }
        guard let report = try answer(request) as? Request.Report else {
            throw NodeFailure.invalidRequest("the fake node answers something else than \(Request.Report.self)")
        }
        return try marks?.marked(report) ?? report
    }

    /// The report for a request that was made before; not recorded again.
    func report(on request: some NodeRequest) throws -> any Sendable { try answer(request) }

    private var isAlone: Bool { scenario == .lonely || scenario == .removed }

    private func answer(_ request: any NodeRequest) throws -> any Sendable {
        if scenario == .failing { throw NodeFailure.storageFailed("/home/somebody/secret.db is broken") }
        if scenario == .newcomer, accounts.isEmpty { throw NodeFailure.noAccount }
        if scenario == .shutOut, request is ScoreRequest { throw NodeFailure.machineShutOut }
        if scenario == .guest, let answer = try answerForGuest(request) { return answer }
        switch request {
        case is ProfileRequest:
            return ProfileReport(
                user: Self.user(1), device: Self.user(40), name: name(1), friendCode: "7K2M-9QXD-R4TV",
                recoveryConfirmed: scenario != .unconfirmed && scenario != .newcomer)
        case is GroupListRequest: return GroupListReport(groups: groups)
        case let request as GroupRequest:
            guard case .create(let title) = request else { return try first(groups) }
            guard !title.isEmpty else { throw NodeFailure.invalidTitle(limit: 60) }
            return GroupReport(id: Self.group, title: title, role: "owner", members: 1, active: true)
        case is GroupSettingsRequest: return settings
        case let request as MemberRequest: return answer(request)
        case is AdmissionRequest: return JoinRequestsReport(requests: [])
        case let request as AnnulmentRequest: return answer(request)
        case is PersonRequest: return PersonReport(user: Self.user(2), name: name(2), code: "7K3M-9QXT-42WJ")
        case is InviteRequest: return invite("a1b2c3", uses: 1)
        case is InviteListRequest: return InviteListReport(invites: scenario == .silent || isAlone ? [] : invites)
        case JoinRequest.join(let link, _, _) as JoinRequest:
            guard !link.contains("nobody") else { throw NodeFailure.nobodyReachable }
            return JoinReport(group: Self.group, title: title, members: 7)
        case LinkRequest.inspect(let link) as LinkRequest:
            guard !link.hasPrefix("streakmesh://device/") else { throw NodeFailure.linkForDevice }
            guard link.lowercased().hasPrefix("streakmesh://join/") else { throw NodeFailure.linkMalformed }
            return InvitePreview(
                group: Self.group, title: title, inviter: Self.laptop, expires: "2026-11-28T09:30:00Z", expired: false,
                alreadyMember: link.hasSuffix("/MEMBER"))
        case let request as ScoreRequest: return try answer(request)
        case is UndoRequest: return UndoReport(restored: [result("wordle", day: "2026-11-21")], withdrawn: [])
        case let request as BoardRequest: return try board(request)
        case ResultsRequest.list(let game, let from, let to) as ResultsRequest:
            let mine = scenario == .silent || isAlone ? [] : results
            return ResultsReport(
                results: mine.filter {
                    (game ?? $0.game) == $0.game && (from ?? $0.day) <= $0.day && $0.day <= (to ?? $0.day)
                })
        case is ClockRequest: return status.clock
        case is DoctorRequest: return diagnosis
        case InternetRequest.show as InternetRequest: return status.internet
        case InternetRequest.change(let setting, _, _) as InternetRequest:
            return InternetReport(setting: setting ?? "on")
        case is StatusRequest: return status
        case is FriendshipRequest: return friends
        case let request as PrivacyRequest:
            switch request {
            case .show(let group), .change(let group, _), .stopSharing(let group), .resumeSharing(let group, _):
                return privacy(of: group)
            }
        case let request as GuestRequest: return answer(request)
        case let request as ReminderRequest: return answer(request)
        case let request as NotificationRequest: return answer(request)
        case let request as TalkRequest: return try answer(request)
        case is ChallengeRequest: return try challenges()
        case let request as MessageRequest: return try answer(request)
        case is FeedRequest: return feed
        case is MuteRequest:
            return MutedReport(
                group: Self.group, title: title, muted: [MutedReport.Person(user: Self.user(4), name: name(4))])
        default:
            guard let report = try answerAboutAccount(request) ?? answerAboutGames(request) ?? insight(request) else {
                throw NodeFailure.invalidRequest("the fake node has no answer to \(type(of: request).name)")
            }
            return report
        }
    }

    private func answer(_ request: ScoreRequest) throws -> AddReport {
        switch request {
        case .add(let text, _, let replace, let groups, _): return try add(text, replace: replace, groups)
        case .preview(let text, _):
            var report = try add(text, replace: false, nil)
            for index in report.added.indices {
                report.added[index].groups = self.groups.filter { $0.role != "left" }.map(\.id)
            }
            return report
        case .publish(_, _, _, let groups):
            return AddReport(added: [result("wordle", day: "2026-11-21")], refused: [], published: groups ?? [])
        case .record, .delete:
            return AddReport(added: [result("wordle", day: "2026-11-21")], refused: [], published: [])
        }
    }

    private func first<Element>(_ elements: [Element]) throws -> Element {
        guard let element = elements.first else { throw NodeFailure.noGroup() }
        return element
    }

    var groups: [GroupReport] {
        let lost = GroupReport(
            id: Self.user(51), title: "Old school friends",
            role: scenario == .outsider || scenario == .removed ? "removed" : "left", members: 4, active: false,
            sharing: false, ended: "2026-11-20T10:00:00Z")
        if scenario == .removed { return [lost] }
        if scenario == .shutOut {
            return [
                GroupReport(
                    id: Self.group, title: title, role: "revoked", members: 4, active: true, sharing: false,
                    ended: "2026-11-20T10:00:00Z")
            ]
        }
        if isAlone || scenario == .guest { return [] }
        let own = GroupReport(
            id: Self.group, title: title, role: scenario == .outsider || scenario == .pair ? "member" : "owner",
            members: scenario == .silent ? 1 : scenario == .pair ? 2 : 7, active: true, sharing: scenario != .outsider)
        guard scenario == .full || scenario == .outsider || scenario == .unconfirmed else { return [own] }
        return [
            own, GroupReport(id: Self.user(50), title: "Office", role: "member", members: 12, active: false), lost,
        ]
    }

    var members: MembersReport {
        let count = scenario == .silent ? 1 : 7
        let order = scenario == .silent ? [1] : Array(0..<count)
        return MembersReport(
            group: Self.group, title: title,
            members: order.map { index -> MemberReport in
                let isAlias = index == 5 || scenario == .outsider && index == 1
                return MemberReport(
                    user: isAlias ? Self.user(index == 1 ? 60 : 61) : Self.user(index),
                    name: isAlias ? index == 1 ? "Player#A1B2" : "Player#E5F6" : name(index), role: role(index),
                    me: index == 1, online: index < 4,
                    lastSeen: index == 6 ? nil : "2026-11-2\(index < 4 ? 1 : 0)T0\(index):12:00Z",
                    behind: index == 6 ? nil : index == 3 ? 12 : 0,
                    via: index == 0 ? "lan" : index == 2 ? "direct" : nil,
                    code: isAlias || index == 6 ? nil : "7K2M-9QXD-R4T\(index)",
                    devices: isAlias ? 0 : index == 2 ? 2 : 1, anonymous: isAlias, hidden: index == 3,
                    region: scenario == .hostile ? Self.script : index == 4 ? "FR" : nil,
                    since: "2026-0\(index + 1)-14T18:20:00Z", admittedBy: name(index == 1 ? 1 : index == 0 ? 1 : 0),
                    invite: index == 1 ? nil : "a1b2c3d4e5f6", heir: index == (scenario == .outsider ? 1 : 2))
            }, waiting: waiting, former: former)
    }

    private func role(_ index: Int) -> String {
        let owner = scenario == .outsider ? 0 : 1
        return index == owner ? "owner" : index == 2 ? "admin" : "member"
    }

    private var invites: [InviteReport] {
        var overused = invite("0718", uses: 2)
        (overused.link, overused.used, overused.overused, overused.approval) = ("", 3, true, true)
        (overused.author, overused.mine) = (name(0), false)
        return [invite("a1b2c3", uses: 1), invite("d4e5f6", uses: nil), overused]
    }

    private func invite(_ id: String, uses: Int?) -> InviteReport {
        let payload = String(repeating: "K7Q2M9XDR4TVBN3HJ8W5C1ZYPA06EGFS", count: 14)
        return InviteReport(
            link: "streakmesh://join/\(payload.prefix(440))", id: id, expires: "2026-11-28T09:30:00Z", uses: uses,
            used: 0,
            group: Self.group, title: title)
    }

    private var status: StatusReport {
        let groups = self.groups.prefix(2).map {
            GroupStatus(id: $0.id, title: $0.title, digest: "00", records: 12_480, members: $0.members, online: 3)
        }
        let peers = [
            ("Ada Lovelace", "linked", "lan", 48), ("Chiara Rossi", "linked", "direct", 12),
            ("Dmitri", "silent", "lan", 130),
        ]
        var internet = InternetReport(setting: "on")
        if scenario == .full { internet.withoutAlwaysOn = [title] }
        var report = StatusReport(
            state: isAlone ? "local only" : scenario == .silent ? "offline" : "live", groups: groups,
            peers: scenario == .full
                ? peers.map {
                    PeerStatus(
                        device: "d", user: nil, name: $0.0, state: $0.1, via: $0.2, address: "192.0.2.1:7421",
                        lastHeard: Timestamp(seconds: Self.now - Int64($0.3)).text)
                }
                : [], version: "0.1.0", running: true, listen: nil, web: nil, lastSync: "2026-11-21T09:25:00Z",
            recoveryConfirmed: scenario != .unconfirmed, guest: scenario == .guest ? guestName : nil,
            internet: internet)
        report.shutOut = scenario == .shutOut
        return report
    }

    // MARK: Games and results

    private static let catalogue: [(String, String, String, String, Bool)] = [
        ("wordle", "Wordle", "🟩", "word", true), ("connections", "Connections", "🟪", "meaning", true),
        ("mini", "The Mini", "⏱️", "word", true), ("strands", "Strands", "🔵", "word", true),
        ("quordle", "Quordle", "🔲", "word", true), ("spellingbee", "Spelling Bee", "🐝", "word", true),
        ("worldle", "Worldle", "🌍", "geography", false), ("framed", "Framed", "🎬", "screen", false),
        ("nerdle", "Nerdle", "➗", "number", false), ("pips-hard", "Pips, hard", "🎲", "logic", false),
        ("bandle", "Bandle", "🎵", "music", false), ("tradle", "Tradle", "📦", "geography", false),
    ]

    var games: [GameReport] {
        Self.catalogue.map {
            GameReport(
                id: $0.0, name: $0.1, model: "lowerAttempts", favourite: $0.4,
                url: scenario == .hostile ? "javascript:alert(1)" : "https://example.org/\($0.0)", category: $0.3,
                icon: $0.2)
        } + ownGames
    }

    func result(_ game: String, day: String, edited: Bool = false, late: Bool = false) -> ResultReport {
        let labels = ["wordle": "3 guesses", "connections": "not solved", "mini": "0:42", "strands": "1 hint"]
        return ResultReport(
            game: game, gameName: scenario == .hostile ? Self.script : Self.catalogue.first { $0.0 == game }?.1 ?? game,
            day: day, puzzle: game == "wordle" ? 1_617 : nil, score: 3, maxAttempts: 6,
            completed: game != "connections",
            seconds: game == "mini" ? 42 : nil, hints: nil, points: game == "connections" ? 0 : 4,
            label: labels[game] ?? "5 pts",
            replaced: false, unchanged: false, edited: edited, late: late,
            groups: game == "quordle" ? [] : [Self.group])
    }

    private var results: [ResultReport] {
        let logs = ownGames.isEmpty ? [] : [1_361_757_531, 1_361_771_201]
        return logs.map { number in
            var log = result(Self.habit, day: "2026-11-21")
            (log.gameName, log.puzzle, log.score, log.label) = (gameName(Self.habit), number, 1, "1 log")
            log.model = "count"
            return log
        } + [
            result("wordle", day: "2026-11-21"), result("connections", day: "2026-11-21"),
            result("mini", day: "2026-11-20", edited: true), result("wordle", day: "2026-11-20"),
            result("strands", day: "2026-11-20"), result("quordle", day: "2026-11-20"),
            result("wordle", day: "2026-11-18", late: true),
            result("wordle", day: "2026-11-17"), result("mini", day: "2026-11-17"),
            result("strands", day: "2026-11-12"),
        ]
    }

    private func add(_ text: String, replace: Bool, _ groups: [String]?) throws -> AddReport {
        guard text.utf8.count <= 65_536 else { throw NodeFailure.textTooLong(limit: 65_536) }
        var report = AddReport(added: [], refused: [], published: [])
        if text.contains("Wordle") {
            let wordle = result("wordle", day: "2026-11-21")
            if text.contains("5/6"), !replace {
                report.refused.append(
                    RefusedText(
                        text: text, reason: "conflict", message: "Wordle 1,617 is recorded with another result.",
                        recorded: wordle))
            } else {
                report.added.append(wordle)
            }
        } else if !text.isEmpty {
            report.refused.append(
                RefusedText(
                    text: text, reason: "notRecognised",
                    message: "This is no result that I know. Nearest: Wordle 1,617 3/6.",
                    recorded: nil))
        }
        let all = self.groups.isEmpty ? [] : [Self.group]
        if !report.added.isEmpty { report.published = groups ?? all }
        return report
    }

    private func board(_ request: BoardRequest) throws -> BoardReport {
        if isAlone { throw NodeFailure.noGroup() }
        if let game = request.game, !games.contains(where: { $0.id == game }) {
            throw NodeFailure.unknownGame(game, suggestions: ["wordle"])
        }
        let days = request.range.flatMap { $0.contains("..") ? $0.split(separator: ".").map(String.init) : nil }
        let day = days?.last ?? request.date ?? "2026-11-21"
        let from = days?.first ?? (request.range == "7d" ? "2026-11-15" : request.range == "all" ? "2021-06-19" : day)
        var rows = scenario == .silent ? [] : rows(request)
        if scenario == .full, request.game == "wordle", !request.reveal {
            rows += [row(5, rank: nil, value: 0, label: "", covered: true)]
        }
        let medals = rows.filter { ($0.rank ?? 4) <= 3 }
        let podium = medals.count == 3 ? medals.map(\.user) : []
        // A year's board has more rows than a page.
        let more = request.range == "365d" ? 240 : 0
        return BoardReport(
            group: Self.group, title: title, from: from, to: day, game: request.game,
            gameName: request.game.flatMap { id in games.first { $0.id == id }?.name },
            metric: request.metric ?? "points",
            ranked: rows.filter { $0.rank != nil }.count, rows: rows.filter { !$0.onlyMe },
            mine: rows.first(where: \.me),
            coveredCount: rows.filter(\.covered).count, partial: request.range == "all", today: "2026-11-21",
            games: scenario == .silent ? [] : Array(games.prefix(4)), listed: rows.count + more,
            offset: request.offset ?? 0, nextOffset: more > 0 ? (request.offset ?? 0) + (request.limit ?? 100) : nil,
            myPosition: rows.contains { $0.me } ? 1 : nil, podium: podium)
    }

    private func rows(_ request: BoardRequest) -> [BoardRowReport] {
        if request.game == "strands" {
            // Two share the first rank. Six are ranked, so there is no podium.
            return [
                row(2, rank: 1, tied: true, value: 7, label: "0 hints", delta: .places(2)),
                row(1, rank: 1, tied: true, value: 7, label: "0 hints", delta: .places(0)),
                row(0, rank: 3, tied: true, value: 6, label: "1 hint", delta: .places(-1)),
                row(4, rank: 3, tied: true, value: 6, label: "1 hint", delta: .new),
                row(3, rank: 5, value: 4, label: "3 hints", late: true), row(6, rank: nil, value: 0, label: "–"),
            ]
        }
        let isDay = request.range == nil || request.range == "today"
        if request.game != nil, isDay {
            return [
                row(0, rank: 1, value: 5, label: "2 guesses", delta: .places(1)),
                row(2, rank: 2, value: 4, label: "3 guesses", delta: .places(-1), edited: true),
                row(1, rank: 3, value: 3, label: "4 guesses", delta: .places(2)),
                row(4, rank: 4, value: 2, label: "5 guesses", delta: .new, late: true),
                row(3, rank: 5, value: 0, label: "X/6", delta: .places(-3)), row(6, rank: nil, value: 0, label: "–"),
            ]
        }
        return [
            row(2, rank: 1, value: 32, label: "32 pts", delta: isDay ? .places(0) : nil),
            row(1, rank: 2, value: 29, label: "29 pts", delta: isDay ? .places(1) : nil),
            row(6, rank: 3, value: 24, label: "24 pts", delta: isDay ? .places(-1) : nil),
            row(0, rank: 4, value: 18, label: "18 pts", delta: isDay ? .places(3) : nil),
            row(3, rank: 5, tied: true, value: 11, label: "11 pts"),
            row(4, rank: 5, tied: true, value: 11, label: "11 pts"),
            row(5, rank: 7, value: 4, label: "4 pts", delta: isDay ? .new : nil),
        ]
    }

    private func row(
        _ index: Int, rank: Int?, tied: Bool = false, value: Int, label: String, delta: DeltaReport? = nil,
        late: Bool = false, edited: Bool = false, covered: Bool = false
    ) -> BoardRowReport {
        let isAlias = index == 5 || scenario == .outsider && index == 1
        return BoardRowReport(
            rank: rank, tied: tied, user: isAlias ? Self.user(index == 1 ? 60 : 61) : Self.user(index),
            name: isAlias ? index == 1 ? "Player#A1B2" : "Player#E5F6" : name(index), me: index == 1, value: value,
            raw: nil,
            label: label, delta: delta, late: late, edited: edited, covered: covered, played: 5, of: 7,
            perGame: covered ? [:] : ["wordle": 4, "mini": 6, "strands": 7],
            onlyMe: scenario == .outsider && index == 1, anonymous: isAlias,
            region: scenario == .hostile ? Self.script : index == 4 ? "FR" : nil)
    }
}

extension NodeRequest {
    func isSame(as other: any NodeRequest) -> Bool { other as? Self == self }
}

extension [any NodeRequest] {
    func contains(_ request: some NodeRequest) -> Bool { contains { request.isSame(as: $0) } }

    /// Whether it holds exactly these, in this order.
    func are(_ others: [any NodeRequest]) -> Bool {
        count == others.count && zip(self, others).allSatisfy { $0.isSame(as: $1) }
    }
}
