import ArgumentParser
import Foundation
import StreakNode
import StreakStorage
import StreakWeb

/// Where a secret comes from. Never from the command line unless the user insists, because other programs can read
/// that.
enum SecretInput {
    /// The longest line that is read, in bytes.
    private static let maximumLength = 4_096

    /// The first line of a descriptor, of standard input, or of what is typed unseen after `prompt`.
    static func read(_ prompt: String, from descriptor: Int32?, on terminal: Terminal) throws -> String {
        if let descriptor {
            return try line(of: terminal.read(descriptor, limit: maximumLength))
        }
        if terminal.isInputInteractive {
            guard let typed = terminal.askUnseen(prompt) else { throw CommandLineFailure.usage("Nothing was typed.") }
            return typed
        }
        return try line(of: terminal.readInput(limit: maximumLength))
    }

    private static func line(of bytes: [UInt8]) throws -> String {
        guard bytes.count <= maximumLength else { throw CommandLineFailure.usage("That is longer than any secret.") }
        let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        guard !line.isEmpty else {
            throw CommandLineFailure.usage("Nothing was given: the first line of the input is empty.")
        }
        return String(decoding: line, as: UTF8.self)
    }
}

struct RecoveryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "recovery", abstract: "Show the recovery key, and confirm that you wrote it down.",
        subcommands: [Show.self, Confirm.self])

    struct Show: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "show",
            abstract: "Show the key, as long as it is on this machine. Anybody who has it can act as you.")

        @OptionGroup var shared: SharedOptions

        func request() -> RecoveryKeyRequest { .show }

        func lines(for report: RecoveryKeyReport, style: OutputStyle) -> [String] {
            report.key.keyLines.map { "  " + style.applying(.bold, to: $0) } + [
                "", "Write it on paper. It brings your account back when every machine of yours is lost.",
                "Then type it in with `streakmesh recovery confirm`: it is removed from this machine.",
            ]
        }
    }

    struct Confirm: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "confirm",
            abstract: "Type the key in from your paper; the account's secret is then removed from this machine.")

        @Argument(help: "The key (else asked for, or read from standard input).")
        var key: String?

        @Option(name: .customLong("key-fd"), help: "Read the key from this file descriptor.")
        var descriptor: Int32?

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            let key = try key ?? SecretInput.read("Recovery key: ", from: descriptor, on: context.terminal)
            let report = try await context.call(
                RecoveryRequest.confirm(key: key))
            context.show(report) { _ in ["Confirmed. Your account's secret is no longer on this machine."] }
        }
    }
}

struct RecoverCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "recover", abstract: "Come back on a new machine with the recovery key.",
        discussion: """
            Makes a new machine of your account in an empty data folder. Then join your groups again by any of their \
            live invites: you are still a member, and the results that you shared come back from your friends. Results \
            that you kept to yourself come from another machine of yours, if one still works.
            """)

    @Argument(help: "The key (else asked for, or read from standard input).")
    var key: String?

    @Option(help: "Your name as friends see it, 1 to 40 characters.")
    var name: String

    @Option(name: .customLong("key-fd"), help: "Read the key from this file descriptor.")
    var descriptor: Int32?

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        guard !context.folder.hasAccount else { throw NodeFailure.accountExists }
        let key = try key ?? SecretInput.read("Recovery key: ", from: descriptor, on: context.terminal)
        let profile = try MeshNode.recoverAccount(in: context.folder, key: key, name: name)
        await context.wakeNode()
        context.show(profile) { style in
            profile.lines(style) + [
                "", "Next: `streakmesh join LINK` with any live invite of your groups.",
                "This does not bring back results that you kept to yourself. If another machine of yours still works,",
                "link this one instead: `streakmesh device link` there, `device join` in an empty folder here.",
                "A lost machine is shut out with `streakmesh device revoke DEVICE`.",
            ]
        }
    }
}

struct BackupCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "backup", abstract: "Write a sealed copy of your account and all its data to a new file.")

    @Argument(help: "The file to write.", completion: .file())
    var file: String

    @Option(name: .customLong("passphrase-fd"), help: "Read the passphrase from this file descriptor.")
    var descriptor: Int32?

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        let passphrase = try SecretInput.read("Passphrase: ", from: descriptor, on: context.terminal)
        if descriptor == nil, context.terminal.isInputInteractive,
            context.terminal.askUnseen("Once more: ") != passphrase
        {
            throw CommandLineFailure.usage("The two passphrases differ.")
        }
        let path = URL(fileURLWithPath: file).standardizedFileURL.path
        let report = try await context.call(
            BackupRequest.write(file: path, passphrase: passphrase))
        context.show(report) { style in
            [
                "Wrote \(style.applying(.bold, to: report.file)) (\(report.bytes / 1_024) KiB).",
                "Only the passphrase opens it; `streakmesh restore` reads it.",
            ]
        }
    }
}

struct RestoreCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "restore", abstract: "Bring an account back from a backup, into an empty data folder.")

    @Argument(help: "The file that `backup` wrote.", completion: .file())
    var file: String

    @Option(name: .customLong("passphrase-fd"), help: "Read the passphrase from this file descriptor.")
    var descriptor: Int32?

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        guard !context.folder.hasAccount else { throw NodeFailure.accountExists }
        let passphrase = try SecretInput.read("Passphrase: ", from: descriptor, on: context.terminal)
        let path = URL(fileURLWithPath: file).standardizedFileURL.path
        let profile = try await MeshNode.restoreAccount(in: context.folder, from: path, passphrase: passphrase)
        await context.wakeNode()
        context.show(profile) { style in
            profile.lines(style) + ["", "Restored. What is newer than the backup comes back from your friends."]
        }
    }
}

struct DeviceCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device", abstract: "List your machines, link a new one, and shut one out.",
        subcommands: [List.self, Rename.self, Link.self, Join.self, Revoke.self])

    struct List: QueryCommand {
        static let configuration = CommandConfiguration(commandName: "list", abstract: "List your machines.")

        @OptionGroup var shared: SharedOptions

        func request() -> DeviceRequest { .list }

        func lines(for report: DeviceListReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Rename: QueryCommand {
        static let configuration = CommandConfiguration(
            commandName: "rename", abstract: "Name one of your machines. Only your machines hear of it.")

        @Argument(help: "The machine's name, its ID, or a unique beginning of that.")
        var device: String

        @Argument(help: "The new name, at most 40 characters.")
        var name: String

        @OptionGroup var shared: SharedOptions

        func request() -> DeviceRequest { .rename(device: device, name: name) }

        func lines(for report: DeviceListReport, style: OutputStyle) -> [String] { report.lines(style) }
    }

    struct Link: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "link",
            abstract: "Make a link by which a new machine becomes yours. Works once, for ten minutes.",
            discussion: """
                Anybody who has it can join your account: give it to nobody, and leave this machine's node running.
                """)

        @Flag(help: "Show the link as a QR code, too.")
        var qr = false

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            let report = try await context.call(DeviceLinkRequest.make)
            if qr, !context.usesJSON {
                QRCode(text: report.link).map(context.terminal.write)
            }
            context.show(report) { _ in
                [
                    report.link, "", "On the new machine, within ten minutes and while this one's node runs:",
                    "`streakmesh device join`, which asks for it.",
                ]
            }
        }
    }

    struct Join: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "join",
            abstract: "Make this machine one of yours, by the link that another one made. Needs an empty data folder.")

        @Argument(
            help: """
                The link, beginning with streakmesh://device/ (else asked for, or read from standard input, where no \
                other user of this machine can see it).
                """)
        var link: String?

        @Option(help: "How long to look for the other machine: 30s, 2m …")
        var timeout = "30s"

        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            guard let seconds = TypedValue.seconds(timeout), seconds > 0 else {
                throw CommandLineFailure.usage("`--timeout` takes 30s or 2m; not “\(timeout.printable)”.")
            }
            guard !context.folder.hasAccount else { throw NodeFailure.accountExists }
            let link = try link ?? SecretInput.read("Link for a machine: ", from: nil, on: context.terminal)
            _ = try await MeshNode.linkDevice(in: context.folder, link: link, timeout: seconds)
            await context.wakeNode()
            // What can be reached now arrives now; the rest comes when the node runs.
            _ = try? await context.call(StatusRequest.sync, needsNetwork: true)
            let profile = try await context.call(ProfileRequest.whoami)
            context.show(profile) { style in
                profile.lines(style) + ["", "This machine is yours now. Next: `streakmesh up`."]
            }
        }
    }

    struct Revoke: SessionCommand {
        static let configuration = CommandConfiguration(
            commandName: "revoke", abstract: "Shut a lost machine out of every group, for good.",
            discussion: """
                Asks for the recovery key once you have confirmed that you wrote it down.
                """)

        @Argument(help: "The machine's name, its ID, or a unique beginning of that.")
        var device: String

        @Option(name: .customLong("key-fd"), help: "Read the recovery key from this file descriptor.")
        var descriptor: Int32?

        @OptionGroup var confirmation: ConfirmationOptions
        @OptionGroup var shared: SharedOptions

        func run(in context: CommandContext) async throws {
            var key: String?
            let profile = try await context.call(ProfileRequest.whoami)
            var found: String?
            if !confirmation.yes, context.isAttended {
                let target = try await context.find(.device(device))
                found = target.id
                try context.confirm(
                    """
                    It gets nothing new in any group, and nothing that it writes from now on counts. It keeps what is \
                    on it. This cannot be undone.
                    """, "Shut out \(target.text)?")
            }
            if profile.recoveryConfirmed {
                key = try SecretInput.read("Recovery key: ", from: descriptor, on: context.terminal)
            }
            let report = try await context.call(DeviceRequest.revoke(device: found ?? device, key: key))
            context.show(report) { style in
                report.sentences(afterShuttingOut: device).map(\.printable) + report.lines(style)
            }
        }
    }
}

extension DeviceListReport {
    func lines(_ style: OutputStyle) -> [String] {
        var table = TextTable([.left, .left, .left, .left, .left, .left])
        table.addHeader("machine", "ID", "state", "", "how", "shares")
        for device in devices {
            table.addRow(
                .init((device.name ?? "").printable),
                .init(String(device.device.prefix(12)), device.this ? .bold : .plain),
                device.state == "current" ? .init("current") : .init("shut out", .bad),
                .init(device.this ? "this machine" : device.online ? "online" : "", .good),
                .init(device.originText, .dim),
                .init(device.state != "current" || device.this ? "" : device.sharesPrivate ? "all" : "groups only"))
        }
        let isApart = devices.contains { $0.state == "current" && !$0.sharesPrivate }
        let strays = devices.compactMap(\.strayText).map { style.applying(.bad, to: $0.printable) }
        return style.lines(of: table) + strays
            + (isApart
                ? [
                    "",
                    "“groups only”: this machine knows it only from a group. It was made with the recovery key, or linked",
                    "by a machine that this one has not met since. Once both are online on one network, or in a common",
                    "group, both have your private results.",
                ] : [])
    }
}

extension String {
    /// A recovery key's fourteen groups, in lines that are easy to copy by hand.
    var keyLines: [String] {
        let groups = split(separator: "-")
        return stride(from: 0, to: groups.count, by: 5).map {
            groups[$0..<Swift.min($0 + 5, groups.count)].joined(separator: "-")
        }
    }
}
