import StreakCrypto
import StreakLinks
import StreakMembership
import StreakWire
import Testing

@testable import StreakEngine

/// The machine for friends by code, alone.
struct FriendsTests {
    private let codes = FriendTests.codes

    @Test func `a wish is confirmed once it is on disk, and one's own code is refused`() throws {
        var bench = try MachineBench(friends: 0)
        var friends = Friends(core: &bench.core)
        let stranger = codes.keys(of: Forged.stranger.user)
        friends.addFriend(stranger, name: "Ada", id: CommandID(number: 1), core: &bench.core)
        #expect(bench.outcomes.isEmpty && bench.changes.count == 1)
        for case .complete(let id, let outcome) in bench.store() { bench.core.complete(id, outcome) }
        #expect(bench.outcomes == [.done])
        #expect(friends.sentFriendRequests.map(\.code) == [stranger.code])
        let own = codes.keys(of: bench.core.identity.user)
        friends.codeDerived(own.code, of: bench.core.identity.user, core: &bench.core)
        friends.addFriend(own, name: "Ada", id: CommandID(number: 2), core: &bench.core)
        #expect(bench.outcomes.last == .failed(.friend(.ownCode)))
    }

    @Test func `a wish that nobody answers ends after seven days`() throws {
        var bench = try MachineBench(friends: 0)
        var friends = Friends(core: &bench.core)
        let code = codes.keys(of: Forged.stranger.user)
        friends.addFriend(code, name: "Ada", id: CommandID(number: 1), core: &bench.core)
        bench.core.wall = WallTime(milliseconds: EngineNetwork.wall + (FriendRequests.lifetime - 1) * 1_000)
        friends.runTimers(offeredPairs: [], core: &bench.core)
        #expect(friends.sentFriendRequests.count == 1)
        bench.core.wall = WallTime(milliseconds: EngineNetwork.wall + FriendRequests.lifetime * 1_000)
        friends.runTimers(offeredPairs: [], core: &bench.core)
        #expect(friends.sentFriendRequests.isEmpty)
        for case .publish(let event) in bench.store() { bench.core.publish(event) }
        #expect(bench.events == [.friend(.expired(code.code))])
    }

    @Test func `a request is kept once the asker's code is worked out, and answered at once`() throws {
        var bench = try MachineBench(friends: 0)
        var friends = Friends(core: &bench.core)
        let (own, asker) = (codes.keys(of: bench.core.identity.user), Forged.stranger)
        friends.setAnswersToCode(own, id: CommandID(number: 1), core: &bench.core)
        let request = FriendRequest(
            name: "Eve", code: own.code, askedAt: bench.core.wall.seconds, identity: asker)
        let link = bench.open(asker, label: .friendCode(own.code), isProven: false)
        friends.receivedFriendRequest(request.bytes, over: link, core: &bench.core)
        #expect(bench.said(over: link).count == 1 && friends.receivedFriendRequests.isEmpty)
        guard case .deriveCode(asker.user)? = bench.core.outputs.last else {
            Issue.record("its code is not worked out")
            return
        }
        friends.codeDerived(codes.keys(of: asker.user).code, of: asker.user, core: &bench.core)
        #expect(friends.receivedFriendRequests.map(\.code) == [codes.keys(of: asker.user).code])
        // A device that uses no code and shares no group gets no answer.
        let other = bench.open(asker, isProven: false)
        friends.receivedFriendRequest(request.bytes, over: other, core: &bench.core)
        #expect(bench.said(over: other).isEmpty)
    }

    @Test func `a member is asked over the link there is, unless this user goes by an alias`() throws {
        var bench = try MachineBench(friends: 1)
        var friends = Friends(core: &bench.core)
        #expect(friends.namedMember(at: bench.links[0], core: bench.core)?.user == bench.friends[0].user)
        friends.aliasGroups = [bench.group]
        #expect(friends.namedMember(at: bench.links[0], core: bench.core) == nil)
    }
}
