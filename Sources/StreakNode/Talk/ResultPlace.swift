import StreakGames
import StreakMembership
import StreakReplication
import StreakScores
import StreakWire

/// A result that stands in a group, of a member.
struct ResultPlace {
    let group: GroupID
    let owner: UserID
    let result: DailyScore

    var name: ResultName { ResultName(owner: owner, key: result.key) }
}

extension People {
    /// The result that a request names.
    func place(of reference: ResultReference) async throws -> ResultPlace {
        let group = try core.group(reference.group)
        var owner = core.identity.user
        if let user = reference.user { owner = try await member(user, of: group) }
        let game = try core.game(reference.game)
        let day = try core.day(reference.date)
        let found = core.views[group]?.index.results(
            of: PlayerID(owner.bytes.array), game: game.id, from: day ?? .earliest, to: day ?? .latest)
        let result = found?.last { reference.puzzle == nil || $0.puzzle == reference.puzzle }
        guard let result else {
            let name = owner == core.identity.user ? nil : core.name(of: owner, in: group)
            throw NodeFailure.noResultOfMember(name: name, game: game.name)
        }
        return ResultPlace(group: group, owner: owner, result: result)
    }
}
