public import StreakGames

/// What importing a file would do. Nothing is stored until the caller stores `accepted`, all at once.
public struct ImportPlan: Sendable, Equatable {
    /// A row with another value for a result that is already recorded or is in an earlier row.
    public struct Conflict: Sendable, Equatable {
        public var line: Int
        /// Position in a JSON document, from 1.
        public var element: Int?
        public var imported: DailyScore
        public var existing: DailyScore

        public init(line: Int, element: Int? = nil, imported: DailyScore, existing: DailyScore) {
            self.line = line
            self.element = element
            self.imported = imported
            self.existing = existing
        }

        /// The imported value as an edit of the existing one, if the caller replaces it.
        public var replacement: DailyScore {
            var result = imported
            result.firstRecordedAt = existing.firstRecordedAt
            result.isEdited = true
            return result
        }
    }

    /// A row that cannot be recorded.
    public struct Refused: Sendable, Equatable {
        public var line: Int
        /// Position in a JSON document, from 1.
        public var element: Int?
        public var reason: ImportRefusal

        public init(line: Int, element: Int? = nil, reason: ImportRefusal) {
            self.line = line
            self.element = element
            self.reason = reason
        }
    }

    /// A row whose maximum differs from its game's. The game's is used.
    public struct Adjusted: Sendable, Equatable {
        public var line: Int
        /// Position in a JSON document, from 1.
        public var element: Int?
        public var printed: Int
        public var result: DailyScore
    }

    /// New results in file order, each key once; also better values of a recorded `highScore`.
    public var accepted: [DailyScore] = []
    /// The lines of rows that are already recorded.
    public var duplicates: [Int] = []
    /// In file order.
    public var conflicts: [Conflict] = []
    /// In file order, the first `ResultImport.maximumRefusals` of them.
    public var refused: [Refused] = []
    /// The number of all refused rows.
    public var refusedCount = 0
    /// In file order, the first `ResultImport.maximumRefusals` of them.
    public var adjusted: [Adjusted] = []
    /// The number of all adjusted rows.
    public var adjustedCount = 0

    public init() {}
}

/// Reads files of results: those of `ResultExport`, and tables by people and other programs.
///
/// CSV has a heading. Columns may be in any order and have many names (`ResultColumn`); separators are commas,
/// semicolons or tabs. Games are given by ID or name. A row with a puzzle number gets that number's day if the game has
/// an epoch, else its date. Uses no clock. Linear in the size of the file.
public struct ResultImport: Sendable {
    /// 64 MiB: a hundred times ten years of six games a day.
    public static let maximumFileSize = 1 << 26
    /// Twenty-five games a day for twenty-seven years.
    public static let maximumRows = 250_000
    /// 64 KiB, the longest share text, because some tables have those in a column.
    static let maximumCellSize = 1 << 16
    /// Further refusals are only counted.
    public static let maximumRefusals = 1_000

    /// All games that results can have, including the groups' own.
    public var catalogue: Catalogue
    /// Unix seconds: the recording time of rows without one, and the limit for days.
    public var now: Int64
    /// How to read 03/04/2026; `nil` lets the whole file decide.
    public var dateOrder: DateOrder?
    /// The game of rows that do not name one.
    public var game: Game?

    public init(catalogue: Catalogue = .standard, now: Int64, dateOrder: DateOrder? = nil, game: Game? = nil) {
        self.catalogue = catalogue
        self.now = now
        self.dateOrder = dateOrder
        self.game = game
    }

    /// What importing `bytes`, CSV or JSON, would do. `existing` returns the recorded results.
    public func plan(
        _ bytes: [UInt8], existing: (ScoreKey) -> DailyScore?
    ) throws(ImportFault) -> ImportPlan {
        let file = try ResultFile(bytes, needsGame: game == nil)
        let names = GameNames(catalogue)
        let reader = ResultRowReader(names: names, game: game, now: now)
        var builder = ImportPlanBuilder(names: names, furthest: .furthest(at: now))
        var order = dateOrder
        var isOrderKnown = order != nil
        var rows = 0
        try file.forEachRow { (row: ResultRow) throws(ImportFault) -> Void in
            rows += 1
            guard rows <= Self.maximumRows else { throw .tooManyRows }
            let draft: ResultRowReader.Draft
            do throws(ImportRefusal) {
                draft = try reader.draft(row)
            } catch {
                return builder.refuse(error, at: row)
            }
            if !isOrderKnown, draft.date?.isOrdered == true {
                order = try file.dateOrder()
                isOrderKnown = true
            }
            if order == nil, draft.date?.isAmbiguous == true {
                throw .ambiguousDates(line: row.line, element: row.element)
            }
            // If no date in the file decides the order, this date is the same in both.
            builder.add(draft, order: order ?? .dayFirst, of: row, existing: existing)
        }
        return builder.plan
    }
}

/// Sorts rows into the plan as they are read.
private struct ImportPlanBuilder {
    var plan = ImportPlan()
    private let names: GameNames
    private let furthest: PuzzleDay
    private var positions: [ScoreKey: Int] = [:]
    /// How many logs of a habit each day has so far.
    private var logs: [ScoreKey: UInt16] = [:]

    init(names: GameNames, furthest: PuzzleDay) {
        self.names = names
        self.furthest = furthest
    }

    mutating func refuse(_ reason: ImportRefusal, at row: ResultRow) {
        plan.refusedCount += 1
        guard plan.refused.count < ResultImport.maximumRefusals else { return }
        var reason = reason
        if case .unknownGame(let text, _) = reason {
            reason = .unknownGame(text, nearest: names.nearest(text)?.id)
        }
        plan.refused.append(ImportPlan.Refused(line: row.line, element: row.element, reason: reason))
    }

    private mutating func note(_ printed: Int, of result: DailyScore, at row: ResultRow) {
        plan.adjustedCount += 1
        guard plan.adjusted.count < ResultImport.maximumRefusals else { return }
        plan.adjusted.append(
            ImportPlan.Adjusted(line: row.line, element: row.element, printed: printed, result: result))
    }

    mutating func add(
        _ draft: ResultRowReader.Draft, order: DateOrder, of row: ResultRow, existing: (ScoreKey) -> DailyScore?
    ) {
        var result = draft.result
        if let date = draft.date {
            guard let day = date.day(order) else {
                return refuse(.unreadable(.date, date.description), at: row)
            }
            result.day = day
        }
        guard result.day <= furthest else { return refuse(.future(result.day), at: row) }
        guard draft.game.hasPuzzle(on: result.day) else { return refuse(.impossible(.date), at: row) }
        if draft.game.model == .count, !draft.isLiteral, !result.isKeyedByPuzzle {
            // Every row is a log. Importing the same table again gives the same logs.
            let number = logs[result.key, default: 0] &+ 1
            logs[result.key] = number
            result = result.log(numbered: number)
        }
        if let printed = draft.printedMaximum { note(printed, of: result, at: row) }
        let key = result.key
        let position = positions[key]
        guard let earlier = position.map({ plan.accepted[$0] }) ?? existing(key) else {
            positions[key] = plan.accepted.count
            plan.accepted.append(result)
            return
        }
        if result.agrees(with: earlier, inHardMode: draft.statesHardMode) {
            plan.duplicates.append(row.line)
        } else if draft.game.model != .highScore {
            plan.conflicts.append(
                ImportPlan.Conflict(line: row.line, element: row.element, imported: result, existing: earlier))
        } else if !Scoring.isBetter(result, than: earlier, in: draft.game) {
            // The better value of a day wins.
            plan.duplicates.append(row.line)
        } else if let position {
            plan.accepted[position] = result
            plan.duplicates.append(row.line)
        } else {
            positions[key] = plan.accepted.count
            plan.accepted.append(result)
        }
    }
}
