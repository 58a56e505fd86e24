import StreakRandom
import StreakReplication
import StreakWire
import Testing

struct LocalRowTests {
    /// A table whose rows go with their group, and one whose rows do not.
    private static let tables: [LocalTable] = [.endings, .blockedUsers]

    private static func name(_ number: Int) -> GroupID { GroupID(bytes: Bytes32(UInt64(number), 0, 0, 0)) }

    private static func change(_ random: inout SplitMix64) -> DurableChange {
        var change = DurableChange()
        for _ in 0..<Int.random(in: 0..<6, using: &random) {
            let table = tables[Int.random(in: 0..<2, using: &random)]
            let key = [name(Int.random(in: 0..<4, using: &random)).rowValue]
            if Bool.random(using: &random) {
                change.local.rows[LocalRows.Key(table: table, values: key)] = []
            } else {
                change.local.keep(key + [.number(Int64.random(in: 0..<9, using: &random))], in: table)
            }
        }
        return change
    }

    @Test(arguments: 0..<200 as Range<UInt64>)
    func `two changes in one do what both do`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        let changes = [Self.change(&random), Self.change(&random)]
        var (one, two) = (LocalRows(), LocalRows())
        for change in changes { one.apply(change) }
        var both = changes[0]
        both.append(changes[1])
        two.apply(both)
        #expect(one == two && one.rows.allSatisfy { !$0.value.isEmpty })
    }

    @Test func `a dropped group takes its rows, whatever its change says of them`() {
        var change = DurableChange()
        for table in Self.tables {
            for number in 1...2 { change.local.keep([Self.name(number).rowValue, .null], in: table) }
        }
        var local = LocalRows()
        local.apply(change)
        change.droppedGroups = [Self.name(1)]
        local.apply(change)
        #expect(local.rows.count == 3)
        #expect(local.rows.allSatisfy { !$0.key.table.isOfGroups || $0.key.values == [Self.name(2).rowValue] })
    }

    private struct Pet: LocalRow {
        let owner: UserID
        let name: String?
        let age: Int64

        static var shape: RowShape<Self> { RowShape(.blockedUsers, Self.init, \.owner, \.name, \.age) }
    }

    @Test func `a row is read by its key, and not where a column holds something else`() {
        let owner = UserID(bytes: Self.name(1).bytes)
        var local = LocalRows()
        local.keep(Pet(owner: owner, name: "Rex", age: 3))
        #expect(local[Pet.self, owner]?.name == "Rex" && local[Pet.self, owner]?.age == 3)
        #expect(local[Pet.self, UserID(bytes: .zero)] == nil)
        let others: [[RowValue]] = [
            [owner.rowValue, .null, .null], [owner.rowValue, .number(1), .number(3)], [owner.rowValue, .null],
            [owner.rowValue, .text("Rex"), .text("3")], [.bytes([1]), .null, .number(3)], [],
        ]
        for row in others {
            var other = LocalRows()
            other.keep(row, in: .blockedUsers)
            #expect(other.all(Pet.self).isEmpty, "\(row)")
        }
        local.keep([owner.rowValue, .null, .number(3)], in: .blockedUsers)
        #expect(local.all(Pet.self).map(\.age) == [3] && local[Pet.self, owner]?.name == nil)
    }
}
