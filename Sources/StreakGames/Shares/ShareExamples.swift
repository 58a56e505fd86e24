extension Catalogue {
    /// A short complete share of a built-in game, as the game's own button copies it; `nil` for other games.
    public static func shareExample(of game: GameID) -> String? {
        ShareFormatTable.examples[game.rawValue]
    }

    /// The beginning of the game's share: its first lines up to the one with a number or a result.
    static func shareOpening(of game: GameID) -> String? {
        guard let example = shareExample(of: game) else { return nil }
        var opening: [Substring] = []
        for line in example.split(separator: "\n") {
            opening.append(line)
            if line.unicodeScalars.contains(where: { $0.digit != nil || $0.isSquare }) { break }
        }
        return opening.joined(separator: " ")
    }
}

extension RefusalReason {
    /// A suggestion, as a sentence: "Did you mean Wordle? Its share begins “Wordle 1,981 3/6”."
    ///
    /// `nil` if no game is similar.
    public func suggestion(in catalogue: Catalogue = .standard) -> String? {
        guard case .notRecognised(let nearest?) = self, let game = catalogue[nearest] else { return nil }
        guard let opening = Catalogue.shareOpening(of: nearest) else { return "Did you mean \(game.name)?" }
        return "Did you mean \(game.name)? Its share begins “\(opening)”."
    }
}
