import ArgumentParser

/// Prepares the words of a command line for the parser.
enum Arguments {
    /// Moves `--data DIR` and `--json` from before the command to its end, where every command takes them.
    static func normalised(_ words: [String]) -> [String] {
        var leading: [String] = []
        var rest = words[...]
        while let word = rest.first {
            if word == "--json" || word.hasPrefix("--data=") {
                leading.append(word)
                rest = rest.dropFirst()
            } else if word == "--data", rest.count >= 2 {
                leading += rest.prefix(2)
                rest = rest.dropFirst(2)
            } else {
                break
            }
        }
        guard !leading.isEmpty, let command = rest.first else { return words }
        // `help` works on no folder.
        if command == "help" { return Array(rest) }
        let end = rest.firstIndex(of: "--") ?? rest.endIndex
        return rest[..<end] + leading + rest[end...]
    }

    /// Throws `CommandLineFailure.unknownCommand` if the first words, normalised, name no command. The parser would
    /// complain about the first option after them instead.
    static func checkCommand(_ words: [String]) throws {
        var command: any ParsableCommand.Type = StreakMeshCommand.self
        var path: [String] = []
        for word in words {
            let subcommands = command.configuration.subcommands
            guard !subcommands.isEmpty, !word.hasPrefix("-"), word != "help" else { return }
            guard let next = subcommands.first(where: { $0._commandName == word }) else {
                // Other words after `games` are a search text.
                guard ObjectIdentifier(command) != ObjectIdentifier(GamesCommand.self) else { return }
                let names = subcommands.map { $0._commandName }
                let near = Spelling.suggestions(for: word, among: names)
                throw CommandLineFailure.unknownCommand(
                    (path + [word]).joined(separator: " "),
                    suggestions: near.map { (["streakmesh"] + path + [$0]).joined(separator: " ") })
            }
            path.append(word)
            command = next
        }
    }

    /// The help of a command that stands for one of its subcommands, such as `friend --help`; nil for other words. The
    /// parser would describe that subcommand only. `words` are normalised.
    static func helpOfFamily(_ words: [String]) -> String? {
        var command: any ParsableCommand.Type = StreakMeshCommand.self
        var rest = words[...]
        while let word = rest.first,
            let next = command.configuration.subcommands.first(where: { $0._commandName == word })
        {
            command = next
            rest = rest.dropFirst()
        }
        guard let first = rest.first, ["--help", "-h"].contains(first),
            let usual = command.configuration.defaultSubcommand
        else { return nil }
        let family = StreakMeshCommand.helpMessage(for: command)
        return "\(family)\nWithout a subcommand, \(usual._commandName) is meant:\n\n"
            + StreakMeshCommand.helpMessage(for: usual)
    }

    /// Whether to write errors as JSON. It is known before parsing, and even if parsing fails.
    static func wantJSON(_ words: [String]) -> Bool {
        words.prefix { $0 != "--" }.contains("--json")
    }
}

/// Words that are spelled much alike.
enum Spelling {
    /// Those of `names`, at most three, that at most two changes of a letter turn `word` into: the nearest first.
    static func suggestions(for word: String, among names: [String]) -> [String] {
        guard word.count <= 40 else { return [] }
        let near = names.enumerated().map { (distance(word, $1), $0, $1) }
            // With two changes, a word of three letters becomes almost any other.
            .filter { $0.0 <= min(2, max(1, $0.2.count / 2)) }
        return near.sorted { ($0.0, $0.1) < ($1.0, $1.1) }.prefix(3).map(\.2)
    }

    /// How many letters must be added, removed, replaced, or swapped with their neighbour, to turn `a` into `b`.
    /// O(n·m).
    static func distance(_ a: String, _ b: String) -> Int {
        let a = Array(a)
        let b = Array(b)
        var beforeLast: [Int] = []
        var last = Array(0...b.count)
        for i in a.indices {
            var row = [i + 1]
            for j in b.indices {
                var best = min(row[j] + 1, last[j + 1] + 1, last[j] + (a[i] == b[j] ? 0 : 1))
                if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { best = min(best, beforeLast[j - 1] + 1) }
                row.append(best)
            }
            beforeLast = last
            last = row
        }
        return last[b.count]
    }
}

/// Values as they are typed.
enum TypedValue {
    /// `90s`, `15m`, `12h` or `7d`, in seconds.
    static func seconds(_ text: String) -> Int64? {
        let units: [Character: Int64] = ["s": 1, "m": 60, "h": 3_600, "d": 86_400]
        guard let unit = text.last.flatMap({ units[$0] }), let number = digits(text.dropLast()) else { return nil }
        let (seconds, overflow) = number.multipliedReportingOverflow(by: unit)
        return overflow ? nil : seconds
    }

    /// A solve time, `m:ss` or `h:mm:ss`, in seconds.
    static func solveTime(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard 2...3 ~= parts.count else { return nil }
        var total: Int64 = 0
        for (position, part) in parts.enumerated() {
            guard part.count <= (position == 0 ? 4 : 2), let number = digits(part) else { return nil }
            if position > 0 {
                guard part.count == 2, number < 60 else { return nil }
            }
            total = total * 60 + number
        }
        return Int(exactly: total)
    }

    /// How often a link can be used: a number from 1 on, or `unlimited` as 0.
    static func uses(_ text: String) -> Int? {
        if text == "unlimited" { return 0 }
        return digits(text[...]).flatMap { $0 >= 1 && $0 <= 1_000_000 ? Int($0) : nil }
    }

    /// How much history a join publishes: `today`, `all`, or a number of days such as `30d`.
    static func history(_ text: String) -> History? {
        switch text {
        case "today": .days(0)
        case "all": .all
        default: text.hasSuffix("d") ? digits(text.dropLast()).flatMap { Int(exactly: $0) }.map(History.days) : nil
        }
    }

    enum History: Equatable {
        case days(Int)
        case all

        /// As `JoinRequest` takes it.
        var days: Int? {
            switch self {
            case .days(let days): days
            case .all: nil
            }
        }
    }

    private static func digits(_ text: Substring) -> Int64? {
        guard !text.isEmpty, text.count <= 12, text.utf8.allSatisfy({ UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 })
        else { return nil }
        return Int64(text)
    }
}
