import StreakGames
import StreakReplication
import StreakWire
import Testing

@Suite struct GameDefinitionRecordTests {
    static let definitions: [GameDefinition] = {
        var definitions: [GameDefinition] = []
        for (number, model) in ScoringModel.allCases.enumerated() {
            let hasMaximum = model != .count && model != .lowerTimeSeconds
            if let definition = try? GameDefinition(
                id: GameID(literal: "custom-block-blast"), name: "Blöcke \(number)",
                icon: "👩🏽‍🚀", model: model, maximum: hasMaximum ? 1_000_000_000 : nil,
                best: model.isLowerBetter ? 0 : nil, unit: number % 2 == 0 ? "km" : nil,
                cadence: Game.Cadence.allCases[number % 3], aggregation: RangeAggregation.allCases[number % 3],
                pattern: model == .highScore ? "Block Blast {score}" : nil)
            {
                definitions.append(definition)
            }
        }
        return definitions
    }()

    @Test func `a definition comes back as it was made`() throws {
        #expect(Self.definitions.count == ScoringModel.allCases.count)
        for definition in Self.definitions {
            let subject = GameDefinition.recordSubject(of: definition.id)
            #expect(try GameDefinition(subject: subject, value: definition.recordValue) == definition)
        }
    }

    @Test func `no altered bytes trap, and what is read keeps the limits`() throws {
        for definition in Self.definitions {
            let value = definition.recordValue
            for index in value.indices {
                for bit in 0..<8 {
                    var altered = value
                    altered[index] ^= 1 << UInt8(bit)
                    let subject = GameDefinition.recordSubject(of: definition.id)
                    guard let read = try? GameDefinition(subject: subject, value: altered) else { continue }
                    #expect(read.name.count <= GameDefinition.maximumNameLength)
                }
            }
        }
    }

    @Test func `a definition cannot stand for a game of the catalogue`() {
        let value = Self.definitions[0].recordValue
        #expect(throws: WireError.invalidValue(field: "definition")) {
            try GameDefinition(subject: Array("wordle".utf8), value: value)
        }
    }
}
