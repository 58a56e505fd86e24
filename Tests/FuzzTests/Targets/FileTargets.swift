import Foundation
import StreakCrypto
import StreakGames

@testable import StreakScores
@testable import StreakStorage

extension FuzzTarget {
    /// Files that a user brings: tables of results, backups.
    static let fileTargets: [FuzzTarget] = [
        FuzzTarget("result-file") { bytes in
            let now: Int64 = 1_795_000_000
            for order in [nil, DateOrder.dayFirst] {
                let reading = ResultImport(
                    now: now, dateOrder: order, game: order.flatMap { _ in Catalogue.standard.games.first })
                guard let plan = accepted({ try reading.plan(bytes, existing: { _ in nil }) }) else { continue }
                try demand(plan.refused.count <= ResultImport.maximumRefusals, "refusals are bounded")
                try demand(plan.refusedCount >= plan.refused.count, "all refusals are counted")
                // What was taken is known the next time.
                let known = Dictionary(plan.accepted.map { ($0.key, $0) }) { first, _ in first }
                let again = accepted { try reading.plan(bytes, existing: { known[$0] }) }
                try demand(again?.accepted.isEmpty == true, "an import made twice brings nothing new")
            }
        },
        FuzzTarget("file-text") { bytes in
            guard let text = accepted({ try FileText.utf8(bytes) }) else { return }
            try demand(String(validating: text, as: UTF8.self) != nil, "what was read is UTF-8")
        },
        FuzzTarget("backup-header") { bytes in
            // In one piece and in pieces of any size.
            var (whole, pieces) = (Backup.HeaderParser(), Backup.HeaderParser())
            let once = accepted { try whole.take(bytes) }
            var rest = bytes[...]
            var output: [UInt8]? = []
            while !rest.isEmpty, let so_far = output {
                let count = min(rest.count, 1 + Int(rest[rest.startIndex]) % 7)
                output = accepted { so_far + (try pieces.take(Array(rest.prefix(count)))) }
                rest = rest.dropFirst(count)
            }
            try demand(output == once, "a backup does not depend on how it is cut into pieces")
            if once != nil { try demand(whole.content == pieces.content, "nor does what it holds") }
        },
        FuzzTarget("backup") { bytes in
            var reader: SealedArchive.Reader? = SealedArchive.Reader(passphrase: "correct horse")
            // An expensive header is refused or paid for; here only the cheapest is tried.
            let isCheap = bytes.count < 25 || bytes[17..<25].elementsEqual([0, 0, 0, 1, 0, 0, 0, 8])
            guard isCheap else { return }
            guard accepted({ try reader?.open(bytes) }) != nil else { return }
            _ = accepted { try reader.take()?.finish() }
        },
        FuzzTarget("stored-rows", storedRows),
    ]
}
