import StreakGames
import Testing

/// Real formats after programs changed them on the way: escaped, punctuated, with emoji, cut, joined.
@Suite struct MoreShareVariationTests {
    static let variations: [ShareVariationTests.Variation] = [
        .init("Queens 第 935 期 | 1:58", "linkedin-queens 935 118"),
        .init("Queens 第935回 | 1:58 👑", "linkedin-queens 935 118"),
        .init("Tango 제 554회 | 0:40", "linkedin-tango 554 40"),
        .init("Daily Octordle #1074\nScore: 62", "octordle 1074 62"),
        .init("Daily Octordle #1074\nScore: 80\noctordle.com", "octordle 1074 X"),
        .init("Daily Sequence Octordle #563\nScore: 66", "octordle-sequence 563 66"),
        .init("Wordle 1,234-3/6", "wordle 1234 3"), .init("HERTL (Game #813) - 4 / 8", "hertl 813 4"),
        .init("Daily Dordle 0597 4&amp;6/7\n🟨🟨⬜⬜⬜ 🟨⬜🟨⬜⬜", "dordle 597 10"),
        .init("Daily Dordle 597 X&#38;5/7", "dordle 597 X"),
        .init("Daily Dordle #597 4&#x26;3/7", "dordle 597 7"),
        .init("Daily Dordle 0597 4&amp;amp;6/7", "dordle 597 10"),
        .init("Queens&nbsp;#714 | 0:10 &#128081;", "linkedin-queens 714 10"),
        .init("Wordle 1&#8239;234 3/6", "wordle 1234 3"),
        .init("&gt; Wordle 1,234 4/6\n&gt; ⬛🟨⬛⬛⬛", "wordle 1234 4"),
        .init("&quot;Wordle 1,234 5/6&quot;", "wordle 1234 5"),
        .init("TimeGuessr &num;583 44,489/50,000", "timeguessr 583 44489"),
        .init("Spelling Bee\nScore: 88\nRank: Great &mdash; Nice!", "spelling-bee - 88"),
        .init("Wordle - 1234 - 3/6", "wordle 1234 3"),
        .init("Wordle – 1,234 – X/6", "wordle 1234 X"),
        .init("Wordle: 1234 3/6", "wordle 1234 3"),
        .init("Wordle: #1,234: 3/6", "wordle 1234 3"),
        .init("Wordle — #1234 — 4/6*", "wordle 1234 4"),
        .init("Worldle - #1402 - 2/6 (100%)", "worldle 1402 2"),
        .init("Framed: #1427\n🎥 🟥 🟩 ⬛ ⬛ ⬛ ⬛", "framed 1427 2"),
        .init("Tango - #554 - 0:40 🌗", "linkedin-tango 554 40"),
        .init("Wordle 1,234 3️⃣/6️⃣", "wordle 1234 3"),
        .init("Wordle 1,234 4️⃣/6", "wordle 1234 4"),
        .init("Wordle 1234 - 5⃣/6⃣", "wordle 1234 5"),
        .init("Wordle 1,234 :three:/:six:", "wordle 1234 3"),
        .init("Duotrigordle #900\nGuesses: 3️⃣4️⃣/3️⃣7️⃣", "duotrigordle 900 34"),
        .init("Waffle 1471 5️⃣/5️⃣", "waffle 1471 5"),
        .init("Daily Dordle 597 4️⃣&6️⃣/7️⃣", "dordle 597 10"),
        .init("Connections \nPuzzle #1\u{301}234\n🟨🟨🟨🟨\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪", "connections 1234 4"),
        .init("Connections Puzzle nº 603\n🟨🟨🟨🟨\n🟩🟩🟦🟩\n🟩🟩🟩🟩\n🟦🟦🟦🟦\n🟪🟪🟪🟪", "connections 603 5"),
        .init("CONNECTIONS\nPUZZLE #603\n🟨🟨🟨🟩\n🟨🟨🟨🟩\n🟨🟨🟨🟩\n🟨🟨🟨🟩", "connections 603 X"),
        .init("Strands #629\n“Fly away”\n🔵🔵🔵🔵\n🟡🔵🔵", "strands 629 0"),
        .init("strands #1 \"x\"\n💡💡💡🔵\n🔵🟡", "strands 1 3"),
        .init("Daily Quordle 1402\n6️⃣🟥\n5️⃣9️⃣\nm-w.com/games/quordle/", "quordle 1402 X"),
        .init("Daily Quordle #1,402\n6️⃣8️⃣ 5️⃣9️⃣", "quordle 1402 28"),
        .init("Daily Sequence Octordle #1404\n4️⃣5️⃣\n6️⃣7️⃣\n8️⃣9️⃣\n🔟🕚\nScore: 60", "octordle-sequence 1404 60"),
        .init("Daily Duotrigordle #1234\nGuesses: 36/37\nTime: 05:30.12\nduotrigordle.com", "duotrigordle 1234 36"),
        .init("Daily Duotrigordle #1234\nGuesses: X/37", "duotrigordle 1234 X"),
        .init("mini nerdlegame 1402 3/6\n🟪⬛🟩", "nerdle-mini 1402 3"),
        .init("Instant Nerdle #801 solved in 45s", "nerdle-instant 801 45"),
        .init("Zip #393 | 0:07 🏁\nWith 1 backtrack 🛑\nlnkd.in/zip.", "linkedin-zip 393 7"),
        .init("Mini Sudoku #15 | 1:45 ✏️\nThe classic game, made mini", "linkedin-minisudoku 15 105"),
        .init("Crossclimb #554\n0:55 🪜 | and flawless\nFill order: 1 2 3", "linkedin-crossclimb 554 55"),
        .init("Patches #12 | 0:33 🧩", "linkedin-patches 12 33"),
        .init("Wend #5 in 1:02", "linkedin-wend 5 62"),
        .init("Pinpoint #714 | 1 guess\n1️⃣ | 100% match 📌", "linkedin-pinpoint 714 1"),
        .init("Pips #120 Hard 🔴\n1:02:59", "pips-hard 120 3779"),
        .init("I solved the 11/20/2026 New York Times Mini Crossword in 0:45!", "nyt-mini - 45"),
        .init("#travle #614 +0 (Perfect)\n✅✅✅✅", "travle 614 0"),
        .init("#travle #614 +12 (1 hint)", "travle 614 12"),
        .init("#travle_ita #300 +1", "travle-ita 300 1"),
        .init("🌎 Nov 20, 2026 🌍\n🔥 3 | Avg. Guesses: 5.1\n🟨🟧🟥🟩 = 4\n\nhttps://globle-game.com\n#globle", "globle - 4"),
        .init("Semantle #1402\n✅ 57 Guesses\n🔝 Guess #56\n🥈 998/1000\n💡 2 Hints", "semantle 1402 57"),
        .init("I gave up on Semantle 1402 after 20 guesses", "semantle 1402 X"),
        .init("Redactle #1402: 51 guesses, 70% accuracy", "redactle 1402 51"),
        .init("Cémantix nº 1402 en 23 coups\n🥳\n😱😱", "cemantix 1402 23"),
        .init("Pédantix n°1402 en 110 coups", "pedantix 1402 110"),
        .init("squareword.org 1402: 9 guesses\n🟩🟩🟩🟩🟩", "squareword 1402 9"),
        .init("WhenTaken #700 (20.11.2026)\n\nI scored 812/1000 🎉", "whentaken 700 812"),
        .init("#Worldle #1402 (20.11.2026) X/6 (98%)\n🟩🟩🟩🟨⬛", "worldle 1402 X"),
        .init("Tradle #900 6/6\n🟩🟩⬜⬜⬜", "tradle 900 6"),
        .init("Flagle #1402 (20.11.2026) 1/6\n🟩🟩🟩", "flagle 1402 1"),
        .init("WhereTaken 🌎 #902 (20.11.2026) 3/6", "wheretaken 902 3"),
        .init("Bandle #900 8/8\n⬛⬛⬛⬛⬛⬛⬛🟩", "bandle 900 8"),
        .init("Immaculate Grid 1,200 9/9:\nRarity: 45\n🟩🟩🟩", "immaculate-grid 1200 9"),
        .init("Episode #700\n📺 🟥 🟥 🟥 🟥 🟥 🟥 🟥 🟥 🟥 🟥", "episode 700 X"),
        .init("Heardle #900\n\n🔇⬛️⬛️⬛️⬛️⬛️⬛️", "heardle 900 X"),
        .init(
            "#GuessTheGame #1402\n\n🎮 🟥 🟨 🟩 ⬜ ⬜ ⬜\n\n#RookieGuesser\nhttps://GuessThe.Game/p/1402",
            "guess-the-game 1402 3"),
        .init("Spotle #900🎧\n\n⬜⬜⬜⬜🟩", "spotle 900 5"),
        .init("Hertl (Game #300) 4/8", "hertl 300 4"),
        .init("Polygonle 617 -/6", "polygonle 617 X"),
        .init("Statele #500 6 / 6", "statele 500 6"),
        .init("joguei term.ooo #1402 3/6 *", "termo 1402 3"),
        .init("Le Mot (@WordleFR) #1402 5/6", "le-mot 1402 5"),
        .init("#SUTOM #1402 💀/6", "sutom 1402 X"),
        .init("Wordle (ES)  #1402 4/6", "wordle-es 1402 4"),
        .init("Word Peaks 900 2/6\n🔼🔽🟩", "word-peaks 900 2"),
        .init("Factle.app #500 5/5\n🐸⬛🐸⬛⬛", "factle 500 X"),
        .init("Colorfle 900 4/6\n🟩🟨⬜", "colorfle 900 4"),
        .init("ANGLE #900 ❌/4\n⬆️⬇️⬆️⬇️: 3° off", "angle 900 X"),
        .init("Countryle 900\nGuessed in 5 tries.\nhttps://countryle.com", "countryle 900 5"),
        .init("🔎 Hexcodle #900 in 3!\nScore: 82%", "hexcodle 900 3"),
        .init("Juxtastat #500 4/5\n🟩🟩🟥🟩🟩", "juxtastat 500 4"),
        .init(
            "Minute Cryptic - 20 November, 2026\n\"A clue\" (7)\n🟣🟣🟣🟣🟣🟣🟣\n🏆 0 hints – 3 under the community par (3).",
            "minute-cryptic - 0"),
        .init("Weaver 900\n⬛🟩🟩🟩\n🟩🟩🟩🟩", "weaver 900 2"),
        .init("MURDLE for 11/20/2026\n\n👤🔪🏡\n✅✅✅\n\n🕰️\n3️⃣:4️⃣5️⃣", "murdle - 225"),
    ]

    @Test(arguments: variations)
    func `a variation is read`(variation: ShareVariationTests.Variation) {
        #expect(variation.read == variation.expected)
    }

    @Test(arguments: [
        "I got 8,791 on the FoodGuessr Daily!\n\n🌕🌖🌑🌑🌑 1,718 (Round 1)\n\nSep 14, 2026",
        "I got 8,791 on the FoodGuessr Daily!\n\nMonday, 14 September 2026",
        "I scored 8,791 points on FoodGuessr (2026-09-14)", "I got 8,791 on the FoodGuessr Daily! 14/09/2026",
        "FoodGuessr Daily - Sep 14, 2026\nTotal score: 8,791", "FoodGuessr (14.09.2026)\nTotal score: 8,791",
        "FoodGuessr\nSep 14, 2026\nRound 1 🌕🌕🌕🌕\nTotal score: 8,791 / 15,000",
        "FoodGuessr\nRound 1 🌕🌕🌕🌕\nTotal score: 8,791 / 15,000\nMonday, Sep 14, 2026",
    ])
    func `the date that FoodGuessr prints is read wherever it stands`(text: String) {
        let shares = ShareReader().read(text).shares
        #expect(shares.map(\.score) == [8_791] && shares.map(\.day?.description) == ["2026-09-14"])
    }

    /// Marks between a name and a number do not turn a sentence into a share.
    @Test(arguments: [
        "Wordle - 3/6", "Wordle: 3 of us got it in 4", "Framed - 3 of 6", "Heardle: 5 seconds", "Zip - 0:45",
        "Queens: 4 of them at 9:30", "Daily - 5 standup at 9:30", "Wordle -1234 3/6", "Actorle #800 🔟/8",
        "Wordle 1,234 7️⃣/6️⃣", "Wordle 1,234 0️⃣/6", "Daily Dordle 597 4&lt;6/7", "Wordle &#4294967296; 3/6", "&amp;&#;&;",
        "Wordle 1,234 &#xD800;/6", "Wordle 1,234 -3/6", "Wordle 1,234 −3/6", "Wordle 1,234 +3/6", "Wordle 1,234 -X/6",
        "Wordle 1,234 -3️⃣/6", "Queens #935 | -1:58", "Daily Octordle #1074\nScore: -62", "Daily Octordle #1074",
        "Final score: -604 www.maptap.gg June 12", "I solved Semantle #95 in -149 guesses with 2 hints.",
    ])
    func `what only looks like one is refused`(text: String) {
        #expect(ShareReader().read(text).shares.isEmpty)
    }
}
