extension Catalogue {
    /// A short complete share of a built-in game, as the game's own button copies it; `nil` for other games.
    public static func shareExample(of game: GameID) -> String? {
        ShareExamples.table[game.rawValue]
    }

    /// The beginning of the game's share: its first lines up to the one with a number or a result.
    public static func shareOpening(of game: GameID) -> String? {
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

/// One share for each game, as data. A test reads each as a share of its game.
enum ShareExamples {
    static let table: [String: String] = [
        "wordle": "Wordle 1,981 3/6", "wordle-es": "Wordle (ES)  #30 4/6", "nerdle": "nerdlegame 801 3/6",
        "nerdle-mini": "mini nerdlegame 260 4/6", "worldle": "#Worldle #934 (12.08.2024) 3/6 (100%)",
        "tradle": "#Tradle #1071 2/6", "bandle": "Bandle #1489 3/6", "cloudle": "Cloudle - Milan, Italy: 4/6",
        "lewdle": "Lewdle 🍆💦 122 4/6", "costcodle": "Costcodle #95 3/6", "actorle": "Actorle #1365 7/8",
        "flagle": "#Flagle #777 (08.04.2024) 2/6", "moviedle-app": "Moviedle #1186 3/8",
        "wheretaken": "📷 #WhereTaken🌎 #398 (30.03.2024) 4/6", "termo": "joguei term.ooo #810 4/6",
        "le-mot": "Le Mot (@WordleFR) #1698 5/6", "parle-it": "Par🇮🇹le 813 4/6", "sutom": "#SUTOM #425 3/6",
        "angle": "#Angle #571 2/4", "bazingle": "Bazingle #753 1/8", "birdle": "Birdle #700 3/6",
        "colorfle": "Colorfle 713 2/6", "hertl": "HERTL (Game #813) - 4 / 8", "moviemoji": "Moviemoji #492 3/8",
        "polygonle": "#Polygonle 613 3/6", "satle": "🛰Satle #369 4/6", "statele": "#Statele #91 1/6 (100%)",
        "subwaydle": "Subwaydle 726 5/6", "thirdle": "#thirdle #thirdle775\n\n🏆 2 / 6 | 🔥 1",
        "word-peaks": "Word Peaks #782 4/6", "waffle": "#waffle629 3/5", "betweenle": "Betweenle 391 - 3/5:",
        "juxtastat": "Juxtastat 881 4/5", "immaculate-grid": "Immaculate Grid 411 7/9",
        "timeguessr": "TimeGuessr #583 44,489/50,000",
        "factle": "Factle.app #2 2/5\n⬛🐸🐱⬛⬛\n🐸🐸🐸🐸🐸", "unzoomed": "Unzoomed #89 2/6 🔴🟢⚪⚪⚪⚪",
        "absurdle": "Absurdle 9/∞", "tusmo": "🇫🇷 TUSMO (@tusmo_xyz) #402 - 3/6",
        "quordle": "Daily Quordle 1346\n6️⃣5️⃣\n9️⃣4️⃣", "quordle-weekly": "Weekly Quordle Challenge 143\n7️⃣4️⃣\n5️⃣6️⃣",
        "octordle": "Daily Octordle #845\n8️⃣4️⃣\n5️⃣🔟\n9️⃣6️⃣\n🕛7️⃣\nScore: 61",
        "octordle-sequence": "Daily Sequence Octordle #563\n4️⃣5️⃣\n7️⃣8️⃣\n9️⃣🔟\n🕚🕛\nScore: 66",
        "dordle": "Daily Dordle 0597 4&6/7",
        "sedecordle":
            "Daily #359\n1️⃣3️⃣⬛1️⃣4️⃣\n1️⃣5️⃣⬛0️⃣7️⃣\n1️⃣8️⃣⬛0️⃣4️⃣\n1️⃣7️⃣⬛0️⃣8️⃣\n1️⃣0️⃣⬛0️⃣9️⃣\n0️⃣3️⃣⬛1️⃣1️⃣\n1️⃣6️⃣⬛2️⃣0️⃣\n0️⃣5️⃣⬛1️⃣2️⃣\nsedecordle.com",
        "sedec-order": "Daily Sedec-order #1096\nGuesses: 21/21",
        "sedecordle-savior": "Daily Savior #1387\nGuesses: 21/21",
        "duotrigordle": "Daily Duotrigordle #367\nGuesses: 36/37",
        "linkedin-queens": "Queens #714 | 0:58 👑", "linkedin-tango": "Tango #554 | 0:40 🌗",
        "linkedin-crossclimb": "Crossclimb #854 | 1:27 🪜", "linkedin-zip": "Zip #393 | 0:07 🏁",
        "linkedin-minisudoku": "Mini Sudoku #142 | 0:39 ✏️", "linkedin-patches": "Patches #28 | 0:29 🧶",
        "linkedin-wend": "Wend #4 | 0:43 🌀", "linkedin-pinpoint": "Pinpoint #522 | 3 guesses\n🤔 🤔 📌 ⬜ ⬜ (3/5)",
        "connections": "Connections\nPuzzle #603\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪",
        "strands": "Strands #350\n“Knot your average puzzle”\n🔵🔵🔵🟡\n🔵🔵🔵",
        "pips-easy": "Pips #120 Easy 🟢\n0:22", "pips-medium": "Pips #120 Medium 🟡\n0:58",
        "pips-hard": "Pips #120 Hard 🔴\n2:59", "spelling-bee": "Spelling Bee\nScore: 150\nWords: 25\nRank: Genius",
        "nyt-mini": "I solved the 1/17/2026 New York Times Mini Crossword in 0:28!",
        "nyt-crossword": "I solved the Monday 3/23/2026 New York Times Daily Crossword in 6:25!",
        "framed": "Framed #659\n🎥 🟥 🟥 🟩 ⬛ ⬛ ⬛",
        "framed-one-frame": "Framed - One Frame Challenge #21\n🎥 🟥 🟥 🟩 ⬛ ⬛ ⬛",
        "framed-titleshot": "Framed - Title Shot Challenge #42\n🎥 🟥 🟩 ⬛ ⬛ ⬛ ⬛",
        "episode": "Episode #26\n📺 🟩 ⬛ ⬛ ⬛ ⬛ ⬛ ⬛ ⬛ ⬛ ⬛", "heardle": "#Heardle #184\n🔊🟨🟨🟩⬜⬜⬜",
        "heardle-it": "🔊🟩⬜⬜⬜⬜⬜\n#HeardleItalia 19/06/2025", "gamedle": "🕹️ Gamedle: 27/01/2024 🟥🟩⬜⬜⬜⬜",
        "moviedle": "#Moviedle #2024-03-07\n🎥 🟩 ⬜ ⬜ ⬜ ⬜ ⬜", "guess-the-game": "#GuessTheGame #12\n\n🎮 🟥 🟩 ⬜ ⬜ ⬜ ⬜",
        "artle": "Artle #601\n🎨 🟥 🟩 ⬜ ⬜", "flickle": "#Flickle #201\n🎥 🟥 🟩 ⬜ ⬜ ⬜ ⬜",
        "framequiz": "Framequiz #446 - 🟥 🟥 🟩", "lyricle": "#Lyricle #1051\n\n🟩⬛⬛⬛⬛⬛",
        "spotle": "Spotle #710🎧\n\n⬜⬜🟩", "swiftle": "Swiftle #657\n\n🔊🟥🟩⬜⬜⬜⬜",
        "semantle": "I solved Semantle #95 in 149 guesses with 2 hints.",
        "contexto": "I played contexto.me #471 and got it in 42 guesses and 15 hints.",
        "redactle": "I solved today's Redactle (#812) in 48 guesses.",
        "cemantix": "J'ai trouvé #cemantix nº365 en 236 coups !", "cemantle": "I found #cemantle #245 in 25 guesses!",
        "pedantix": "J'ai trouvé #pedantix nº293 en 632 coups !", "pedantle": "I found #pedantle #833 in 133 guesses!",
        "pimantle": "I solved Pimantle #100 with 11 guesses and no hints!",
        "countryle": "#Countryle 818\nGuessed in 4 tries.",
        "metazooa": "🦮 Animal #156 🦎\nI figured it out in 5 guesses!", "squareword": "squareword.org 793: 7 guesses",
        "hexcodle": "I got Hexcodle #616 in 4!", "listed": "I got #Listed game 500 in 9 guesses:",
        "thrice": "Thrice Game #944 → 13 points!", "nerdle-instant": "Instant Nerdle 90 solved in 6m 13s!",
        "sumplete": "🧩 #Sumplete Daily 5x5 #1229 ⏱️ 00:28.25",
        "minute-cryptic": "Minute Cryptic - 22 July, 2026\n🤝 2 hints – matched the community par",
        "travle": "#travle #484 +3", "travle-ita": "#travle_ita #484 +3",
        "globle": "🌎 Mar 30, 2024 🌍\n🔥 1 | Avg. Guesses: 8.94\n🟧🟨🟧🟩 = 4",
        "murdle": "Murdle for 1/23/2024\n\n👤🔪🏡❓     🕰️\n✅✅✅✅     1️⃣0️⃣:5️⃣0️⃣",
        "posterdle": "#Posterdle #2024-09-04\n⌛️ 3️⃣ seconds\n🍿 🟩 ⬜ ⬜ ⬜ ⬜ ⬜",
        "dailytens": "DailyTens #766\n🏆🏆🏆🏆🏆❌❌❌🏆🏆",
        "weaver": "Weaver #733\n\n🟩⬜⬜⬜\n🟩🟩⬜⬜\n🟩🟩🟩🟩",
        "bracket-city": "[Bracket City]\nFebruary 1, 2026\nTotal Score: 100.0",
        "chronophoto": "I got a score of 4120 on today's Chronophoto: 25/12/2025",
        "foodguessr": "I got 13,500 on the FoodGuessr Daily!",
        "whentaken": "#WhenTaken #191 (05.09.2024)\n\nI scored 505/1000",
        "geosports": "GeoSports · June 12th\n🟢🟢🟢🟢🟢\n1,000 / 1,000",
        "maptap": "www.maptap.gg June 12\nFinal score: 604",
    ]
}
