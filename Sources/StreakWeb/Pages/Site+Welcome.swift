import Hummingbird
import StreakNode

/// The first page on a machine without an account: a new user, one more machine, or an account that is restored.
extension Site {
    struct WelcomeView: Sendable {
        /// The text typed so far.
        var name: String
        var link: String
        var file: String
        let explanation = InternetReport.explanation
        /// Settings of the internet for a new account.
        var settings: [OptionView]
        /// A link that was opened before there was an account; it is shown once there is one.
        var opened: String?
        /// Which form was sent.
        var isLinking: Bool
        var isRecovering: Bool
        var isRestoring: Bool
        var problem: FailureView?
        var backTo = "/welcome"
    }

    func showWelcome(_ visit: Visit, refusal: Refusal? = nil) async throws -> Response {
        guard try await isNew() else { return .seeOther(Self.addressAfterWelcome(visit)) }
        let opened = visit.fields["opened"]
        // A device link is for this page.
        let device = opened.flatMap { DeepLink($0) == .device ? $0 : nil }
        let view = WelcomeView(
            name: visit.fields.required("name"), link: visit.fields["link"] ?? device ?? "",
            file: visit.fields.required("file"),
            settings: Self.internetSettings(selected: visit.fields["internet"] ?? "on"), opened: Self.keptLink(visit),
            isLinking: visit.path == "/welcome/link" || device != nil && !visit.isForm,
            isRecovering: visit.path == "/welcome/recover",
            isRestoring: visit.path == "/welcome/restore", problem: refusal?.view)
        return .html(templates.render("welcome", view), status: refusal?.status ?? .ok)
    }

    /// The link that was opened before there was an account, if it leads anywhere once there is one.
    static func keptLink(_ visit: Visit) -> String? {
        guard let opened = visit.fields["opened"] else { return nil }
        switch DeepLink(opened) {
        case .join, .add, .game, .activity: return opened
        case .device, .unknown, nil: return nil
        }
    }

    /// Where the first page leads once there is an account: to what shows the link that was opened, and does nothing by
    /// itself.
    static func addressAfterWelcome(_ visit: Visit, otherwise path: String = "/today") -> String {
        keptLink(visit).map { PageLink("/open").adding("link", $0).text } ?? path
    }

    /// Whether there is no account, and the first page can make one.
    func isNew() async throws -> Bool {
        guard accounts != nil else { return false }
        do {
            _ = try await node.call(ProfileRequest.whoami)
            return false
        } catch NodeFailure.noAccount {
            return true
        }
    }

    static let welcomeForms: [Form] = [
        Form("/welcome/new", Site.makeProfile) { try await $0.showWelcome($1, refusal: $2) },
        welcomeForm("/welcome/link", says: "This machine is yours now. What your others have is on its way.") {
            .machine(link: $0.required("link").trimmingSpaces)
        },
        welcomeForm(
            "/welcome/recover",
            says:
                "Your account is back. Join each group again with any open invite to it; your results come with it. "
                + "Results that you kept to yourself do not: only a device link of a machine that still works, or a "
                + "backup, brings those."
        ) { .recoveryKey($0.required("key"), name: $0.required("name")) },
        welcomeForm("/welcome/restore", says: "Restored. What is newer than the backup comes back from your friends.") {
            .backup(file: try path($0["file"]) { .invalidBackup(reason: $0) }, passphrase: $0.required("passphrase"))
        },
    ]

    private static func welcomeForm(
        _ path: String, says text: String, _ origin: @escaping @Sendable (FormFields) throws -> AccountOrigin
    ) -> Form {
        Form(path) { site in
            { visit in
                _ = try await site.makeAccount(origin(visit.fields))
                return site.say(text, then: Self.addressAfterWelcome(visit), visit)
            }
        } again: {
            try await $0.showWelcome($1, refusal: $2)
        }
    }

    private func makeAccount(_ origin: AccountOrigin) async throws -> ProfileReport {
        guard let accounts else { throw NodeFailure.accountExists }
        return try await accounts.makeAccount(origin)
    }

    /// Makes a new account and leads to its recovery key.
    private func makeProfile(_ visit: Visit) async throws -> Response {
        let profile = try await makeAccount(
            .new(name: visit.fields.required("name"), internet: visit.fields["internet"]))
        sessions.leave(Flash(text: "Welcome, \(profile.name)."), for: visit.session)
        return try await showRecoveryKey(visit)
    }
}
