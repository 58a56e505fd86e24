/// Reads results from pasted text.
///
/// It first finds the heads ("Wordle 1,234", "Daily Quordle 1346"), then reads each head's result from the text up to
/// the next head. Formats are data, see `ShareFormatTable`; each family of formats has one reader.
public struct ShareReader: Sendable {
    /// Longer texts are refused before any other work, in UTF-8 bytes.
    public static let maximumLength = 65_536

    /// The built-in games and the defined ones.
    public let catalogue: Catalogue
    private let index: ShareHeadIndex
    private let custom: CustomShareIndex
    private let names: GameNameIndex

    /// Also reads shares of custom games that have a pattern, up to `GameDefinition.maximumCount` of them. A built-in
    /// share is never read as a custom one.
    public init(custom definitions: [GameDefinition] = []) {
        let definitions = definitions.prefix(GameDefinition.maximumCount).sorted { $0.id < $1.id }
        index = .standard
        custom = CustomShareIndex(definitions)
        if definitions.isEmpty {
            (catalogue, names) = (.standard, .standard)
        } else {
            catalogue = Catalogue(games: Catalogue.standard.games + definitions.map(\.game))
            names = GameNameIndex(catalogue)
        }
    }

    /// The shares in `text`, in text order, and the reasons why other parts that look like shares were refused.
    ///
    /// Chat around shares is not refused. A text without a share yields at least one refusal. Uses no clock. Linear in
    /// the length of `text`.
    public func read(_ text: String) -> ShareReading {
        guard text.utf8.count <= Self.maximumLength else {
            return ShareReading(refusals: [Refusal(text: Self.excerpt(of: text), reason: .tooLong)])
        }
        let pasted = PastedText(text)
        guard pasted.scalars.contains(where: { !$0.isBlank }) else {
            return ShareReading(refusals: [Refusal(text: "", reason: .empty)])
        }
        let heads = index.heads(in: pasted.scalars)
        var shares: [Share] = []
        var refusals: [(refusal: Refusal, isCertain: Bool)] = []
        var budget = CustomPattern.Budget(textLength: pasted.scalars.count)
        func readCustom(_ range: Range<Int>) {
            guard !custom.isEmpty else { return }
            for finding in custom.findings(in: pasted, range, &budget) {
                switch finding.result {
                case .success(let share): shares.append(share)
                case .failure(let reason):
                    let part = pasted.sourceText(finding.start..<finding.end)
                    refusals.append((Refusal(text: Self.excerpt(of: part), reason: reason), true))
                }
            }
        }
        readCustom(0..<(heads.first?.start ?? pasted.scalars.count))
        for (position, head) in heads.enumerated() {
            let next = position + 1 < heads.count ? heads[position + 1].start : pasted.scalars.count
            var end = head.end
            do throws(ShareFault) {
                shares += try read(head, in: pasted, to: next, &end)
            } catch {
                let part = pasted.sourceText(head.start..<min(next, head.start + Self.excerptLength))
                let refusal = Refusal(text: Self.excerpt(of: part), reason: error.reason(nearestGame(head, in: pasted)))
                refusals.append((refusal, isCertain(error, head, in: pasted.scalars)))
            }
            readCustom(min(end, next)..<next)
        }
        let certain = refusals.filter(\.isCertain).prefix(Self.maximumRefusals).map(\.refusal)
        if !shares.isEmpty {
            return ShareReading(shares: shares, refusals: certain)
        }
        if !certain.isEmpty { return ShareReading(refusals: certain) }
        if let likely = refusals.first(where: { $0.refusal.reason.game != nil && !$0.isCertain }) {
            return ShareReading(refusals: [likely.refusal])
        }
        let nearest = names.nearest(in: pasted.scalars)
        return ShareReading(refusals: [
            Refusal(text: Self.excerpt(of: text), reason: .notRecognised(nearest: nearest))
        ])
    }

    // MARK: One head

    /// Sets `last` to where the shares end.
    private func read(_ head: ShareHead, in pasted: PastedText, to next: Int, _ last: inout Int) throws(ShareFault)
        -> [Share]
    {
        let reader = ResultReader(text: pasted.scalars, head: head, body: head.end..<next)
        var shares: [Share] = []
        for reading in try reader.read(head.format.result) {
            let id = reading.game ?? head.format.game
            guard let game = catalogue[id] else { continue }
            let number = head.captures.puzzle
            if let number, !game.hasPuzzle(number) { throw .numberTooLarge }
            if reading.isCompleted, let score = reading.score, !game.scores(of: reading.maxAttempts).contains(score) {
                throw .impossibleScore
            }
            let isTimed = game.model == .lowerTimeSeconds
            let end = Self.endOfGrid(from: max(reading.end, head.end), in: pasted.scalars, to: next)
            last = max(last, end)
            shares.append(
                Share(
                    game: id, puzzle: number, score: reading.isCompleted ? reading.score : nil,
                    maxAttempts: reading.maxAttempts ?? game.maxAttempts, isCompleted: reading.isCompleted,
                    seconds: isTimed ? reading.seconds : nil, hints: reading.hints,
                    day: number.flatMap { game.day(ofPuzzle: $0) } ?? reading.day ?? head.captures.day,
                    isHardMode: reading.isHardMode, text: pasted.sourceText(head.start..<end)))
        }
        return shares
    }

    // MARK: Refusals

    private static let excerptLength = 80
    /// Refusals beyond this number are not reported.
    private static let maximumRefusals = 100

    /// By scalars, because one character can be a megabyte of combining marks.
    private static func excerpt(of text: String) -> String {
        String(text.unicodeScalars.prefix(excerptLength))
    }

    /// Pips heads belong to three games; refusals name the first.
    private func nearestGame(_ head: ShareHead, in pasted: PastedText) -> GameID {
        catalogue[head.format.game] == nil ? GameID(literal: "pips-easy") : head.format.game
    }

    /// Whether the head with its fault cannot be ordinary chat, so that the refusal is reported beside shares.
    private func isCertain(_ fault: ShareFault, _ head: ShareHead, in text: [Unicode.Scalar]) -> Bool {
        if head.format.isWeak { return false }
        guard fault == .missingScore else { return true }
        return head.start == 0 || text[..<head.start].last { $0 != " " && $0 != "#" } == "\n"
    }

    /// Extends a share's text over the following lines without words: its grid.
    private static func endOfGrid(from start: Int, in text: [Unicode.Scalar], to limit: Int) -> Int {
        var end = start
        while end < limit, text[end] != "\n" { end += 1 }
        var line = end
        while line < limit {
            var index = line + 1
            while index < limit, text[index] != "\n", !text[index].isWordPart { index += 1 }
            guard index >= limit || text[index] == "\n" else { break }
            line = index
            end = min(index, limit)
        }
        return end
    }
}
