import StreakGames
import StreakReplication
import StreakWire

/// The custom games of a group. Any member may define and change them: of several definitions of one game the latest
/// counts, of equally late ones that of the smaller user.
struct GroupGames: Sendable {
    private struct Entry: Sendable {
        var definition: GameDefinition
        var time: HybridTime
    }

    private var entries: [GameID: [UserID: Entry]] = [:]
    private var known: [GameID: GameDefinition] = [:]

    /// By rising ID, at most `GameDefinition.maximumCount`.
    var definitions: [GameDefinition] {
        Array(known.values.sorted { $0.id < $1.id }.prefix(GameDefinition.maximumCount))
    }

    subscript(id: GameID) -> GameDefinition? { known[id] }

    /// Whose definitions of a game stand.
    func definers(of id: GameID) -> Set<UserID> { Set((entries[id] ?? [:]).keys) }

    /// Takes the new value of a definition. One that does not decode is carried by the mesh and not shown.
    mutating func apply(_ record: MergedRecord) {
        guard let text = String(validating: record.key.subject, as: UTF8.self), let id = GameID(text) else { return }
        if record.value.isEmpty {
            entries[id]?[record.key.user] = nil
        } else if let definition = try? GameDefinition(subject: record.key.subject, value: record.value) {  // as above
            entries[id, default: [:]][record.key.user] = Entry(definition: definition, time: record.time)
        }
        let latest = (entries[id] ?? [:]).min { ($1.value.time, $0.key) < ($0.value.time, $1.key) }
        known[id] = latest?.value.definition
    }
}
