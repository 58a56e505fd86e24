public import StreakGames
public import StreakScores
public import StreakWire

/// What a group plays for, week by week: what its admins have chosen, else what chance gives (Protocol/records.md
/// §3.11).
///
/// A function of the merged records and of who the admins are now.
public struct GroupEvents: Sendable {
    /// An event, and who chose it.
    public struct Planned: Hashable, Sendable {
        public let event: WeeklyEvent
        /// Nil if chance did.
        public let chooser: UserID?
        /// When it was chosen, by the clock of the chooser.
        public let chosenAt: HybridTime?
    }

    private struct Word: Sendable {
        /// Nil if it was withdrawn or cannot be read.
        let plan: EventPlan?
        let time: HybridTime
    }

    private var words: [PuzzleDay: [UserID: Word]] = [:]
    private var admins: Set<UserID>

    /// - Parameter admins: includes the owner.
    public init(admins: Set<UserID> = []) { self.admins = admins }

    /// Updates the set of admins.
    public mutating func follow(admins: Set<UserID>) { self.admins = admins }

    /// Takes the new value of a choice.
    public mutating func apply(_ record: MergedRecord) {
        // A subject that names no week is never shown, whatever its value.
        guard let monday = try? EventChoice.monday(ofSubject: record.key.subject[...]) else { return }
        // Withdrawn, or of another version.
        let choice = try? EventChoice(subject: record.key.subject, value: record.value)
        words[monday, default: [:]][record.key.user] = Word(plan: choice?.plan, time: record.time)
    }

    /// The event of a week. Of equally late words of admins the smaller user's counts.
    public func planned(weekOf day: PuzzleDay, in group: GroupID) -> Planned {
        let latest = (words[day.startOfWeek] ?? [:]).filter { admins.contains($0.key) }
            .min { ($1.value.time, $0.key) < ($0.value.time, $1.key) }
        guard let (chooser, word) = latest, let plan = word.plan else {
            let plan = EventPlan.drawn(for: group, weekOf: day)
            return Planned(event: WeeklyEvent(weekOf: day, plan: plan), chooser: nil, chosenAt: nil)
        }
        return Planned(event: WeeklyEvent(weekOf: day, plan: plan), chooser: chooser, chosenAt: word.time)
    }
}
