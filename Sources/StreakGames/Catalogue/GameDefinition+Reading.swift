/// The result of trying a pattern on a text.
public enum PatternTrial: Sendable, Equatable {
    /// The values that were read.
    case matched(Share)
    /// The words match, but a value is impossible.
    case refused(RefusalReason)
    /// Nothing matches; this is how far the best attempt came.
    case stopped(PatternStop)
    /// The game has no pattern.
    case noPattern
}

/// The place where a pattern and a text differ.
public struct PatternStop: Sendable, Equatable {
    /// The beginning of the pattern that matches, as written; empty if not even its first word was found.
    public var fitting: String
    /// The part of the pattern that did not match, as written.
    public var expected: String
    /// The text found instead, at most 40 characters.
    public var found: String

    public init(fitting: String, expected: String, found: String) {
        (self.fitting, self.expected, self.found) = (fitting, expected, found)
    }
}

extension GameDefinition {
    /// Tries the pattern on a text, for its author. Linear in the text.
    public func test(on text: String) -> PatternTrial {
        guard let pattern else { return .noPattern }
        guard text.utf8.count <= ShareReader.maximumLength else { return .refused(.tooLong) }
        let pasted = PastedText(text)
        var budget = CustomPattern.Budget(textLength: pasted.scalars.count)
        var furthest = CustomPattern.Progress()
        for start in pasted.scalars.indices where pasted.scalars[start] == pattern.firstScalar {
            guard CustomShareIndex.isWordStart(start, in: pasted.scalars) else { continue }
            let end = pasted.scalars.count
            let found = pattern.match(
                pasted.scalars, at: start, end: end, losses: model.isLowerBetter, &budget, &furthest)
            guard let match = found else { continue }
            do throws(ShareFault) {
                return .matched(try share(from: match, text: pasted.sourceText(start..<match.end)))
            } catch {
                return .refused(error.reason(id))
            }
        }
        let rest = pasted.sourceText(furthest.position..<min(pasted.scalars.count, furthest.position + 40))
        return .stopped(
            PatternStop(
                fitting: pattern.pieces[..<furthest.piece].map(\.source).joined(),
                expected: pattern.pieces[furthest.piece].source, found: rest))
    }

    /// Checks the values that a match captured.
    func share(from match: CustomPattern.Match, text: String) throws(ShareFault) -> Share {
        let captures = match.captures
        if let fault = captures.fault { throw fault }
        if let number = captures.puzzle, number > Game.highestNumber { throw .numberTooLarge }
        let printed = captures.maximum
        if let printed, !(1...Self.maximumScore ~= printed) { throw .impossibleScore }
        if let hints = captures.hints, hints > Self.maximumScore { throw .numberTooLarge }
        var share = Share(
            game: id, puzzle: captures.puzzle, maxAttempts: printed ?? maximum, hints: captures.hints,
            day: captures.day, text: text)
        if captures.isLost {
            share.isCompleted = false
        } else {
            let isTimed = model == .lowerTimeSeconds
            guard let score = isTimed ? captures.seconds ?? captures.score : captures.score ?? countedOnce else {
                throw .missingScore
            }
            guard score <= Self.maximumScore else { throw .numberTooLarge }
            guard game.scores(of: printed).contains(score) else { throw .impossibleScore }
            share.score = score
        }
        share.seconds = model == .lowerTimeSeconds ? captures.seconds ?? share.score : captures.seconds
        return share
    }

    /// A share of a habit without a number counts as one.
    private var countedOnce: Int? { model == .count ? 1 : nil }
}

/// The patterns of custom games, indexed by their first scalar.
struct CustomShareIndex: Sendable {
    private let definitions: [GameDefinition]
    private let candidates: [Unicode.Scalar: [Int]]

    init(_ definitions: [GameDefinition]) {
        self.definitions = definitions
        var candidates: [Unicode.Scalar: [Int]] = [:]
        for (index, definition) in definitions.enumerated() {
            if let scalar = definition.pattern?.firstScalar { candidates[scalar, default: []].append(index) }
        }
        self.candidates = candidates
    }

    var isEmpty: Bool { candidates.isEmpty }

    /// A share found in a text, or the reason why its values are impossible.
    struct Finding {
        let start: Int
        let end: Int
        let result: Result<Share, RefusalReason>
    }

    /// Findings that do not overlap within `range`, in text order. The longest match at a place wins.
    func findings(in pasted: PastedText, _ range: Range<Int>, _ budget: inout CustomPattern.Budget) -> [Finding] {
        var findings: [Finding] = []
        var position = range.lowerBound
        var ignored = CustomPattern.Progress()
        while position < range.upperBound, !budget.isSpent {
            guard let indices = candidates[pasted.scalars[position]], Self.isWordStart(position, in: pasted.scalars)
            else {
                position += 1
                continue
            }
            var best: (definition: GameDefinition, match: CustomPattern.Match)?
            for index in indices {
                let definition = definitions[index]
                let found = definition.pattern?.match(
                    pasted.scalars, at: position, end: range.upperBound, losses: definition.model.isLowerBetter,
                    &budget, &ignored)
                guard let found, found.end > best?.match.end ?? position else { continue }
                best = (definition, found)
            }
            guard let best else {
                position += 1
                continue
            }
            let text = pasted.sourceText(position..<best.match.end)
            let result: Result<Share, RefusalReason>
            do throws(ShareFault) {
                result = .success(try best.definition.share(from: best.match, text: text))
            } catch {
                result = .failure(error.reason(best.definition.id))
            }
            findings.append(Finding(start: position, end: best.match.end, result: result))
            position = max(best.match.end, position + 1)
        }
        return findings
    }

    static func isWordStart(_ position: Int, in text: [Unicode.Scalar]) -> Bool {
        position == 0 || !text[position - 1].isWordPart || !text[position].isWordPart
    }
}
