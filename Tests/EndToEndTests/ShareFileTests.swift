import Foundation
import StreakTestSupport
import Testing

/// `share --image` as people and scripts use it.
@Suite(.timeLimit(.minutes(10))) struct ShareFileTests {
    /// Somebody who has played Wordle on three days, and runs every command with `launcher`.
    private static func ada(_ lab: Lab, launcher: [String] = []) async throws -> Friend {
        let ada = try await lab.friend("Ada", launcher: launcher)
        for (number, guesses) in [(1_351, 3), (1_352, 4), (1_353, 2)] {
            try await ada.ask("add", input: ShareTexts.wordle(number, guesses: guesses))
        }
        return ada
    }

    @Test func `a picture is written as SVG into a new file, once`() async throws {
        try await Lab.open { lab in
            let ada = try await Self.ada(lab)
            let file = "\(lab.folder)/wordle.SVG"
            let words = ["share", "wordle", "--date", "2025-03-01", "--image", file, "--shape", "square"]
            let made = try await ada.ask(words[0], words[1], words[2], words[3], words[4], words[5], words[6], words[7])
            #expect(made["file"].text == file && made["width"].integer == 1_080 && made["height"].integer == 1_080)
            let svg = try String(contentsOfFile: file, encoding: .utf8)
            #expect(svg.hasPrefix("<svg ") && svg.contains(">Wordle<") && svg.contains(">3 guesses<"))
            let again = try await ada.run("share", "--week", "--date", "2025-03-01", "--image", file)
            #expect(again.exitCode == 73 && again.errors.contains("cannotWriteFile"))
            #expect(try String(contentsOfFile: file, encoding: .utf8) == svg)
            for (name, given) in [
                ("week", ["--week", "--date", "2025-03-01"]), ("tier", ["--achievement", "latest"]),
            ] {
                let path = "\(lab.folder)/\(name).svg"
                let result = try await lab.run(
                    [BuiltProgram.path, "--data", ada.folder, "share"] + given + ["--image", path, "--look", "dark"])
                #expect(result.exitCode == 0 && result.output.contains("The picture is in"), "\(result)")
                #expect(FileManager.default.fileExists(atPath: path))
            }
        }
    }

    @Test func `a PNG is made by rsvg-convert, and its absence or failure is told`() async throws {
        try await Lab.open { lab in
            let programs = "\(lab.folder)/programs"
            try FileManager.default.createDirectory(atPath: programs, withIntermediateDirectories: true)
            let ada = try await Self.ada(lab, launcher: ["/usr/bin/env", "PATH=\(programs)"])
            let file = "\(lab.folder)/wordle.png"
            func share() async throws -> CommandResult {
                try await ada.run("share", "wordle", "--date", "2025-03-01", "--image", file)
            }
            let without = try await share()
            #expect(without.exitCode == 1 && without.errors.contains("noPictureProgram"))
            let program = "\(programs)/rsvg-convert"
            func install(_ script: String) throws {
                try Data("#!/bin/sh\nPATH=/usr/bin:/bin\n\(script)\n".utf8).write(to: URL(fileURLWithPath: program))
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program)
            }
            try install("exit 3")
            let failing = try await share()
            #expect(failing.exitCode == 1 && failing.errors.contains("pictureFailed"))
            #expect(!FileManager.default.fileExists(atPath: file))
            // Writes its arguments and the beginning of the picture in place of one.
            try install(
                """
                for word; do
                  case "$word" in --output=*) out="${word#--output=}";; *.svg) from="$word";; *) given="$given $word";; esac
                done
                { echo "$given"; head -c 5 "$from"; } > "$out"
                """)
            let made = try await share()
            #expect(made.exitCode == 0, "\(made)")
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text == " --format=png --width=1200 --height=630\n<svg ")
        }
    }

    @Test(
        arguments: [
            ["share"], ["share", "wordle", "--week"], ["share", "--streak", "--week"],
            ["share", "wordle", "--streak", "--date", "2025-03-01"], ["share", "wordle", "--look", "dark"],
            ["share", "wordle", "--alone"], ["share", "wordle", "--achievement", "latest"],
            ["share", "wordle", "--image", "a.jpg"], ["share", "wordle", "--image", "a.svg", "--look", "pink"],
            ["templates", "--reset"], ["templates", "solved", "--reset", "--text", "x"],
            ["templates", "won", "--text", "x"],
        ])
    func `what cannot be meant is refused as usage`(words: [String]) async throws {
        try await Lab.open { lab in
            let ada = try await lab.friend("Ada")
            let result = try await lab.run([BuiltProgram.path, "--data", ada.folder] + words)
            #expect(result.exitCode == 64, "\(result)")
        }
    }
}
