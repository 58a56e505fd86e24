import StreakGames

/// Finds games by the names that people use.
struct GameNames {
    private let catalogue: Catalogue
    private let named: [String: Game]

    /// The longest name considered.
    private static let longest = 80

    init(_ catalogue: Catalogue) {
        self.catalogue = catalogue
        var named: [String: Game] = [:]
        // Full names before IDs before names without their maker, so that a shorter form never hides a full name.
        let forms: [(Game) -> String] = [
            { Self.folded($0.name) }, { Self.folded($0.id.rawValue) }, { Self.withoutMaker(Self.folded($0.name)) },
        ]
        for form in forms {
            for game in catalogue.games {
                let name = form(game)
                if named[name] == nil, !name.isEmpty { named[name] = game }
            }
        }
        self.named = named
    }

    /// The game whose ID or name is `text`, ignoring letter case, accents, blanks and signs.
    func game(_ text: String) -> Game? {
        guard text.utf8.count <= Self.longest else { return nil }
        if let id = GameID(text), let game = catalogue[id] { return game }
        return named[Self.folded(text)]
    }

    /// The game whose name is most similar to `text`, if any. Compares with every game.
    func nearest(_ text: String) -> Game? {
        guard text.utf8.count <= Self.longest else { return nil }
        let wanted = Array(Self.folded(text).unicodeScalars)
        guard wanted.count >= 2 else { return nil }
        var best: (distance: Int, game: Game)?
        for game in catalogue.games {
            let name = Array(Self.withoutMaker(Self.folded(game.name)).unicodeScalars)
            let distance = name.starts(with: wanted) ? 1 : Self.distance(wanted, name)
            if distance <= max(1, wanted.count / 3), distance < best?.distance ?? .max { best = (distance, game) }
        }
        return best?.game
    }

    /// Letters and digits only, in lower case, without accents.
    static func folded(_ text: String) -> String {
        var folded = String.UnicodeScalarView()
        for scalar in String(decoding: NameOrder.key(for: text), as: UTF8.self).unicodeScalars {
            if scalar.isASCII {
                if "a"..."z" ~= scalar || "0"..."9" ~= scalar { folded.append(scalar) }
            } else if scalar.properties.isAlphabetic, !(0x300...0x36F ~= scalar.value) {
                folded.append(scalar)
            }
        }
        return String(folded)
    }

    private static func withoutMaker(_ name: String) -> String {
        for maker in ["linkedin", "nyt"] where name.hasPrefix(maker) && name != maker {
            return String(name.dropFirst(maker.count))
        }
        return name
    }

    /// Levenshtein's edit distance.
    private static func distance(_ left: [Unicode.Scalar], _ right: [Unicode.Scalar]) -> Int {
        var row = Array(0...right.count)
        for (index, scalar) in left.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for position in right.indices {
                let substituted = diagonal + (scalar == right[position] ? 0 : 1)
                diagonal = row[position + 1]
                row[position + 1] = min(substituted, diagonal + 1, row[position] + 1)
            }
        }
        return row[right.count]
    }
}
