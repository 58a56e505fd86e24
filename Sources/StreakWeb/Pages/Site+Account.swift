import Foundation
import Hummingbird
import StreakGames
import StreakNode

/// The recovery key, this user's machines, and backups.
///
/// A secret is shown only in the answer to a form, never at an address that a browser's history would keep.
extension Site {
    // MARK: Recovery key

    struct RecoveryView: Sendable {
        var isConfirmed: Bool
        /// The key in groups of four; empty unless it may be shown now.
        var key: [String]
        var hasKey: Bool
        /// A link that was opened before there was an account, and the page that shows it.
        var opened: String?
        var next: String
    }

    func showRecovery(
        _ visit: Visit, key: String? = nil, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let groups = key?.split(separator: "-").map(String.init) ?? []
        let view = RecoveryView(
            isConfirmed: frame.profile.recoveryConfirmed, key: groups, hasKey: !groups.isEmpty,
            opened: Self.keptLink(visit), next: Self.addressAfterWelcome(visit))
        return page(
            .profile, "recovery", title: "Recovery key", view, frame, visit, refusal: refusal)
    }

    func showRecoveryKey(_ visit: Visit) async throws -> Response {
        let report = try await node.call(RecoveryKeyRequest.show)
        return try await showRecovery(visit, key: report.key)
    }

    private func confirmRecoveryKey(_ visit: Visit) async throws -> Response {
        _ = try await node.call(
            RecoveryRequest.confirm(key: visit.fields.required("key")))
        return say(
            "Confirmed. Your account's secret is no longer on this machine: keep the paper safe.",
            then: Self.addressAfterWelcome(visit, otherwise: "/profile"), visit)
    }

    // MARK: Machines

    struct DevicesView: Sendable {
        struct Device: Sendable {
            var id: String
            var label: String
            /// Empty if it has none.
            var name: String
            var this: Bool
            var online: Bool
            var note: String
            /// Whether it is not shut out.
            var isCurrent: Bool
            /// What this machine and that one do not share with each other.
            var apartText: String?
            var strayText: String?
            var isRevocable: Bool
        }

        struct Link: Sendable {
            var text: String
            var symbol: SymbolView?
            var expires: String
        }

        var devices: [Device]
        /// What all machines share with each other.
        var sharedText: String
        var needsKey: Bool
        var link: Link?
    }

    func showDevices(
        _ visit: Visit, link: DeviceLinkReport? = nil, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let report = try await node.call(DeviceRequest.list)
        let view = DevicesView(
            devices: report.devices.map(device),
            sharedText: report.devices.contains { !$0.sharesPrivate }
                ? "Machines that have met share your private results and settings with each other, and with nobody else."
                : "They share your private results and settings with each other, and with nobody else.",
            needsKey: frame.profile.recoveryConfirmed,
            link: link.map { link in
                let expiry = Timestamp(link.expires)
                return DevicesView.Link(
                    text: link.link, symbol: SymbolView(link.link),
                    expires: expiry.map { "\($0.dateText), \($0.relativeText(to: now()))" } ?? link.expires)
            })
        return page(
            .profile, "devices", title: "Your machines", view, frame, visit, refusal: refusal)
    }

    private func device(_ device: DeviceReport) -> DevicesView.Device {
        let isCurrent = device.state == "current"
        let seen = device.lastSeen.flatMap { Timestamp($0) }.map { "last seen \($0.relativeText(to: now()))" }
        let presence = device.this ? "this machine" : device.online ? "online" : seen
        return DevicesView.Device(
            id: device.device, label: device.name ?? "Machine \(device.device.prefix(8))", name: device.name ?? "",
            this: device.this,
            online: isCurrent && (device.online || device.this),
            note: ([isCurrent ? presence : "shut out", device.originText, "ID \(device.device.prefix(8))"] as [String?])
                .compactMap(\.self).joined(separator: ", "), isCurrent: isCurrent,
            apartText: isCurrent && !device.sharesPrivate ? Self.apartText : nil,
            strayText: device.strayText,
            isRevocable: !device.this && (isCurrent || !device.stillIn.isEmpty))
    }

    private static let apartText = """
        This machine knows it only from a group: it was made with the recovery key, or linked by a machine that this one \
        has not met since. Once they meet, on one network or in a group, what you keep to yourself is the same on both.
        """

    func linkDevice(_ visit: Visit) async throws -> Response {
        let link = try await node.call(DeviceLinkRequest.make)
        return try await showDevices(visit, link: link)
    }

    // MARK: Backup

    struct BackupView: Sendable {
        var file: String
    }

    func showBackup(
        _ visit: Visit, refusal: Refusal? = nil
    ) async throws -> Response {
        let frame = try await frame()
        let view = BackupView(file: visit.fields["file"] ?? "~/streakmesh-\(today.description).backup")
        return page(.profile, "backup", title: "Backup", view, frame, visit, refusal: refusal)
    }

    private func backUp(_ visit: Visit) async throws -> Response {
        let passphrase = visit.fields.required("passphrase")
        guard passphrase == visit.fields.required("again") else { throw FormFault(refusal: Self.differing) }
        let report = try await node.call(
            BackupRequest.write(file: try Self.path(visit.fields["file"]), passphrase: passphrase))
        return say(
            "The backup is written: \(report.file), \(ResultView.grouped((report.bytes + 1_023) / 1_024)) KiB.",
            then: "/profile", visit)
    }

    private static let differing = Refusal(
        code: "differingPassphrases", message: "The two passphrases differ.", hint: "Type the same one twice.")

    static let accountForms: [Form] = [
        Form("/rename", then: "/profile", { ProfileRequest.rename(name: $0.required("name")) }) {
            (profile: ProfileReport, _) in "You are “\(profile.name)” now. Friends see it at the next sync."
        },
        // Dials everybody.
        Form("/sync", { _ in StatusRequest.sync }) { (status: StatusReport, _) in
            status.state == "live" ? "Everything is in sync." : "Every known machine was asked."
        },
        Form("/clock/repair", then: "/profile", { _ in ClockRequest.repair(isForced: false) }) {
            (report: ClockReport, _) in report.repairedText ?? ""
        },
        Form(
            "/internet", then: "/profile",
            { InternetRequest.change($0.required("setting"), letters: $0["letters"] != nil) }
        ) {
            (report: InternetReport, _) in "Saved. \(report.sentence)."
        },
        Form("/internet/advice", { _ in InternetRequest.change(nil, advice: false) }) {
            (_: InternetReport, _) in "This is not shown again."
        },
        Form("/recovery/show", Site.showRecoveryKey),
        Form("/recovery/confirm", Site.confirmRecoveryKey) { site, visit, refusal in
            try await site.showRecovery(visit, refusal: refusal)
        },
        Form("/devices/link", Site.linkDevice),
        Form(
            "/devices/rename", then: "/devices",
            { DeviceRequest.rename(device: $0.required("device"), name: $0.required("name")) }
        ) { (_: DeviceListReport, form) in "That machine is “\(form.required("name"))” now." },
        Form(
            "/devices/revoke", then: "/devices", { DeviceRequest.revoke(device: $0.required("device"), key: $0["key"]) }
        ) { (report: DeviceListReport, form) in
            report.sentences(afterShuttingOut: form["device"] ?? "").joined(separator: " ")
        },
        Form("/backup", Site.backUp) { site, visit, refusal in try await site.showBackup(visit, refusal: refusal) },
        Form("/reminders", Site.changeReminders), Form("/notifications", Site.changeNotifications), rulesForm,
    ]

    /// A file on this machine as typed: `~/…` and plain names are below the home folder.
    ///
    /// - Parameter failure: builds the error to throw, from the reason why the text cannot be a file name.
    static func path(
        _ text: String?, else failure: (String) -> NodeFailure = { .cannotWriteFile(reason: $0) }
    ) throws -> String {
        let text = (text ?? "").trimmingSpaces
        guard !text.isEmpty, text.utf8.count <= 1_024, !text.unicodeScalars.contains(where: { $0.value < 32 }) else {
            throw failure("that is not a file name")
        }
        if text.hasPrefix("/") { return text }
        let home = FileManager.default.homeDirectoryForCurrentUser
        let name = text.hasPrefix("~/") ? String(text.dropFirst(2)) : text
        return home.appendingPathComponent(name).standardizedFileURL.path
    }
}
