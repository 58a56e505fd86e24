public import StreakGames
public import StreakWire

/// A custom game as a record of kind `gameDefinition`. `GroupGames` decides whose definitions count.
///
/// Subject: the game's ID. Value: model u8 (0 lowerAttempts … 6 count) · cadence u8 (0 daily, 1 weekly, 2 unlimited) ·
/// aggregation u8 (0 best, 1 sum, 2 latest) · fields u8 (1 maximum, 2 best, 4 unit, 8 pattern) · name, text ≤ 240 · icon,
/// text ≤ 48 · the fields in this order, numbers as varints, unit ≤ 64, pattern ≤ 800 · tail, carried.
extension GameDefinition: RecordValue {
    public static var kind: UInt8 { RecordKind.gameDefinition.rawValue }

    private static let maximumPatternSize = 800
    private static let cadences: [Game.Cadence] = [.daily, .weekly, .unlimited]
    private static let aggregations: [RangeAggregation] = [.best, .sum, .latest]

    /// The subject under which a game is defined and withdrawn.
    public static func recordSubject(of game: GameID) -> [UInt8] { Array(game.rawValue.utf8) }

    public var recordSubject: [UInt8] { Self.recordSubject(of: id) }

    public var recordValue: [UInt8] {
        var writer = WireWriter(reserving: 128)
        writer.write(UInt8(ScoringModel.allCases.firstIndex(of: model) ?? 0))
        writer.write(UInt8(Self.cadences.firstIndex(of: cadence) ?? 0))
        writer.write(UInt8(Self.aggregations.firstIndex(of: aggregation) ?? 0))
        writer.write(
            (maximum == nil ? 0 : 1) | (best == nil ? 0 : 2) | (unit == nil ? 0 : 4) | (pattern == nil ? 0 : 8) as UInt8
        )
        writer.writeText(name)
        writer.writeText(icon)
        if let maximum { writer.writeVarint(UInt64(maximum)) }
        if let best { writer.writeVarint(UInt64(best)) }
        if let unit { writer.writeText(unit) }
        if let pattern { writer.writeText(pattern.text) }
        return writer.bytes
    }

    /// Reads a merged record. Throws if the bytes are not a game of this version, or one that no member could have
    /// defined; such a record is carried but not shown.
    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        guard let text = String(validating: subject, as: UTF8.self), let id = GameID(text) else {
            throw .invalidValue(field: "game")
        }
        var reader = WireReader(value)
        let model = try Self.choice(ScoringModel.allCases, &reader, field: "model")
        let cadence = try Self.choice(Self.cadences, &reader, field: "cadence")
        let aggregation = try Self.choice(Self.aggregations, &reader, field: "aggregation")
        let fields = try reader.readUInt8()
        let name = try reader.readText(maximum: Self.maximumNameSize)
        let icon = try reader.readText(maximum: Self.maximumIconSize)
        let limit = UInt64(Self.maximumScore)
        let maximum = fields & 1 == 0 ? nil : Int(try reader.readVarint(maximum: limit))
        let best = fields & 2 == 0 ? nil : Int(try reader.readVarint(maximum: limit))
        let unit = fields & 4 == 0 ? nil : try reader.readText(maximum: Self.maximumUnitSize)
        let pattern = fields & 8 == 0 ? nil : try reader.readText(maximum: Self.maximumPatternSize)
        do throws(GameDefinitionFault) {
            try self.init(
                id: id, name: name, icon: icon, model: model, maximum: maximum, best: best, unit: unit,
                cadence: cadence, aggregation: aggregation, pattern: pattern)
        } catch {
            throw .invalidValue(field: "definition")
        }
    }

    private static func choice<Choice>(
        _ choices: [Choice], _ reader: inout WireReader, field: String
    ) throws(WireError) -> Choice {
        let index = Int(try reader.readUInt8())
        guard choices.indices.contains(index) else { throw .invalidValue(field: field) }
        return choices[index]
    }
}
