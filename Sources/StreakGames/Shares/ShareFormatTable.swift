/// The share formats as data: one row for each game or round. `SharePattern` explains the patterns.
enum ShareFormatTable {
    static let formats: [ShareFormat] = numbered + boards + linkedIn + newYorkTimes + rows + sentences + others + traps

    /// A name, a number and `n/M`.
    private static let numbered: [ShareFormat] = [
        of("wordle", ["wordle #{n}"], 6),
        of("wordle-es", ["wordle [\\(]es[\\)] #{n}"], 6),
        of("nerdle", ["nerdlegame #{n}", "nerdle #{n}"], 6),
        of("nerdle-mini", ["mini nerdlegame #{n}", "mini nerdle #{n}"], 6),
        of("worldle", ["worldle #{n} [\\({dmy}\\)]"], 6),
        of("tradle", ["tradle #{n}"], 6),
        ShareFormat("bandle", ["bandle #{n}"], .fraction(FractionFormat(maxima: [4, 5, 6, 7, 8]))),
        of("cloudle", ["cloudle [-{…}:]"], 6, isWeak: true),
        of("lewdle", ["lewdle {~}{n}"], 6),
        of("costcodle", ["costcodle #{n}"], 6),
        of("actorle", ["actorle #{n}"], 8),
        of("flagle", ["flagle #{n} [\\({dmy}\\)]"], 6),
        of("moviedle-app", ["moviedle #{n}"], 8),
        of("wheretaken", ["wheretaken{~}{n} [\\({dmy}\\)]"], 6),
        of("termo", ["term.ooo #{n}", "termo #{n}"], 6),
        of("le-mot", ["le mot [\\(@wordlefr\\)] #{n}"], 6),
        of("parle-it", ["par🇮🇹le #{n}"], 6),
        of("sutom", ["sutom #{n}"], 6),
        of("angle", ["angle \\#{n}"], 4),
        of("bazingle", ["bazingle #{n}"], 8),
        of("birdle", ["birdle #{n}"], 6),
        of("colorfle", ["colorfle #{n} [\\(hard mode\\){hard}]"], 6),
        of("hertl", ["hertl [\\(]game #{n}[\\)]"], 8),
        of("moviemoji", ["moviemoji #{n}"], 8),
        of("polygonle", ["polygonle #{n}"], 6),
        of("satle", ["satle #{n}"], 6),
        of("statele", ["statele #{n}"], 6),
        of("subwaydle", ["subwaydle [\\({…}\\)] #{n} [\\({…}\\)]"], 6),
        of("thirdle", ["[thirdle #]thirdle{n}", "thirdle #{n}"], 6),
        of("word-peaks", ["word peaks #{n}"], 6),
        ShareFormat("waffle", ["waffle{n}", "waffle #{n}"], .fraction(FractionFormat(maxima: [5], zero: .win))),
        ShareFormat("betweenle", ["betweenle #{n}"], .fraction(FractionFormat(maxima: [5], zero: .loss))),
        ShareFormat("juxtastat", ["juxtastat #{n}"], .fraction(FractionFormat(maxima: [5], zero: .win))),
        ShareFormat("immaculate-grid", ["immaculate grid #{n}"], .fraction(FractionFormat(maxima: [9], zero: .win))),
        ShareFormat(
            "timeguessr", ["timeguessr #{n}"], .fraction(FractionFormat(maxima: [], zero: .win, mostPoints: 50_000))),
        ShareFormat(
            "factle", ["factle[.app] #{n}"], .fraction(FractionFormat(maxima: [5], winningRow: ("🐸", 5)))),
        ShareFormat("unzoomed", ["unzoomed #{n}"], .fraction(FractionFormat(maxima: [6], winningRow: ("🟢", 1)))),
        ShareFormat("absurdle", ["absurdle {s} / ∞"], .printed(range: 1...500)),
        ShareFormat("tusmo", ["tusmo [\\(@tusmo_xyz\\)] #{n}"], .tusmo),
    ]

    /// Several boards at once.
    private static let boards: [ShareFormat] = [
        ShareFormat("quordle", ["[daily] quordle #{n}"], .boards(count: 4, highest: 9)),
        ShareFormat("quordle-weekly", ["weekly quordle [challenge] #{n}"], .boards(count: 4, highest: 9)),
        ShareFormat("octordle", ["[daily] octordle #{n}"], .boards(count: 8, highest: 13)),
        ShareFormat("octordle-sequence", ["[daily] sequence octordle #{n}"], .boards(count: 8, highest: 15)),
        ShareFormat("dordle", ["[daily] dordle #{n}"], .dordle),
        ShareFormat(
            "sedecordle", ["daily [sedecordle] #{n}", "sedecordle #{n}"], .pairedBoards(count: 16, highest: 21),
            isWeak: true),
        guesses("sedec-order", ["[daily] sedec-order #{n}"], of: 21),
        guesses("sedecordle-savior", ["[daily] [sedecordle] savior #{n}"], of: 21),
        guesses("duotrigordle", ["[daily] duotrigordle #{n}"], of: 37),
    ]

    private static let linkedIn: [ShareFormat] = [
        ShareFormat("linkedin-queens", ["queens #{n}"], .time),
        ShareFormat("linkedin-tango", ["tango #{n}"], .time),
        ShareFormat("linkedin-crossclimb", ["crossclimb #{n}"], .time),
        ShareFormat("linkedin-zip", ["zip #{n}"], .time),
        ShareFormat("linkedin-minisudoku", ["mini sudoku #{n}"], .time),
        ShareFormat("linkedin-minisudoku", ["mini sudoku{~}{mdy}"], .phrase([SharePattern("time: {t}")])),
        ShareFormat("linkedin-patches", ["patches #{n}"], .time),
        ShareFormat("linkedin-wend", ["wend #{n}"], .time),
        ShareFormat("linkedin-pinpoint", ["pinpoint #{n}"], .pinpoint),
    ]

    private static let newYorkTimes: [ShareFormat] = [
        ShareFormat("connections", ["connections [puzzle] #{n}"], .connections),
        ShareFormat("strands", ["strands #{n}"], .strands),
        ShareFormat("pips", ["pips #{n}"], .pips),
        ShareFormat(
            "spelling-bee",
            [
                "[nyt] spelling bee[ -][ ][{mdy}]",
                "i (just|) (hit|reached|got|made it to) [{word}] {word} [with {s} points] (on|in) [the] [today's] [nyt] spelling bee{played}",
            ],
            .spellingBee, isWeak: true),
        ShareFormat(
            "nyt-mini",
            [
                "i [just] (solved|finished|completed) [the] [today's] [{word}] [{mdy}] [the] (new york times|nyt|) mini [crossword] in"
            ],
            .time),
        ShareFormat(
            "nyt-mini", ["[nyt] mini crossword"], .phrase([SharePattern("(completed|solved|finished) in {t}")]),
            isWeak: true),
        ShareFormat(
            "nyt-crossword",
            ["i [just] (solved|finished|completed) [the] [{word}] [{mdy}] new york times [daily] crossword in"], .time),
    ]

    /// A row of squares; the green one is the answer.
    private static let rows: [ShareFormat] = [
        row("framed", ["framed #{n}"], 6, unused: ["⬛", "⬜"]),
        row("framed-one-frame", ["framed - one frame [challenge] #{n}"], 6, unused: ["⬛", "⬜"]),
        row("framed-titleshot", ["framed - title shot [challenge] #{n}"], 6, unused: ["⬛", "⬜"]),
        row("episode", ["episode #{n}"], 10, unused: ["⬛", "⬜"]),
        row("heardle", ["heardle #{n}"], 6),
        ShareFormat("heardle-it", ["heardle[ ]italia {dmy}"], .row(RowFormat(width: 6, isBefore: true))),
        row("gamedle", ["gamedle[:] {dmy}"], 6),
        row("moviedle", ["moviedle #{iso}"], 6),
        row("guess-the-game", ["guessthegame #{n}", "guess the game #{n}"], 6),
        row("artle", ["artle #{n}"], 4),
        row("flickle", ["flickle #{n}"], 6),
        row("framequiz", ["framequiz #{n}"], 3),
        row("lyricle", ["lyricle #{n}"], 6, unused: []),
        row("spotle", ["spotle #{n}"], 10),
        row("swiftle", ["swiftle #{n}"], 6),
    ]

    /// The result is in a sentence or after a label.
    private static let sentences: [ShareFormat] = [
        ShareFormat(
            "semantle", ["semantle #{n}", "gave up [on] semantle #{n}{lost}"],
            .phrase(
                [
                    SharePattern("in {s} guess[es] with {h} hint"),
                    SharePattern("in {s} guess[es] with no hint{none}"), SharePattern("in {s} guess"),
                    SharePattern("✅ {s} guess[es]{lines}💡 {h} hint"), SharePattern("✅ {s} guess"),
                    SharePattern("❌{lost} {~}"), SharePattern("(gave up|given up){lost}"), SharePattern("{s} guess"),
                ], range: 1...1_000_000)),
        ShareFormat(
            "contexto", ["contexto[.me] #{n}", "contexto[.me] {mdy}"],
            .phrase(
                [
                    SharePattern("got it in {s} {word}[ and {h} {word}]"),
                    SharePattern("(gave up|desisti|me rendi){lost} (in|em|en) {s} {word}[ (and|e|y) {h} {word}]"),
                    SharePattern("(gave up|desisti|me rendi){lost}"),
                    SharePattern("{s} {word} (and|e|y|et|und|con|mit|with) {h} {word}"), SharePattern("{s} {word}"),
                ], range: 1...1_000_000)),
        ShareFormat(
            "redactle", ["redactle[ unlimited][ ][\\(]#{n}[\\)]"],
            .phrase([SharePattern("{s} guess")], range: 1...100_000)),
        ShareFormat("cemantix", ["cemantix #{n} (en|in) {s} (coup|guess)"], .printed(range: 1...1_000_000)),
        ShareFormat("cemantle", ["cemantle #{n} (en|in) {s} (coup|guess)"], .printed(range: 1...1_000_000)),
        ShareFormat("pedantix", ["pedantix #{n} (en|in) {s} (coup|guess)"], .printed(range: 1...1_000_000)),
        ShareFormat("pedantle", ["pedantle #{n} (en|in) {s} (coup|guess)"], .printed(range: 1...1_000_000)),
        ShareFormat(
            "pimantle", ["pimantle #{n}"],
            .phrase(
                [
                    SharePattern("{s} guess[es] and no hint{none}"), SharePattern("{s} guess[es] and {h} hint"),
                    SharePattern("{s} guess"),
                ], range: 1...1_000_000)),
        ShareFormat(
            "countryle", ["countryle #{n}"], .phrase([SharePattern("{s} {word}")], range: 1...300)),
        ShareFormat(
            "metazooa", ["animal #{n}"],
            .phrase([SharePattern("stumped{lost}"), SharePattern("out in {s} guess")], range: 1...20), isWeak: true),
        ShareFormat("squareword", ["squareword[.org] #{n}[:] {s} guess"], .printed(range: 1...200)),
        ShareFormat(
            "hexcodle", ["hexcodle #{n} in {s}", "i didn't get hexcodle #{n}{lost}"], .printed(range: 1...5)),
        ShareFormat(
            "listed", ["listed game #{n} in {s} guess", "stumped {…}listed game #{n}{lost}"], .printed(range: 1...9)),
        ShareFormat("listed", ["listed {…}game #{n}"], .phrase([SharePattern("stumped{lost}")]), isWeak: true),
        ShareFormat("thrice", ["thrice [game] #{n}{~}{s} point"], .printed(range: 0...15)),
        ShareFormat("nerdle-instant", ["instant nerdle #{n} [solved] [in] {t}"], .time),
        ShareFormat("sumplete", ["sumplete [daily] [{word}] #{n}{~}{t}"], .time),
        ShareFormat("minute-cryptic", ["minute cryptic[ -] {dmy}"], .minuteCryptic),
    ]

    /// Points after a label, and games with a format of their own.
    private static let others: [ShareFormat] = [
        ShareFormat("travle", ["travle #{n}"], .travle),
        ShareFormat("travle-ita", ["travle_ita #{n}"], .travle),
        ShareFormat("globle", ["(🌎|🌍|🌏) {mdy}"], .globle, isWeak: true),
        ShareFormat("murdle", ["murdle for {mdy}"], .murdle),
        ShareFormat("posterdle", ["posterdle #{iso}"], .posterdle),
        ShareFormat("dailytens", ["dailytens #{n}"], .dailyTens),
        ShareFormat("weaver", ["weaver #{n}"], .weaver),
        ShareFormat(
            "bracket-city", ["[\\[]bracket city[\\]] {mdy}"],
            .phrase([SharePattern("total score: {s}")], range: 0...1_000)),
        ShareFormat(
            "chronophoto", ["i got a score of {s} on today's chronophoto[:] [{date}]"], .printed(range: 0...5_000)),
        ShareFormat(
            "foodguessr",
            ["i (got|scored) [a total [score] of] {s} [points] (on|in) [the] [today's] foodguessr [daily]"],
            .phrase(
                [SharePattern("{word}, {mdy}"), SharePattern("{date}"), SharePattern("")], range: 0...15_000)),
        ShareFormat(
            "foodguessr", ["foodguessr [daily][ -][:] [\\(]{dmy}[\\)]", "foodguessr [daily]"],
            .phrase(
                [
                    SharePattern("{date}{lines}total [score]: {s} / {m}"),
                    SharePattern("{date}{lines}total [score]: {s}"),
                    SharePattern("total [score]: {s} / {m}{lines}{date}"),
                    SharePattern("total [score]: {s}{lines}{date}"), SharePattern("total [score]: {s} / {m}"),
                    SharePattern("total [score]: {s}"),
                ], range: 0...15_000),
            isWeak: true),
        ShareFormat(
            "whentaken", ["whentaken{~}{n} [\\({dmy}\\)]"],
            .phrase([SharePattern("scored {s} / {m}")], range: 0...1_000)),
        ShareFormat(
            "geosports", ["geosports{~}{mdy}"], .phrase([SharePattern("{s} / {m}")], range: 0...1_000)),
        ShareFormat(
            "maptap", ["[www.]maptap[.gg] {mdy}"], .phrase([SharePattern("final score: {s}")], range: 0...1_000)),
    ]

    /// Rounds that look like the daily puzzle but are not.
    private static let traps: [ShareFormat] = [
        ShareFormat("strands", ["bonus strands", "strands bonus"], .notTheDailyPuzzle),
        ShareFormat(
            "quordle",
            [
                "[daily] (sequence|chill|extreme|rescue|practice|classic) quordle",
                "quordle (sequence|chill|extreme|rescue|practice)", "practice quordle",
            ], .notTheDailyPuzzle),
        ShareFormat(
            "octordle", ["[daily] (rescue|extreme|chill|practice|free) octordle", "octordle (rescue|extreme)"],
            .notTheDailyPuzzle),
        ShareFormat(
            "nerdle", ["(micro|midi|maxi|speed|bi|quad|pro|cross) (nerdlegame|nerdle)"], .notTheDailyPuzzle),
        ShareFormat(
            "duotrigordle", ["[daily] (sequence|jumble|practice|perfect) duotrigordle"], .notTheDailyPuzzle),
        ShareFormat("semantle", ["semantle junior"], .notTheDailyPuzzle),
        ShareFormat("connections", ["connections[:] sports edition"], .notTheDailyPuzzle),
    ]

    private static func of(
        _ game: StaticString, _ heads: [StaticString], _ maximum: Int, isWeak: Bool = false
    ) -> ShareFormat {
        ShareFormat(game, heads, .fraction(FractionFormat(maxima: [maximum])), isWeak: isWeak)
    }

    private static func guesses(_ game: StaticString, _ heads: [StaticString], of maximum: Int) -> ShareFormat {
        let label = SharePattern("guesses:")
        return ShareFormat(game, heads, .fraction(FractionFormat(maxima: [maximum], label: label)))
    }

    private static func row(
        _ game: StaticString, _ heads: [StaticString], _ width: Int, unused: [Unicode.Scalar] = ["⬜"]
    ) -> ShareFormat {
        ShareFormat(game, heads, .row(RowFormat(width: width, unused: unused)))
    }
}

extension ShareFormatTable {
    /// A share of each game, as its button copies it: every one is read by `ShareReader` as a share of its game.
    static let examples: [String: String] = [
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
