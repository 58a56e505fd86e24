/// Compiles the text of a pattern into steps.
struct SharePatternSource {
    private typealias Operation = SharePattern.Operation

    private indirect enum Node {
        case one(Operation)
        case either([[Node]])
    }

    private let nodes: [Node]

    init(_ text: StaticString) {
        var input = Array(text.description.unicodeScalars)[...]
        nodes = Self.parse(&input, until: [])
        precondition(input.isEmpty, "unbalanced share pattern: \(text)")
    }

    var firstScalars: [Unicode.Scalar]? { Self.firstScalars(nodes[...]) }

    /// The literals a match can begin with, each as far as it is certain; `nil` if it can begin otherwise.
    var leadingLiterals: [[Unicode.Scalar]]? { Self.leadingLiterals(nodes[...]) }

    var beginsWithAddress: Bool {
        switch nodes.first {
        case .one(.literal(let letters)): letters.contains(".")
        case .either: true
        case .one, nil: false
        }
    }

    /// The steps, and the position of the first one.
    func compiled() -> ([SharePattern.Step], Int) {
        var steps = [SharePattern.Step(operation: .accept, next: 0)]
        let first = Self.compile(nodes, next: 0, into: &steps)
        return (steps, first)
    }

    /// Compiled backwards, so that every step knows its successor.
    private static func compile(_ nodes: [Node], next: Int, into steps: inout [SharePattern.Step]) -> Int {
        var next = next
        for node in nodes.reversed() {
            switch node {
            case .one(let operation): steps.append(SharePattern.Step(operation: operation, next: next))
            case .either(let branches):
                let starts = branches.map { compile($0, next: next, into: &steps) }
                steps.append(SharePattern.Step(operation: .either(starts), next: next))
            }
            next = steps.count - 1
        }
        return next
    }

    private static func parse(_ input: inout ArraySlice<Unicode.Scalar>, until closers: [Unicode.Scalar]) -> [Node] {
        var nodes: [Node] = []
        var letters = ""
        func flush() {
            guard !letters.isEmpty else { return }
            nodes.append(.one(.literal(PastedText.folded(letters))))
            letters = ""
        }
        while let scalar = input.first, !closers.contains(scalar) {
            input = input.dropFirst()
            switch scalar {
            case "\\":
                if let next = input.popFirst() { letters.unicodeScalars.append(next) }
            case " ":
                flush()
                nodes.append(.one(.space))
            case "#":
                flush()
                nodes.append(.one(.sign))
            case "{":
                flush()
                let name = input.prefix { $0 != "}" }
                input = input.dropFirst(name.count + 1)
                nodes.append(.one(token(String(String.UnicodeScalarView(name)))))
            case "[":
                flush()
                let inner = parse(&input, until: ["]"])
                input = input.dropFirst()
                nodes.append(.either([inner, []]))
            case "(":
                flush()
                var options = [parse(&input, until: ["|", ")"])]
                while input.first == "|" {
                    input = input.dropFirst()
                    options.append(parse(&input, until: ["|", ")"]))
                }
                input = input.dropFirst()
                nodes.append(.either(options))
            default: letters.unicodeScalars.append(scalar)
            }
        }
        flush()
        return nodes
    }

    private static func token(_ name: String) -> Operation {
        switch name {
        case "n": .number(.puzzle)
        case "s": .number(.score)
        case "h": .number(.hints)
        case "m": .number(.maximum)
        case "t": .time
        case "mdy": .date(.monthFirst)
        case "dmy": .date(.dayFirst)
        case "date": .date(nil)
        case "iso": .isoDate
        case "word": .word
        case "~": .marks
        case "…": .gap(limit: 80, crossesLines: false)
        case "lines": .gap(limit: 200, crossesLines: true)
        case "lost": .flag(.lost)
        case "hard": .flag(.hard)
        case "played": .flag(.played)
        case "none": .flag(.noHints)
        default: preconditionFailure("unknown token in a share pattern: \(name)")
        }
    }

    private static func leadingLiterals(_ nodes: ArraySlice<Node>) -> [[Unicode.Scalar]]? {
        guard let node = nodes.first else { return nil }
        switch node {
        case .one(.literal(let letters)): return [letters]
        case .one(.flag), .one(.space): return leadingLiterals(nodes.dropFirst())
        case .either(let options):
            var all: [[Unicode.Scalar]] = []
            for option in options {
                guard let literals = leadingLiterals((option + nodes.dropFirst())[...]) else { return nil }
                all += literals
            }
            return all
        case .one: return nil
        }
    }

    private static func firstScalars(_ nodes: ArraySlice<Node>) -> [Unicode.Scalar]? {
        guard let node = nodes.first else { return nil }
        switch node {
        case .one(.literal(let letters)): return letters.first.map { [$0] }
        case .one(.flag), .one(.space): return firstScalars(nodes.dropFirst())  // a head never begins with blanks
        case .one(.number): return Array("0123456789".unicodeScalars)
        case .either(let options):
            var all: [Unicode.Scalar] = []
            for option in options {
                guard let scalars = firstScalars((option + nodes.dropFirst())[...]) else { return nil }
                all += scalars
            }
            return all
        case .one: return nil
        }
    }
}
