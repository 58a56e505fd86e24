import Foundation
import NIOCore
import NIOPosix
import StreakEngine
import StreakLinks
import StreakMembership
import StreakReplication
import StreakStorage
import StreakWire

/// Looks into everything that can keep this user from seeing a friend.
///
/// It reads what other services know, examines the disk, and judges nothing itself: `Observations` does.
final class Doctor {
    private let core: NodeCore
    private let loop: NodeLoop
    private let folder: DataFolder
    private let people: People
    private let health: Health
    private let internet: Internet

    init(
        core: NodeCore, loop: NodeLoop, folder: DataFolder, people: People, health: Health, internet: Internet
    ) {
        (self.core, self.loop, self.folder, self.people, self.health) = (core, loop, folder, people, health)
        self.internet = internet
    }

    /// - Parameter friend: Whom it is about; nil for everybody.
    /// - Throws: `unknownFriend`, `ambiguousMember`.
    func look(for friend: String?) async throws -> DoctorReport {
        var seen = Observations()
        if let friend {
            let person = try await people.knownPerson(friend)
            seen.asked = known(person.user) ?? Observations.Friend(name: person.name)
        }
        let status = health.status()
        seen.isRunning = core.isServing
        seen.isShutOut = core.engine.isShutOut
        seen.freeBytes = folder.freeBytes
        seen.isRefusingChanges = loop.isRefusingChanges
        seen.damage = health.damage.sentences
        seen.damagedPlaces = try await Self.damagedPlaces(of: loop.store)
        seen.clock = status.clock
        seen.addresses = Self.addresses()
        if let page = status.web { seen.page = (page, await Self.answers(page)) }
        for group in status.groups {
            switch group.role {
            case "removed", "revoked": seen.removedFrom.append(group.title)
            case "notLetIn": seen.notLetInto.append(group.title)
            default: break
            }
        }
        let users = Set(core.memberGroups.flatMap { core.engine.state(of: $0)?.members.map(\.user) ?? [] })
        seen.friends = users.subtracting([core.identity.user]).sorted().compactMap(known)
        seen.withoutAlwaysOn = core.groupsWithoutAlwaysOn.map(core.title)
        seen.newerPackets =
            status.refused.first { $0.what == "packet" && $0.reason == "unsupportedVersion" }?.count ?? 0
        seen.internet = internet.observed
        return seen.report()
    }

    /// A friend as the groups that both are in know them; the best of what several say. Nil where they share none.
    private func known(_ user: UserID) -> Observations.Friend? {
        let shared = core.memberGroups.filter { core.engine.state(of: $0)?.member(user) != nil }
        guard let first = shared.first(where: { !core.isAnonymous(user, in: $0) }) ?? shared.first else { return nil }
        var friend = Observations.Friend(name: core.name(of: user, in: first))
        friend.isOnline = shared.contains { core.isShownOnline(user, in: $0) }
        let devices = Set(shared.flatMap { core.engine.state(of: $0)?.member(user)?.devices ?? [] })
        friend.quiet = core.engine.linkedDevices.filter { devices.contains($0.device) }.map(\.lastHeard).max()
            .map { $0.duration(to: core.clock.now).components.seconds }
        let open = shared.filter { !(core.profile(of: user, in: $0)?.isLastSeenHidden ?? false) }
        friend.unheard = open.compactMap { core.lastSeen(user, in: $0) }.max()
            .map { max(0, core.clock.wallTime.seconds - $0) }
        let places = devices.compactMap { core.engine.whereabouts(of: $0, at: core.clock.now)?.newest }
        friend.isFoundNowhere = places.allSatisfy(\.entries.isEmpty)
        return friend
    }

    private static func addresses() -> [String] {
        // Without a list of interfaces the machine has no network that could be used.
        let interfaces = (try? LocalInterface.all()) ?? []
        let texts = interfaces.filter { !$0.address.isLoopback && !$0.address.isLinkLocal }.map { interface in
            String(interface.address.description.dropLast(2))  // the port, which is 0
        }
        return Set(texts).sorted()
    }

    /// Reads everything that is stored, beside the node: a second for a million results.
    @concurrent
    private static func damagedPlaces(of store: Store) async throws -> Int { try store.checkIntegrity().count }

    /// How long a page of this machine may take to accept a connection.
    private static let pagePatience: TimeAmount = .seconds(1)

    /// Whether something accepts connections where the page should be.
    @concurrent
    private static func answers(_ page: String) async -> Bool {
        guard let url = URL(string: page), let host = url.host, let port = url.port else { return false }
        let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton).connectTimeout(pagePatience)
        do {
            let channel = try await bootstrap.connect(host: host, port: port).get()
            // It answers; how the connection ends does not matter.
            channel.close(promise: nil)
            return true
        } catch {
            return false
        }
    }
}
