public import StreakGames

/// What importing a file would do. Nothing is stored until the caller stores `accepted`, all at once.
public struct ImportPlan: Sendable, Equatable {
    /// A row with another value for a result that is recorded already or stands in an earlier row.
    public struct Conflict: Sendable, Equatable {
        public var line: Int
        /// Which result of a JSON document, counted from 1.
        public var element: Int?
        public var imported: DailyScore
        public var existing: DailyScore

        public init(line: Int, element: Int? = nil, imported: DailyScore, existing: DailyScore) {
            self.line = line
            self.element = element
            self.imported = imported
            self.existing = existing
        }

        /// The imported value as an edit of the existing one, for a caller that was told to replace.
        public var replacement: DailyScore {
            var result = imported
            result.firstRecordedAt = existing.firstRecordedAt
            result.isEdited = true
            return result
        }
    }

    /// A row without a result that could be recorded.
    public struct Refused: Sendable, Equatable {
        public var line: Int
        /// Which result of a JSON document, counted from 1.
        public var element: Int?
        public var reason: ImportRefusal

        public init(line: Int, element: Int? = nil, reason: ImportRefusal) {
            self.line = line
            self.element = element
            self.reason = reason
        }
    }

    /// A row that prints another maximum than its game has: it is read with the game's.
    public struct Adjusted: Sendable, Equatable {
        public var line: Int
        /// Which result of a JSON document, counted from 1.
        public var element: Int?
        public var printed: Int
        public var result: DailyScore
    }

    /// New results in file order, each key once; for `highScore` also a better value than is recorded.
    public var accepted: [DailyScore] = []
    /// The lines of rows that say what is recorded already.
    public var duplicates: [Int] = []
    /// In file order.
    public var conflicts: [Conflict] = []
    /// In file order, the first `ResultImport.maximumRefusals` of them.
    public var refused: [Refused] = []
    /// All refused rows.
    public var refusedCount = 0
    /// In file order, the first `ResultImport.maximumRefusals` of them.
    public var adjusted: [Adjusted] = []
    /// All adjusted rows.
    public var adjustedCount = 0

    public init() {}
}

/// Reads files of results: those `ResultExport` writes, and tables that people and other programs keep.
///
/// CSV has a heading; its columns may stand in any order, under many names (`ResultColumn`), separated by commas,
/// semicolons or tabs. Games go by ID or name. A row with a puzzle number belongs to that number's day where the game
/// has an epoch, else to its date. Consults no clock; linear in the size of the file.
public struct ResultImport: Sendable {
    /// 64 MiB: a hundred times ten years of six games a day.
    public static let maximumFileSize = 1 << 26
    /// Twenty-five games a day for twenty-seven years.
    public static let maximumRows = 250_000
    /// 64 KiB, the longest share text: tables of others keep those in a column.
    public static let maximumCellSize = 1 << 16
    /// More refusals than a person reads are counted only.
    public static let maximumRefusals = 1_000

    /// All games that results can be of, the groups' own included.
    public var catalogue: Catalogue
    /// Unix seconds: when rows that do not say so were first recorded, and against which days are judged.
    public var now: Int64
    /// What 03/04/2026 means; `nil` lets the whole file decide.
    public var dateOrder: DateOrder?
    /// The game of rows that name none.
    public var game: Game?

    public init(catalogue: Catalogue = .standard, now: Int64, dateOrder: DateOrder? = nil, game: Game? = nil) {
        self.catalogue = catalogue
        self.now = now
        self.dateOrder = dateOrder
        self.game = game
    }

    /// What importing `bytes`, CSV or JSON, would do where `existing` tells what is recorded.
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
            // Where no date of the file decides the order, this one is the same in both.
            builder.add(draft, order: order ?? .dayFirst, of: row, existing: existing)
        }
        return builder.plan
    }
}

/// Puts results in their places as rows are read.
private struct ImportPlanBuilder {
    var plan = ImportPlan()
    private let names: GameNames
    private let furthest: PuzzleDay
    private var positions: [ScoreKey: Int] = [:]
    /// How many rows of a day are logs of a habit.
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
            // Every row is a log; the same table gives the same ones again.
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
            // The better value of a day stands.
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
