/// The built-in games as data: one row a game.
///
/// Models, maxima and epochs are those of the sample corpus. An epoch is given only if two sources agree on it.
enum CatalogueTable {
    static let games: [Game] =
        favourites.map { $0.game(isFavourite: true) } + others.map { $0.game(isFavourite: false) }

    /// Shown first, in this order.
    private static let favourites: [Row] = [
        row(
            "wordle", "🟩", "Wordle", .lowerAttempts, of: 6, best: 1, from: (0, 2021, 6, 19), .word,
            "https://www.nytimes.com/games/wordle"),
        row(
            "connections", "🟪", "Connections", .lowerAttempts, of: 7, best: 4, from: (1, 2023, 6, 12), .meaning,
            "https://www.nytimes.com/games/connections"),
        row(
            "strands", "🔵", "Strands", .lowerHints, of: 10, best: 0, from: (1, 2024, 3, 4), .word,
            "https://www.nytimes.com/games/strands"),
        row(
            "spelling-bee", "🐝", "Spelling Bee", .higherIsBetter, .word,
            "https://www.nytimes.com/puzzles/spelling-bee"),
        row(
            "nyt-mini", "✏️", "NYT Mini Crossword", .lowerTimeSeconds, .word,
            "https://www.nytimes.com/crosswords/game/mini"),
        row(
            "pips-easy", "🟢", "Pips – Easy", .lowerTimeSeconds, from: (1, 2025, 8, 18), .logic,
            "https://www.nytimes.com/games/pips"),
        row(
            "pips-medium", "🟡", "Pips – Medium", .lowerTimeSeconds, from: (1, 2025, 8, 18), .logic, mode: "pips-easy",
            "https://www.nytimes.com/games/pips"),
        row(
            "pips-hard", "🔴", "Pips – Hard", .lowerTimeSeconds, from: (1, 2025, 8, 18), .logic, mode: "pips-easy",
            "https://www.nytimes.com/games/pips"),
        row(
            "nerdle", "🧮", "Nerdle", .lowerAttempts, of: 6, best: 1, from: (1, 2022, 1, 20), .number,
            "https://nerdlegame.com"),
        row(
            "quordle", "4️⃣", "Quordle", .lowerAttempts, of: 36, best: 10, from: (0, 2022, 1, 24), .word,
            "https://www.merriam-webster.com/games/quordle/"),
        row(
            "quordle-weekly", "🗓️", "Quordle Weekly Challenge", .lowerAttempts, of: 36, best: 10, each: .weekly, .word,
            mode: "quordle",
            "https://www.merriam-webster.com/games/quordle/"),
        row(
            "octordle", "8️⃣", "Octordle", .lowerAttempts, of: 104, best: 36, from: (0, 2022, 1, 24), .word,
            "https://www.merriam-webster.com/games/octordle/"),
        row(
            "linkedin-queens", "👑", "LinkedIn Queens", .lowerTimeSeconds, from: (1, 2024, 5, 1), .logic,
            "https://www.linkedin.com/games/queens"),
        row(
            "linkedin-tango", "🌗", "LinkedIn Tango", .lowerTimeSeconds, from: (1, 2024, 10, 8), .logic,
            "https://www.linkedin.com/games/tango"),
        row(
            "linkedin-crossclimb", "🪜", "LinkedIn Crossclimb", .lowerTimeSeconds, from: (1, 2024, 5, 1), .meaning,
            "https://www.linkedin.com/games/crossclimb"),
        row(
            "linkedin-zip", "🏁", "LinkedIn Zip", .lowerTimeSeconds, from: (1, 2025, 3, 18), .logic,
            "https://www.linkedin.com/games/zip"),
        row(
            "linkedin-minisudoku", "🔢", "LinkedIn Mini Sudoku", .lowerTimeSeconds, from: (1, 2025, 8, 12), .logic,
            "https://www.linkedin.com/games/mini-sudoku"),
        row(
            "linkedin-pinpoint", "📌", "LinkedIn Pinpoint", .lowerGuesses, of: 5, best: 1, from: (1, 2024, 5, 1),
            .meaning,
            "https://www.linkedin.com/games/pinpoint"),
    ]

    private static let others: [Row] = [
        row(
            "nerdle-mini", "➕", "Mini Nerdle", .lowerAttempts, of: 6, best: 1, .number, mode: "nerdle",
            "https://mini.nerdlegame.com"),
        row(
            "octordle-sequence", "🔢", "Octordle Sequence", .lowerAttempts, of: 104, best: 36, .word, mode: "octordle",
            "https://www.merriam-webster.com/games/octordle/"),
        row(
            "linkedin-patches", "🧶", "LinkedIn Patches", .lowerTimeSeconds, from: (1, 2026, 3, 18), .logic,
            "https://www.linkedin.com/games/patches"),
        row(
            "linkedin-wend", "🌀", "LinkedIn Wend", .lowerTimeSeconds, from: (1, 2026, 6, 9), .word,
            "https://www.linkedin.com/games/wend"),
        row(
            "nyt-crossword", "📰", "NYT Crossword", .lowerTimeSeconds, .word,
            "https://www.nytimes.com/crosswords/game/daily"),
        row(
            "dordle", "2️⃣", "Dordle", .lowerAttempts, of: 14, best: 3, .word,
            "https://zaratustra.itch.io/dordle"),
        row(
            "sedecordle", "🔠", "Sedecordle", .lowerAttempts, of: 21, best: 16, .word,
            "https://sedecordle.com"),
        row(
            "sedec-order", "🔡", "Sedec-order", .lowerAttempts, of: 21, best: 16, .word, mode: "sedecordle",
            "https://sedecordle.com"),
        row(
            "sedecordle-savior", "🛟", "Sedecordle Savior", .lowerAttempts, of: 21, best: 16, .word, mode: "sedecordle",
            "https://sedecordle.com"),
        row(
            "duotrigordle", "🧱", "Duotrigordle", .lowerAttempts, of: 37, best: 32, .word,
            "https://duotrigordle.com"),
        row(
            "worldle", "🗺️", "Worldle", .lowerAttempts, of: 6, best: 1, from: (1, 2022, 1, 22), .geography,
            "https://worldle.teuteuf.fr"),
        row(
            "globle", "🌎", "Globle", .lowerGuesses, best: 1, .geography,
            "https://globle-game.com"),
        row(
            "heardle", "🔊", "Heardle", .lowerAttempts, of: 6, best: 1, .music,
            "https://heardle.app"),
        row(
            "heardle-it", "🇮🇹", "Heardle Italia", .lowerAttempts, of: 6, best: 1, .music, mode: "heardle",
            "https://heardle.it"),
        row(
            "framed", "🎥", "Framed", .lowerAttempts, of: 6, best: 1, from: (1, 2022, 3, 12), .screen,
            "https://framed.wtf"),
        row(
            "framed-one-frame", "🎞️", "Framed – One Frame Challenge", .lowerAttempts, of: 6, best: 1, .screen,
            mode: "framed",
            "https://framed.wtf/one-frame"),
        row(
            "framed-titleshot", "🎬", "Framed – Title Shot Challenge", .lowerAttempts, of: 6, best: 1, .screen,
            mode: "framed",
            "https://framed.wtf/titleshot"),
        row(
            "waffle", "🧇", "Waffle", .higherIsBetter, of: 5, from: (1, 2022, 1, 21), .word,
            "https://wafflegame.net"),
        row(
            "semantle", "🧠", "Semantle", .lowerGuesses, best: 1, .meaning,
            "https://semantle.com"),
        row(
            "contexto", "📚", "Contexto", .lowerGuesses, best: 1, .meaning,
            "https://contexto.me"),
        row(
            "absurdle", "♾️", "Absurdle", .lowerAttempts, best: 1, each: .unlimited, .word,
            "https://qntm.org/files/absurdle/absurdle.html"),
        row(
            "bandle", "🎸", "Bandle", .lowerAttempts, of: 6, best: 1, from: (1, 2022, 8, 18), .music,
            "https://bandle.app"),
        row(
            "tradle", "📦", "Tradle", .lowerAttempts, of: 6, best: 1, from: (1, 2022, 3, 7), .geography,
            "https://games.oec.world/en/tradle"),
        row(
            "travle", "🧭", "Travle", .lowerGuesses, best: 0, from: (1, 2022, 12, 15), .geography,
            "https://travle.earth"),
        row(
            "travle-ita", "🧭", "Travle Italia", .lowerGuesses, best: 0, .geography, mode: "travle",
            "https://travle.earth/ita"),
        row(
            "cloudle", "☁️", "Cloudle", .lowerAttempts, of: 6, best: 1, .geography,
            "https://cloudle.app"),
        row(
            "redactle", "⬛", "Redactle", .lowerGuesses, best: 1, .meaning,
            "https://redactle.net"),
        row(
            "lewdle", "🍆", "Lewdle", .lowerAttempts, of: 6, best: 1, .word,
            "https://www.lewdlegame.com"),
        row(
            "immaculate-grid", "⚾", "Immaculate Grid", .higherIsBetter, of: 9, .knowledge,
            "https://www.immaculategrid.com"),
        row(
            "thrice", "🎲", "Thrice", .higherIsBetter, .knowledge,
            "https://thricegame.com"),
        row(
            "gamedle", "🕹️", "Gamedle", .lowerAttempts, of: 6, best: 1, .screen,
            "https://www.gamedle.wtf/classic"),
        row(
            "costcodle", "🛒", "Costcodle", .lowerAttempts, of: 6, best: 1, from: (1, 2023, 9, 21), .number,
            "https://costcodle.com"),
        row(
            "murdle", "🔪", "Murdle", .lowerTimeSeconds, .logic,
            "https://murdle.com"),
        row(
            "chronophoto", "📸", "Chronophoto", .higherIsBetter, .picture,
            "https://www.chronophoto.app/daily.html"),
        row(
            "timeguessr", "📅", "TimeGuessr", .higherIsBetter, from: (1, 2023, 6, 2), .geography,
            "https://timeguessr.com"),
        row(
            "actorle", "🎭", "Actorle", .lowerAttempts, of: 8, best: 1, .screen,
            "https://actorle.com"),
        row(
            "episode", "📺", "Episode", .lowerAttempts, of: 10, best: 1, .screen,
            "https://episode.wtf"),
        row(
            "flagle", "🚩", "Flagle", .lowerAttempts, of: 6, best: 1, from: (1, 2022, 2, 22), .geography,
            "https://www.flagle.io"),
        row(
            "countryle", "🌍", "Countryle", .lowerGuesses, best: 1, .geography,
            "https://countryle.com"),
        row(
            "moviedle", "🎥", "Moviedle", .lowerAttempts, of: 6, best: 1, .screen,
            "https://likewise.com/games/moviedle"),
        row(
            "moviedle-app", "🍿", "Moviedle (moviedle.app)", .lowerAttempts, of: 8, best: 1, .screen,
            "https://moviedle.app"),
        row(
            "posterdle", "🖼️", "Posterdle", .lowerTimeSeconds, .screen,
            "https://likewise.com/games/posterdle"),
        row(
            "metazooa", "🦎", "Metazooa", .lowerGuesses, of: 20, best: 1, .knowledge,
            "https://metazooa.com"),
        row(
            "squareword", "🔲", "Squareword", .lowerGuesses, best: 1, from: (1, 2022, 2, 1), .word,
            "https://squareword.org"),
        row(
            "guess-the-game", "🎮", "GuessTheGame", .lowerAttempts, of: 6, best: 1, .screen,
            "https://guessthe.game"),
        row(
            "bracket-city", "🏙️", "Bracket City", .higherIsBetter, .word,
            "https://www.theatlantic.com/games/bracket-city/"),
        row(
            "foodguessr", "🍜", "FoodGuessr", .higherIsBetter, .picture,
            "https://www.foodguessr.com"),
        row(
            "whentaken", "⏳", "WhenTaken", .higherIsBetter, .geography,
            "https://whentaken.com"),
        row(
            "wheretaken", "📷", "WhereTaken", .lowerAttempts, of: 6, best: 1, .geography,
            "http://wheretaken.teuteuf.fr"),
        row(
            "termo", "🇧🇷", "Termo", .lowerAttempts, of: 6, best: 1, .word,
            "https://term.ooo"),
        row(
            "wordle-es", "🇪🇸", "Wordle (ES)", .lowerAttempts, of: 6, best: 1, .word,
            "https://wordle.danielfrg.com"),
        row(
            "le-mot", "🇫🇷", "Le Mot", .lowerAttempts, of: 6, best: 1, .word,
            "https://wordle.louan.me"),
        row(
            "parle-it", "🇮🇹", "Par🇮🇹le", .lowerAttempts, of: 6, best: 1, .word,
            "https://par-le.github.io/gioco/"),
        row(
            "sutom", "🟥", "SUTOM", .lowerAttempts, of: 6, best: 1, .word,
            "https://sutom.nocle.fr"),
        row(
            "tusmo", "🟡", "TUSMO", .lowerAttempts, of: 6, best: 1, .word,
            "https://www.tusmo.xyz"),
        row(
            "cemantix", "🌡️", "Cémantix", .lowerGuesses, best: 1, .meaning,
            "https://cemantix.certitudes.org"),
        row(
            "cemantle", "🌡️", "Cemantle", .lowerGuesses, best: 1, .meaning,
            "https://cemantle.certitudes.org"),
        row(
            "pedantix", "📖", "Pédantix", .lowerGuesses, best: 1, .meaning,
            "https://pedantix.certitudes.org"),
        row(
            "pedantle", "📖", "Pedantle", .lowerGuesses, best: 1, .meaning,
            "https://pedantle.certitudes.org"),
        row(
            "nerdle-instant", "⚡", "Instant Nerdle", .lowerTimeSeconds, .number, mode: "nerdle",
            "https://instant.nerdlegame.com"),
        row(
            "angle", "📐", "Angle", .lowerAttempts, of: 4, best: 1, .number,
            "https://www.angle.wtf"),
        row(
            "artle", "🎨", "Artle", .lowerAttempts, of: 4, best: 1, .picture,
            "https://www.nga.gov/Artle"),
        row(
            "bazingle", "🅱️", "Bazingle", .lowerAttempts, of: 8, best: 1, .word,
            "https://bazingle.wook.wtf"),
        row(
            "betweenle", "↕️", "Betweenle", .higherIsBetter, of: 5, .word,
            "https://betweenle.com"),
        row(
            "birdle", "🐦", "Birdle", .lowerAttempts, of: 6, best: 1, .knowledge,
            "https://www.play-birdle.com"),
        row(
            "colorfle", "🌈", "Colorfle", .lowerAttempts, of: 6, best: 1, .picture,
            "https://colorfle.com"),
        row(
            "dailytens", "🏆", "DailyTens", .higherIsBetter, of: 10, .knowledge,
            "https://dailytens.com"),
        row(
            "factle", "🐸", "Factle", .lowerAttempts, of: 5, best: 1, .knowledge,
            "https://factle.app"),
        row(
            "flickle", "🎬", "Flickle", .lowerAttempts, of: 6, best: 1, .screen,
            "https://flickle.app"),
        row(
            "framequiz", "🎞️", "Framequiz", .lowerAttempts, of: 3, best: 1, .screen,
            "https://framequiz.com"),
        row(
            "geosports", "🏟️", "GeoSports", .higherIsBetter, .geography,
            "https://www.geosports.app"),
        row(
            "hertl", "🇩🇪", "Hertl", .lowerAttempts, of: 8, best: 1, .word,
            "https://www.hertl.app"),
        row(
            "hexcodle", "#️⃣", "Hexcodle", .lowerAttempts, of: 5, best: 1, .number,
            "https://hexcodle.com"),
        row(
            "juxtastat", "📊", "Juxtastat", .higherIsBetter, of: 5, .number,
            "https://juxtastat.org"),
        row(
            "listed", "🏡", "Listed", .lowerAttempts, of: 9, best: 1, .geography,
            "https://listed.fun"),
        row(
            "lyricle", "🎤", "Lyricle", .lowerAttempts, of: 6, best: 1, .music,
            "https://lyricle.app"),
        row(
            "maptap", "📍", "MapTap", .higherIsBetter, .geography,
            "https://www.maptap.gg"),
        row(
            "minute-cryptic", "🕵️", "Minute Cryptic", .lowerHints, best: 0, .word,
            "https://www.minutecryptic.com"),
        row(
            "moviemoji", "😀", "Moviemoji", .lowerAttempts, of: 8, best: 1, .screen,
            "https://moviedle.xyz/moviemoji/"),
        row(
            "pimantle", "🧠", "Pimantle", .lowerGuesses, best: 1, .meaning,
            "https://semantle.pimanrul.es"),
        row(
            "polygonle", "🔷", "Polygonle", .lowerAttempts, of: 6, best: 1, .word,
            "https://www.polygonle.com"),
        row(
            "satle", "🛰️", "Satle", .lowerAttempts, of: 6, best: 1, .geography,
            "https://satle.ca"),
        row(
            "spotle", "🎧", "Spotle", .lowerAttempts, of: 10, best: 1, .music,
            "https://spotle.io"),
        row(
            "statele", "🇺🇸", "Statele", .lowerAttempts, of: 6, best: 1, .geography,
            "https://statele.teuteuf.fr"),
        row(
            "subwaydle", "🚇", "Subwaydle", .lowerAttempts, of: 6, best: 1, .geography,
            "https://www.subwaydle.com"),
        row(
            "sumplete", "➗", "Sumplete daily", .lowerTimeSeconds, .number,
            "https://sumplete.com"),
        row(
            "swiftle", "🎶", "Swiftle", .lowerAttempts, of: 6, best: 1, .music,
            "https://www.techyonic.co/swiftle"),
        row(
            "thirdle", "🥉", "Thirdle", .lowerAttempts, of: 6, best: 1, .word,
            "https://thirdle.org"),
        row(
            "unzoomed", "🔍", "Unzoomed", .lowerAttempts, of: 6, best: 1, .geography,
            "https://unzoomed.com"),
        row(
            "weaver", "🕸️", "Weaver", .lowerAttempts, best: 1, .word,
            "https://wordwormdormdork.com"),
        row(
            "word-peaks", "⛰️", "Word Peaks", .lowerAttempts, of: 6, best: 1, .word,
            "https://wordpeaks.com"),
    ]

    private struct Row {
        let id: StaticString
        let emoji: String
        let name: String
        let model: ScoringModel
        let maxAttempts: Int?
        let best: Int?
        let epoch: (number: Int, year: Int, month: Int, day: Int)?
        let cadence: Game.Cadence
        let category: Game.Category
        let mode: StaticString?
        let url: String

        func game(isFavourite: Bool) -> Game {
            let epoch = epoch.flatMap { epoch in
                PuzzleDay(year: epoch.year, month: epoch.month, day: epoch.day)
                    .map { PuzzleEpoch(number: epoch.number, day: $0) }
            }
            return Game(
                id: GameID(literal: id), name: name, model: model, maxAttempts: maxAttempts, best: best, epoch: epoch,
                cadence: cadence, url: url, category: category, emoji: emoji, isFavourite: isFavourite,
                variantOf: mode.map { GameID(literal: $0) })
        }
    }

    private static func row(
        _ id: StaticString, _ emoji: String, _ name: String, _ model: ScoringModel, of maxAttempts: Int? = nil,
        best: Int? = nil, from epoch: (Int, Int, Int, Int)? = nil, each cadence: Game.Cadence = .daily,
        _ category: Game.Category, mode: StaticString? = nil, _ url: String
    ) -> Row {
        Row(
            id: id, emoji: emoji, name: name, model: model, maxAttempts: maxAttempts, best: best,
            epoch: epoch.map { (number: $0.0, year: $0.1, month: $0.2, day: $0.3) }, cadence: cadence,
            category: category, mode: mode, url: url)
    }
}
