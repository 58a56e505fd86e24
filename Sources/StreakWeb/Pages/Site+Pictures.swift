import HTTPTypes
import Hummingbird
import NIOCore
import StreakNode

/// A picture of a result, a streak, a week or an achievement, and the text that goes with it.
struct PictureView: Sendable {
    var title: String
    var about: String
    var imageHref: String
    var width: Int
    var height: Int
    var fileName: String
    var text: String
    var mailHref: String
    var looks: [TabView]
    var shapes: [TabView]
    /// Nil unless the picture may name a group.
    var company: TabView?
    var backHref: String
    var backText: String
}

/// What a picture is of, and how it looks, as the query of its page and of its image says.
struct PictureChoice: Sendable, Equatable {
    enum Subject: String { case result, streak, week, achievement }

    var subject: Subject
    var game: String?
    var date: String?
    var group: String?
    var achievement: String?
    var isAlone = false
    var look: String?
    var shape: String?

    init(_ subject: Subject) { self.subject = subject }

    init(_ fields: FormFields) {
        subject = fields["of"].flatMap { Subject(rawValue: $0) } ?? .result
        (game, date, group) = (fields["game"], fields["date"], fields["group"])
        (achievement, isAlone) = (fields["id"], fields.isSet("alone"))
        (look, shape) = (fields["look"], fields["shape"])
    }

    var request: ShareRequest {
        let style = PictureStyle(look: look, shape: shape)
        return switch subject {
        case .result: .result(game: game ?? "", date: date, picture: style)
        case .streak: .streak(game: game, picture: style)
        case .week: .week(date: date, group: group, isAlone: isAlone, picture: style)
        case .achievement: .achievement(achievement, picture: style)
        }
    }

    func href(at path: String = "/picture") -> String {
        PageLink(path).adding("of", subject.rawValue).adding("game", game).adding("date", date).adding("group", group)
            .adding("id", achievement).adding("alone", isAlone ? "1" : nil).adding("look", look)
            .adding("shape", shape).text
    }

    func with(_ change: (inout PictureChoice) -> Void) -> PictureChoice {
        var choice = self
        change(&choice)
        return choice
    }

    /// The page on which its subject is found.
    fileprivate var origin: (href: String, text: String) {
        switch subject {
        case .result: ("/history", "History")
        case .streak: ("/streaks", "Your streaks")
        case .week:
            (PageLink("/recap").adding("group", group).adding("date", date).text, "The week")
        case .achievement: ("/achievements", "Your achievements")
        }
    }
}

extension Site {
    private static let imagePath = "/picture/image.svg"

    func showPicture(_ visit: Visit) async throws -> Response {
        let frame = try await frame()
        let choice = PictureChoice(visit.fields)
        let report = try await node.call(choice.request)
        func tabs(
            _ words: [(String, String)], _ path: WritableKeyPath<PictureChoice, String?>
        ) -> [TabView] {
            let current = choice[keyPath: path] ?? words.first?.0
            return words.map { word, label in
                TabView(
                    label: label, href: choice.with { $0[keyPath: path] = word }.href(), current: word == current)
            }
        }
        let isOfGroup = choice.subject == .week && !frame.current.isEmpty
        let view = PictureView(
            title: report.title, about: report.description, imageHref: choice.href(at: Self.imagePath),
            width: report.picture?.width ?? 0, height: report.picture?.height ?? 0, fileName: report.fileName,
            text: report.text,
            mailHref: "mailto:?subject=" + PageLink.encode(report.title) + "&body=" + PageLink.encode(report.text),
            looks: tabs([("light", "Light"), ("dark", "Dark")], \.look),
            shapes: tabs([("wide", "Wide"), ("square", "Square")], \.shape),
            company: isOfGroup
                ? TabView(
                    label: choice.isAlone ? "With the group" : "Without the group",
                    href: choice.with { $0.isAlone.toggle() }.href(), current: false) : nil,
            backHref: choice.origin.href, backText: choice.origin.text)
        return page(.numbers, "picture", title: "Picture", view, frame, visit)
    }

    func showPictureImage(_ visit: Visit) async throws -> Response {
        let report = try await node.call(PictureChoice(visit.fields).request)
        var headers = HTTPFields()
        headers[.contentType] = "image/svg+xml; charset=utf-8"
        return Response(
            status: .ok, headers: headers, body: .init(byteBuffer: ByteBuffer(string: report.picture?.svg ?? "")))
    }

    // MARK: Templates

    struct TemplatesView: Sendable {
        struct Template: Sendable {
            var kind: String
            var title: String
            var text: String
            var isOwn: Bool
            var example: String
            /// “{game} {result} …”
            var placeholders: String
        }

        var templates: [Template]
    }

    func showTemplates(_ visit: Visit) async throws -> Response { try await templates(visit) }

    private func templates(_ visit: Visit, refusal: Refusal? = nil) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(ShareTemplateRequest.list)
        let titles = [
            "unlock": "An achievement", "personal-best": "A personal best", "perfect": "A perfect result",
            "solved": "Any other solved puzzle", "lost": "A lost one",
        ]
        // A refused text stays in its box.
        let kept = refusal == nil ? nil : visit.fields["kind"]
        let view = TemplatesView(
            templates: report.templates.map { template in
                TemplatesView.Template(
                    kind: template.kind, title: titles[template.kind] ?? template.kind,
                    text: kept == template.kind ? visit.fields.required("text") : template.text, isOwn: template.own,
                    example: template.example,
                    placeholders: template.placeholders.map { "{\($0)}" }.joined(separator: " "))
            })
        return page(.profile, "templates", title: "Share texts", view, frame, visit, refusal: refusal)
    }

    static let pictureForms: [Form] = [
        Form("/templates", Site.saveTemplate) { try await $0.templates($1, refusal: $2) }
    ]

    private func saveTemplate(_ visit: Visit) async throws -> Response {
        let isReset = visit.fields.isSet("reset")
        // A text area sends its lines with CR LF.
        let text = visit.fields.required("text").replacing("\r\n", with: "\n")
        _ = try await node.call(
            ShareTemplateRequest.change(kind: visit.fields.required("kind"), text: isReset ? nil : text))
        return say(isReset ? "The standard text is back." : "Saved.", then: "/templates", visit)
    }
}
