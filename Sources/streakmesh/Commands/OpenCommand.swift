import ArgumentParser
import Dispatch
import Foundation
import StreakNode
import StreakStorage

/// Shows the page in the browser, or what a link leads to. The desktop opens `streakmesh://` links with it.
struct OpenCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "open", abstract: "Open your page in the browser, or a streakmesh:// link on it.",
        discussion:
            "Starts your node where none runs. A link is only shown: nothing is joined or stored before you click.")

    /// Four times as long as an invite link can be; the page reads no further into a message either.
    static let maximumLinkSize = 4_096
    /// How long a node that was just started may take until it has a page.
    static let startLimit: Duration = .seconds(20)

    @Argument(help: "A link that begins with streakmesh://.")
    var link: String?

    @Flag(name: .customLong("print"), help: "Only print the address; start neither node nor browser.")
    var onlyPrints = false

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        if let link { try Self.check(link) }
        let signIn = onlyPrints ? try await context.client().page().signIn : try await Self.page(in: context, shared)
        let address = Self.address(signIn: signIn, link: link)
        let isOpened = !onlyPrints && Browser.open(address)
        guard !context.usesJSON else {
            return context.terminal.write(
                JSON.members(["signIn": .string(address), "opened": .bool(isOpened)]).text)
        }
        if isOpened {
            context.terminal.write("Your page opens in the browser.")
        } else {
            context.terminal.write(context.style.applying(.notable, to: address))
            context.terminal.write("Open it in a browser on this machine. It works once.")
        }
    }

    /// - Throws: `CommandLineFailure.usage`.
    static func check(_ link: String) throws {
        guard link.utf8.count <= maximumLinkSize, link.lowercased().hasPrefix("streakmesh://") else {
            throw CommandLineFailure.usage(
                "`open` takes a link that begins with streakmesh:// and has at most \(maximumLinkSize) bytes.")
        }
    }

    /// A sign-in link that leads on to the preview of a link.
    static func address(signIn: String, link: String?) -> String {
        guard let link else { return signIn }
        return signIn + "&to=" + percentEncoded("/open?link=" + percentEncoded(link))
    }

    /// Escapes every byte except letters and digits, so that none ends the value that contains it (RFC 3986 §2.1).
    static func percentEncoded(_ text: String) -> String {
        text.utf8.reduce(into: "") { encoded, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"):
                encoded.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                encoded += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
    }

    /// The page of the running node. If no node runs, starts one.
    private static func page(in context: CommandContext, _ shared: SharedOptions) async throws -> String {
        if let report = try? await context.client().page() { return report.signIn }
        if !UserService.current(serving: shared.data.map { DataFolder(path: $0).path }).start() {
            try Browser.startNode(data: shared.data)
        }
        let deadline = ContinuousClock.now + startLimit
        while true {
            do {
                return try await context.client().page().signIn
            } catch {
                guard ContinuousClock.now < deadline else { throw error }
            }
            await pause()
        }
    }

    /// A node that starts cannot be awaited: it may be another program's child.
    private static func pause() async {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(50)) { continuation.resume() }
        }
    }
}

/// The desktop actions that this command needs.
enum Browser {
    /// Returns whether a program took the address. It is started and not waited for.
    static func open(_ address: String) -> Bool {
        #if os(macOS)
            return (try? start(["open", address])) != nil
        #else
            let environment = ProcessInfo.processInfo.environment
            // Without a screen `xdg-open` would look for a browser in this terminal.
            guard environment["DISPLAY"] ?? environment["WAYLAND_DISPLAY"] != nil, finds("xdg-open", in: environment)
            else { return false }
            return (try? start(["xdg-open", address])) != nil
        #endif
    }

    private static var program: String {
        Bundle.main.executableURL?.resolvingSymlinksInPath().path ?? "streakmesh"
    }

    /// The words that open the page of the node that runs in a folder.
    static func opening(folder: String) -> [String] { [program, "--data", folder, "open"] }

    /// Starts a node that goes on when this program has ended.
    static func startNode(data: String?) throws {
        try start([program] + (data.map { ["--data", DataFolder(path: $0).path] } ?? []) + ["up"])
    }

    private static func finds(_ program: String, in environment: [String: String]) -> Bool {
        (environment["PATH"] ?? "/usr/bin:/bin").split(separator: ":").contains {
            FileManager.default.isExecutableFile(atPath: "\($0)/\(program)")
        }
    }

    /// Starts a program in a session of its own, so that it outlives the terminal.
    private static func start(_ words: [String]) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        #if os(macOS)
            process.arguments = words
        #else
            process.arguments = ["setsid"] + words
        #endif
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }
}
