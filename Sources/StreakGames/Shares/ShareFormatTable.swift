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
