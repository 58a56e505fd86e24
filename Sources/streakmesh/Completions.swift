import ArgumentParser
import StreakGames
import StreakNode

/// What a shell offers for a value, in the scripts that `streakmesh completion` writes.
extension CompletionKind {
    /// The games of the catalogue by ID. A group's own games are not known to a script.
    static var games: CompletionKind { .list(Catalogue.standard.games.map(\.id.rawValue)) }

    static var ranges: CompletionKind { .list(BoardRequest.ranges) }

    static var metrics: CompletionKind { .list(BoardRequest.metrics) }
}

/// Help for options that several commands have.
enum OptionHelp {
    /// Which ranges there are.
    static let ranges = BoardRequest.ranges.joined(separator: ", ") + ", or D..D"
}
