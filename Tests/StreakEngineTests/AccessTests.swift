import Foundation
import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire
import Testing

@testable import StreakEngine

/// Who may hear what: the policy as `docs/security.md` quotes it, and cases in which machines once answered
/// differently.
struct AccessTests {
    private static let flows: [(Access, String)] = [
        (.proofs, "proofs"), (.records, "records"), (.accessKeys, "keys"), (.presence, "presence"), (.ledger, "ledger"),
        (.ending, "own ending"), (.question, "question"), (.farewell, "farewell"), (.introduction, "introduction"),
        (.friendship, "friendship"), (.whereabouts, "whereabouts"),
    ]

    private static func name(_ place: Access.Place) -> String {
        switch place {
        case .member: "is in"
        case .leaving: "has left, unheard"
        case .ended: "was removed, revoked or not let in"
        case .outside: "has left, or never was in"
        }
    }

    private static func name(_ peer: Access.Peer) -> String {
        switch peer {
        case .member: "is in"
        case .ownDevice: "is in, and my account's"
        case .ownElsewhere: "is my account's, and in another group"
        case .ended: "was in"
        case .unknown: "is in no ledger"
        case .givenUp: "is given up"
        }
    }

    private static func name(_ flow: Access) -> String {
        flow.isEmpty ? "nothing" : flows.filter { flow.contains($0.0) }.map(\.1).joined(separator: ", ")
    }

    private static func name(_ sender: MessageSender) -> String {
        switch sender {
        case .anybody: "anybody"
        case .asker: "anybody, as far as the budget of requests goes"
        case .asked: "a device that I have asked"
        case .askedOrOwnMachine: "a device that I have asked, or a machine of my own"
        case .prover: "a device that has proven to know the group"
        case .proverAskedOrOwnMachine:
            "a device that has proven to know the group, or that I have asked, or a machine of my own"
        case .allowed(let flow): "a device to which *\(name(flow))* may flow"
        case .allowedOfAny(let flow): "a device to which *\(name(flow))* may flow, of any group"
        }
    }

    private static func row(_ cells: [String]) -> String { "| " + cells.joined(separator: " | ") + " |" }

    private func lines(after heading: String) throws -> [String] {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/security.md")
        let text = try String(contentsOf: path.standardized, encoding: .utf8).split(
            separator: "\n", omittingEmptySubsequences: false
        ).map(String.init)
        let start = try #require(text.firstIndex(of: heading))
        return Array(text[start...].drop { !$0.hasPrefix("|") }.prefix { $0.hasPrefix("|") })
    }

    @Test func `the document quotes the policy`() throws {
        let head = [
            Self.row(["the other device …"] + Access.Place.allCases.map { "mine " + Self.name($0) }),
            "|" + String(repeating: "---|", count: Access.Place.allCases.count + 1),
        ]
        let rows = Access.Peer.allCases.map { peer in
            Self.row(["**\(Self.name(peer))**"] + Access.Place.allCases.map { Self.name(.allowed(to: peer, from: $0)) })
        }
        #expect(try lines(after: "### What may flow of a group") == head + rows)
    }

    @Test func `the document quotes who may say what`() throws {
        let kinds =
            LinkMessage.Kind.allCases.map { ($0.rawValue, "\($0)", $0.sender) }
            + FriendMessage.Kind.allCases.map { ($0.rawValue, "\($0)", $0.sender) }
        let rows = kinds.sorted { $0.0 < $1.0 }.map { Self.row(["\($0.0)", Self.words($0.1), Self.name($0.2)]) }
        let head = [Self.row(["kind", "message", "is taken from"]), "|---|---|---|"]
        #expect(try lines(after: "### Who may say what") == head + rows)
    }

    /// `tipsRequested` as the specification writes it.
    private static func words(_ name: String) -> String {
        name.reduce(into: "") { $0 += $1.isUppercase ? " " + $1.lowercased() : String($1) }
    }

    // MARK: Laws

    @Test func `records, keys, presence and whereabouts flow between members only, and never to a revoked device`() {
        let secrets: Access = [.records, .accessKeys, .presence, .friendship, .whereabouts]
        for place in Access.Place.allCases {
            for peer in Access.Peer.allCases {
                let access = Access.allowed(to: peer, from: place)
                let areMembers = place == .member && (peer == .member || peer == .ownDevice)
                #expect(access.isDisjoint(with: secrets) != areMembers, "\(place), \(peer)")
                #expect(!access.contains(.ledger) || peer == .member || peer == .ownDevice, "\(place), \(peer)")
                #expect(peer != .givenUp || access.isSubset(of: .proofs), "\(place)")
                // A device gets its own ending or the ledger, never both.
                #expect(!access.isSuperset(of: [.ledger, .ending]))
            }
        }
        // Being found under the keys is useless without proving them, and the other way round.
        for place in Access.Place.allCases {
            #expect(Access.allowed(to: .member, from: place).contains(.proofs) == place.answers)
        }
    }

    // MARK: Where rules used to differ

    /// The account's revocation of a device is in the private group, but not in the club's ledger, because the device
    /// has signed operations there.
    @Test func `a device that is given up in one group is no own device in another`() throws {
        var household = try Household(seed: 30)
        let linked = try household.linkMachine(to: 1)
        let (owner, device) = (household.network.nodes[1].identity, household.network.nodes[linked].identity)
        let own = try #require(household.network.nodes[1].engine.core.links.link(to: device.linkKey.publicKey))
        let left = GroupID(bytes: Bytes32(9, 9, 9, 9))
        func proves(_ group: GroupID) -> Bool {
            household.network.nodes[1].engine.core.access(of: own, in: group).contains(.proofs)
        }
        // A group that the account has left is proven to its own devices only.
        guard case .group(let club)? = household.network.command(.foundGroup(title: "Left"), at: 0),
            case .invite(_, let text)? = household.network.command(.invite(club, uses: 0, lifetime: 3_600), at: 0)
        else { throw EngineNetwork.SetUpFailure() }
        let join = Command.join(try InviteLink(parsing: text), timeout: .seconds(30))
        #expect(household.network.command(join, at: 1) == .group(club))
        #expect(household.network.command(.leave(club, erasing: false), at: 1) == .done)
        household.network.run(for: .seconds(5))
        #expect(household.network.nodes[1].engine.core.place(in: club) == .outside)
        #expect(proves(club) && !proves(left))

        let privateGroup = try #require(household.privateGroup(of: 1))
        let account = household.network.nodes[1].account
        let word = DeviceRevocation(accountKey: account, everywhere: device.device, accessKeyHash: .zero)
        let ledger = try #require(household.network.nodes[1].engine.core.groups[privateGroup]?.ledger)
        let operation = try ledger.draft(.revokeDevice(word), by: owner, at: household.network.wallTime.seconds)
        var change = DurableChange()
        _ = try household.network.nodes[1].engine.core.insert(operation, in: privateGroup, change: &change)
        #expect(
            household.network.nodes[1].engine.state(of: household.club)?.isCurrentMember(device: device.device) == true)
        #expect(!proves(club), "as long as another ledger calls it current it was told of groups that were left")
    }

    @Test func `who is removed tells others who were removed, too, whenever it hears of it`() throws {
        var party = try EngineNetwork.friends(3)
        let group = party.group
        let link = try #require(
            party.nodes[1].engine.core.links.link(to: party.nodes[2].engine.identity.linkKey.publicKey))
        party.partition([[0], [1, 2]])
        for user in [2, 1] { #expect(party.command(.remove(group, party.user(user)), at: 0) == .done) }
        // Node 1 hears of both at once: its own removal came after that of node 2.
        party.partition([[0, 1], [2]])
        party.run(for: .seconds(60)) { !$0.lostGroups(1).isEmpty }
        let core = party.nodes[1].engine.core
        #expect(core.place(in: group) == .ended && core.access(of: link, in: group).contains(.ending))
        #expect(core.sessions[link]?.groups[group]?.toldEnding != nil, "over the link that stands")
        #expect(party.lostGroups(2).isEmpty)
        party.partition([[0], [1, 2]])
        party.run(for: .seconds(5))
        #expect(party.lostGroups(2).count == 1)
    }
}
