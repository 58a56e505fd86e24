import HTTPTypes
import Hummingbird
import NIOCore
import StreakGames
import StreakNode

/// An uploaded file, kept in memory until its import is confirmed or another file replaces it.
struct Upload: Sendable, Equatable {
    var text: String
    /// Whether it is an exported chat.
    var isChat: Bool
    /// Which author of the chat is this user.
    var sender: String?
    /// The game of rows that do not name one.
    var game: String?
    /// `day-first` or `month-first`; nil where the file decides.
    var dates: String?
    /// Whether values in the file replace recorded ones.
    var replaces: Bool

    var source: ImportSource { .text(text) }

    func request(isPreview: Bool, skipsBad: Bool = false) -> ImportRequest {
        let options = ImportOptions(
            isPreview: isPreview, replaces: replaces, dates: dates, game: game, skipsBad: skipsBad)
        return isChat ? .loadChat(source, sender: sender, options) : .load(source, options)
    }
}

/// Export and import of results.
struct ExchangeView: Sendable {
    struct Line: Sendable {
        /// “Line 3”, “Result 2”
        var place: String
        var message: String

        init(_ refused: RefusedLine) {
            place = refused.element.map { "Result \($0)" } ?? "Line \(refused.line)"
            message = refused.message
        }
    }

    struct Preview: Sendable {
        var title: String
        var figures: [FigureView]
        var sample: [OutcomeView.ResultLine]
        var hasSample: Bool
        var restText: String?
        var conflicts: [Line]
        var conflictText: String?
        var replaces: Bool
        var refused: [Line]
        var refusedText: String?
        /// Results read with another maximum than the file says.
        var adjusted: [Line]
        var adjustedText: String?
        var canImport: Bool
        /// Whether lines are refused, which the button then leaves out.
        var skipsBad: Bool
        var buttonText: String
    }

    struct Sender: Sendable {
        var name: String
        var note: String
    }

    var games: [OptionView]
    var from: String
    var to: String
    var text: String
    var isChat: Bool
    var dates: [OptionView]
    var importGames: [OptionView]
    var maximum: String
    var preview: Preview?
    /// The chat's authors, if the user has to say which one they are.
    var senders: [Sender]
    var hasSenders: Bool
    /// An ambiguous date, if the user has to say which order is meant.
    var orderText: String?
    /// Whether nothing was uploaded yet.
    var isFresh: Bool
}

extension Site {
    /// The only address that takes a file.
    static let uploadPath = "/import/look"

    func showExchange(_ visit: Visit) async throws -> Response {
        try await exchangePage(visit, upload: nil)
    }

    private func exchangePage(
        _ visit: Visit, upload: Upload?, preview: ImportReport? = nil, senders: [ChatReport.Sender] = [],
        ambiguous: String? = nil, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let games = try await catalogue().games
        let icons = Dictionary(games.map { ($0.id, $0.icon) }) { first, _ in first }
        let chosen = upload?.game ?? (visit.isForm ? nil : visit.fields["game"])
        func options(_ first: String, _ selected: String?) -> [OptionView] {
            [OptionView(value: "", label: first, selected: selected == nil)]
                + games.map { OptionView(value: $0.id, label: $0.name, selected: $0.id == selected) }
        }
        let orders = [("", "As it fits"), ("day-first", "Day first: 3 April"), ("month-first", "Month first: 4 March")]
        let view = ExchangeView(
            games: options("All games", chosen), from: visit.isForm ? "" : visit.fields["from"] ?? "",
            to: visit.isForm ? "" : visit.fields["to"] ?? "",
            // What fits the text box is shown again. A large file is only described.
            text: refusal != nil ? upload.map { $0.text.utf8.count <= WebLimit.bodySize ? $0.text : "" } ?? "" : "",
            isChat: upload?.isChat ?? false,
            dates: orders.map { OptionView(value: $0.0, label: $0.1, selected: $0.0 == upload?.dates ?? "") },
            importGames: options("Each row names its game", upload?.game),
            maximum: "\(WebLimit.uploadSize >> 20) MiB", preview: preview.map { Self.preview($0, icons: icons) },
            senders: senders.map {
                ExchangeView.Sender(
                    name: $0.name,
                    note:
                        "\($0.shares == 1 ? "1 result" : "\($0.shares) results") in \($0.messages == 1 ? "1 message" : "\($0.messages) messages")"
                )
            }, hasSenders: !senders.isEmpty,
            orderText: ambiguous.map { "The date in \($0) can be read either way." },
            isFresh: preview == nil && senders.isEmpty && ambiguous == nil)
        return page(
            .history, "exchange", title: "Export and import", view, frame, visit, refusal: refusal)
    }

    /// A file to keep, as CSV or JSON.
    func exportResults(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        let format = fields["format"] == "json" ? "json" : "csv"
        _ = try await frame(staysOpen: true)
        let report = try await node.call(
            ExportRequest.export(format: format, game: fields["game"], from: fields["from"], to: fields["to"]))
        var headers = HTTPFields()
        headers[.contentType] = format == "json" ? "application/json; charset=utf-8" : "text/csv; charset=utf-8"
        headers[.contentDisposition] = "attachment; filename=\"streakmesh-\(today).\(format)\""
        return Response(
            status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: report.content ?? "")))
    }

    // MARK: Import

    static let exchangeForms: [Form] = [
        Form(uploadPath, Site.previewImport) { try await $0.importAgain($1, $2) },
        Form("/import", Site.importResults) { try await $0.importAgain($1, $2) },
        Form("/import/forget", Site.forgetImport),
    ]

    private func importAgain(_ visit: Visit, _ refusal: Refusal) async throws -> Response {
        let upload = sessions.upload(for: visit.session)
        sessions.dropUpload(of: visit.session)
        return try await exchangePage(visit, upload: upload, refusal: refusal)
    }

    /// Keeps the upload and shows what an import would do. Stores nothing.
    private func previewImport(_ visit: Visit) async throws -> Response {
        let fields = visit.fields
        let text = fields["file"] ?? fields.required("text")
        var upload =
            text.isEmpty
            ? sessions.upload(for: visit.session)
            : Upload(text: text, isChat: false, sender: nil, game: nil, dates: nil, replaces: false)
        if !text.isEmpty {
            upload?.isChat = fields["kind"] == "chat"
            upload?.game = fields["game"]
            upload?.dates = fields["dates"]
        }
        if let sender = fields["sender"] { upload?.sender = sender }
        if let choice = fields["replace"] { upload?.replaces = choice == "on" }
        if let order = fields["order"] { upload?.dates = order }
        guard let upload else { throw FormFault(refusal: Self.nothingSent) }
        guard fields["kind"] == "any" else { return try await look(at: upload, visit) }
        return try await previewDroppedFile(upload, visit)
    }

    private func look(at upload: Upload, _ visit: Visit) async throws -> Response {
        sessions.keep(upload, for: visit.session)
        do {
            let report = try await node.call(upload.request(isPreview: true))
            return try await exchangePage(visit, upload: upload, preview: report)
        } catch NodeFailure.unknownSender {
            let chat = try await node.call(ChatRequest.inspect(upload.source))
            return try await exchangePage(visit, upload: upload, senders: chat.senders)
        } catch NodeFailure.ambiguousDates(let line, let element) {
            return try await exchangePage(
                visit, upload: upload,
                ambiguous: element.map { "result \(ResultView.grouped($0))" } ?? "line \(ResultView.grouped(line))")
        }
    }

    /// Guesses the kind of a dropped file: a chat with results, a share text, or else a table.
    private func previewDroppedFile(_ upload: Upload, _ visit: Visit) async throws -> Response {
        var upload = upload
        do {
            let chat = try await node.call(ChatRequest.inspect(upload.source))
            upload.isChat = chat.senders.contains { $0.shares > 0 }
        } catch NodeFailure.importFailed {
            // Not a chat.
        }
        if !upload.isChat, upload.text.utf8.count <= WebLimit.pasteSize {
            let report = try await node.call(
                ScoreRequest.preview(text: upload.text, date: nil))
            if !report.added.isEmpty {
                return try await today(visit, text: upload.text, date: nil, outcome: report, isPreview: true)
            }
        }
        return try await look(at: upload, visit)
    }

    /// Imports the upload that was shown.
    private func importResults(_ visit: Visit) async throws -> Response {
        guard let upload = sessions.upload(for: visit.session) else { throw FormFault(refusal: Self.nothingSent) }
        let report = try await node.call(
            upload.request(isPreview: false, skipsBad: visit.fields["bad"] == "skip"))
        guard report.refusedCount == 0 || visit.fields["bad"] == "skip" else {
            return try await exchangePage(visit, upload: upload, preview: report)
        }
        sessions.dropUpload(of: visit.session)
        let groups = try await node.call(GroupListRequest.all).groups
        let shared = OutcomeView.titles(of: report.published, groups).map { " Shared with \($0)." } ?? ""
        let count = report.imported == 1 ? "1 result" : "\(ResultView.grouped(report.imported)) results"
        return say(
            "Imported \(count), skipped \(ResultView.grouped(report.skipped)).\(shared)", then: "/history", visit)
    }

    private func forgetImport(_ visit: Visit) async throws -> Response {
        sessions.dropUpload(of: visit.session)
        return .seeOther("/exchange")
    }

    private static let nothingSent = Refusal(
        code: "importFailed", message: "There is nothing to import.", hint: "Choose a file, or paste its text.")

    private static func preview(_ report: ImportReport, icons: [String: String]) -> ExchangeView.Preview {
        func count(_ number: Int) -> String { ResultView.grouped(number) }
        func lines(_ refused: [RefusedLine]) -> [ExchangeView.Line] {
            refused.prefix(50).map(ExchangeView.Line.init)
        }
        func rest(_ shown: Int, of all: Int, _ what: String) -> String? {
            all == 0
                ? nil : all > shown ? "\(count(all)) \(what); the first \(shown) are shown" : "\(count(all)) \(what)"
        }
        let left = report.importable - report.sample.count
        let results = report.importable == 1 ? "1 result" : "\(count(report.importable)) results"
        return ExchangeView.Preview(
            title: report.importable == 0 ? "Nothing new in it" : "This would be imported",
            figures: [
                FigureView(
                    term: "New", value: count(report.importable - report.replaced)),
                FigureView(term: "Replaced", value: count(report.replaced)),
                FigureView(term: "Recorded already", value: count(report.skipped - report.conflictCount)),
                FigureView(term: "Conflicts", value: count(report.conflictCount)),
                FigureView(term: "Refused", value: count(report.refusedCount)),
            ],
            sample: report.sample.map { result in
                OutcomeView.ResultLine(
                    icon: icons[result.game] ?? "🧩", gameName: result.gameName,
                    puzzleText: result.shownPuzzle.map { "No. \(ResultView.grouped($0))" }, label: result.label,
                    dayText: PuzzleDay(result.day)?.longText ?? result.day, note: nil)
            }, hasSample: !report.sample.isEmpty, restText: left > 0 ? "… and \(count(left)) more" : nil,
            conflicts: lines(report.conflicts),
            conflictText: rest(
                min(report.conflicts.count, 50), of: report.conflictCount, "recorded with another value"),
            replaces: report.replaced > 0, refused: lines(report.refused),
            refusedText: rest(min(report.refused.count, 50), of: report.refusedCount, "refused"),
            adjusted: lines(report.adjusted),
            adjustedText: rest(
                min(report.adjusted.count, 50), of: report.adjustedCount, "read with the game’s own maximum"),
            canImport: report.importable > 0, skipsBad: report.refusedCount > 0,
            buttonText: report.refusedCount == 0 ? "Import \(results)" : "Leave out refused lines, import \(results)")
    }
}
