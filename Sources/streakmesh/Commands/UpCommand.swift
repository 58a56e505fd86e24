import ArgumentParser
import Foundation
import Logging
import ServiceLifecycle
import StreakNode
import StreakStorage
import StreakWeb
import UnixSignals

/// Runs the node with its page and its control socket until it is told to stop.
struct UpCommand: SessionCommand {
    static let configuration = CommandConfiguration(
        commandName: "up", abstract: "Run your node and its page until Ctrl-C.")

    /// How long an orderly end may take. Then the rest is cut off: an open page must not delay the node.
    static let shutdownLimit: Duration = .seconds(5)

    @Option(
        help: ArgumentHelp(
            "Listen here for friends, UDP and TCP alike; port 0 takes the one used last, or picks one.",
            valueName: "host:port"))
    var listen = "0.0.0.0:0"

    @Option(
        help: ArgumentHelp(
            "Show the page here; only this machine can reach it. Else 127.0.0.1:7420 or the next free port.",
            valueName: "host:port"))
    var web: String?

    @Flag(name: .customLong("no-web"), help: "Run without the page.")
    var isWithoutWeb = false

    @Flag(name: .customLong("no-lan"), help: "Don't look for friends on the local network.")
    var isWithoutLAN = false

    @Option(
        name: .customLong("peer"), parsing: .singleValue,
        help: ArgumentHelp("Dial this address, too. May be given several times.", valueName: "host:port"))
    var peers: [String] = []

    @Option(
        name: .customLong("advertise"), parsing: .singleValue,
        help: ArgumentHelp(
            "Tell friends that this machine is reached there, too: a port that your router forwards. A name is looked up again every ten minutes. May be given six times.",
            valueName: "host:port"))
    var advertised: [String] = []

    @Option(
        help: ArgumentHelp(
            "Whether friends on the internet find this machine: on, off or lan-only. Stays until it is changed.",
            valueName: "setting"))
    var internet: String?

    @Option(
        name: .customLong("dht"), parsing: .singleValue,
        help: ArgumentHelp(
            "Begin with this node of the BitTorrent network instead of the public ones. May be given eight times.",
            valueName: "host:port"))
    var dhtNodes: [String] = []

    @Option(help: "How much to log on standard error: error, warning, info, debug, trace.")
    var log = "error"

    @OptionGroup var shared: SharedOptions

    func run(in context: CommandContext) async throws {
        guard let level = Logger.Level(rawValue: log) else {
            throw CommandLineFailure.usage(
                "`--log` takes error, warning, info, debug or trace; not “\(log.printable)”.")
        }
        try checkAddresses()
        // A program that reads events needs a node; a person can make the account on the page.
        guard context.folder.hasAccount || !context.usesJSON && !isWithoutWeb else { throw NodeFailure.noAccount }
        if !context.folder.hasAccount {
            do {
                try context.folder.makeFolder()
            } catch StorageError.failed(let reason) {
                throw NodeFailure.cannotCreate(reason: reason)
            }
        }
        ProcessLimits.returnFreeMemory()
        ProcessLimits.raiseDescriptors()
        LoggingSystem.bootstrap { StreamLogHandler.standardError(label: $0) }
        var logger = Logger(label: "streakmesh")
        // The error that ends the program is thrown, too, and shown once; the libraries do not log it by default.
        logger.logLevel = level == .error ? .critical : level
        var configuration = NodeConfiguration(
            listen: listen, usesNetwork: true, usesLAN: !isWithoutLAN, peers: peers)
        configuration.logger = logger
        configuration.machineName = ProcessInfo.processInfo.hostName.split(separator: ".").first.map(String.init)
        configuration.internet = internet
        configuration.advertised = advertised
        configuration.dhtNodes = dhtNodes
        if !isWithoutWeb { configuration.opening = Browser.opening(folder: context.folder.path) }
        let node = StartingNode(in: context.folder, configuration: configuration)
        do {
            try await open(node, in: context)
            try await serve(node, in: context, logger: logger)
            await node.close()
        } catch {
            await node.close()
            throw error
        }
    }

    /// Takes the folder, waiting for a short command that has it. It does not wait if a node runs already.
    private func open(_ node: StartingNode, in context: CommandContext) async throws {
        // A node that waits for its account holds no lock.
        if !context.folder.hasAccount, await context.isNodeRunning { throw NodeFailure.folderBusy(pid: 0) }
        try await context.takingTurns(unless: { await context.isNodeRunning }) { try await node.openIfPossible() }
    }

    private func serve(_ node: StartingNode, in context: CommandContext, logger: Logger) async throws {
        let events: @Sendable () -> AsyncStream<NodeEvent> = { node.events() }
        let pageAddress = isWithoutWeb ? nil : AsyncStream<WebAddress>.makeStream()
        let page = try pageAddress.map { address in
            WebServer(
                node: node, accounts: node, events: events, configuration: try webConfiguration(),
                entropy: Self.randomBytes, now: { Int64(Date().timeIntervalSince1970) }, logger: logger,
                onReady: {
                    await node.serves(page: $0.url)
                    address.continuation.yield($0)
                })
        }
        try context.folder.prepareControlSocketFolder()
        let control = ControlServer(
            node: node, events: events, signIn: { page?.mintSignInURL() },
            socketPath: context.folder.controlSocketPath, logger: logger)
        let notifier = ServiceNotifier(environment: ProcessInfo.processInfo.environment)
        let announcer = Announcer(
            node: node, control: control, pageAddress: pageAddress?.stream, context: context, notifier: notifier)
        // Ended in reverse: the last lines are printed before the node goes.
        var services = [
            NamedService(description: "node", service: NodeService(node: node)),
            NamedService(description: "control socket", service: control),
        ]
        if let page { services.append(NamedService(description: "page", service: page)) }
        services.append(NamedService(description: "announcer", service: announcer))
        // Any answer will do, also a failure: only a node that hangs gives none.
        let watchdog = Watchdog(notifier: notifier) { _ = try? await node.call(ProfileRequest.whoami) }
        services.append(NamedService(description: "watchdog", service: watchdog))
        var configuration = ServiceGroupConfiguration(
            services: services, gracefulShutdownSignals: [.sigint, .sigterm], logger: logger)
        configuration.maximumGracefulShutdownDuration = Self.shutdownLimit
        try await ServiceGroup(configuration: configuration).run()
    }
}

extension UpCommand {
    /// The names of this machine for itself, under which the page can be opened.
    static let webHosts = ["127.0.0.1", "::1", "localhost"]

    /// Looks over every address before anything is opened. An empty host to listen on stands for all addresses.
    func checkAddresses() throws {
        guard HostPort(listen.hasPrefix(":") ? "0.0.0.0\(listen)" : listen) != nil else {
            throw CommandLineFailure.usage(
                "`--listen` takes HOST:PORT, such as 0.0.0.0:7430; not “\(listen.printable)”.")
        }
        guard dhtNodes.count <= 8 else { throw CommandLineFailure.usage("`--dht` may be given eight times at most.") }
        for node in dhtNodes where HostPort(node).map({ $0.port == 0 }) ?? true {
            throw CommandLineFailure.usage(
                "`--dht` takes HOST:PORT, such as router.bittorrent.com:6881; not “\(node.printable)”.")
        }
        for peer in peers {
            guard let address = HostPort(peer), address.port > 0 else {
                throw CommandLineFailure.usage(
                    "`--peer` takes HOST:PORT, such as friend.example:7430; not “\(peer.printable)”.")
            }
        }
        guard advertised.count <= NodeConfiguration.maximumAdvertised else {
            throw CommandLineFailure.usage(
                "`--advertise` may be given \(NodeConfiguration.maximumAdvertised) times at most.")
        }
        for name in advertised {
            guard let address = HostPort(name), address.port >= 1_024 else {
                throw CommandLineFailure.usage(
                    "`--advertise` takes HOST:PORT with a port from 1024 on, such as home.example:7430; not “\(name.printable)”."
                )
            }
        }
        if let internet, !InternetReport.settings.contains(internet) {
            throw CommandLineFailure.usage("`--internet` takes on, off or lan-only; not “\(internet.printable)”.")
        }
        if !isWithoutWeb { _ = try webConfiguration() }
    }

    /// Where `--web` puts the page.
    func webConfiguration() throws -> WebConfiguration {
        guard let web else { return WebConfiguration() }
        guard let address = HostPort(web) else {
            throw CommandLineFailure.usage("`--web` takes HOST:PORT, such as 127.0.0.1:7420; not “\(web.printable)”.")
        }
        guard Self.webHosts.contains(address.host) else {
            throw CommandLineFailure.usage(
                "The page is for this machine only: `--web` takes 127.0.0.1, [::1] or localhost; "
                    + "not “\(address.host.printable)”.")
        }
        return WebConfiguration(host: address.host, port: Int(address.port), isPortChosen: true)
    }

    private static func randomBytes(_ count: Int) -> [UInt8] {
        var generator = SystemRandomNumberGenerator()
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
    }
}

/// A service with a plain name. A service that is logged shows its description, which for a value is its entire
/// content.
private struct NamedService: Service, CustomStringConvertible {
    let description: String
    let service: any Service

    func run() async throws { try await service.run() }
}

/// The node's network part as a service of the process.
private struct NodeService: Service {
    let node: StartingNode

    func run() async throws {
        try await cancelWhenGracefulShutdown { try await node.run() }
    }
}

/// Prints the line that says “ready” once everything listens, then what happens.
private struct Announcer: Service {
    let node: StartingNode
    let control: ControlServer
    /// Yields once, when the page is bound; nil without a page.
    let pageAddress: AsyncStream<WebAddress>?
    let context: CommandContext
    let notifier: ServiceNotifier

    func run() async throws {
        let events = node.events()
        await control.ready()
        var address: WebAddress?
        if let pageAddress {
            for await bound in pageAddress {
                address = bound
                break
            }
        }
        guard !Task.isCancelled else { return }
        let isNew = !context.folder.hasAccount
        // Without an account the page is what runs.
        if isNew { notifier.ready() }
        if let address, isNew { welcome(address).forEach(context.terminal.write) }
        guard let opened = await cancelWhenGracefulShutdown({ await node.opened() }) else { return }
        let listen = try await opened.ready()
        guard !Task.isCancelled else { return }
        notifier.ready()
        if context.usesJSON {
            let ready: JSON = .members([
                "event": .string("ready"), "listen": .string(listen), "web": .optional(address?.url),
                "signIn": .optional(address?.signIn),
            ])
            context.terminal.write(ready.text)
        } else {
            // The user has just made the account on the page, so they need no address.
            lines(listen: listen, address: isNew ? nil : address).forEach(context.terminal.write)
        }
        let printer = EventPrinter(node: node, context: context)
        let damage = await opened.foundDamage
        if !damage.isEmpty { await printer.show(.notice(damage.joined(separator: " "))) }
        for await event in events.cancelOnGracefulShutdown() {
            await printer.show(event)
        }
    }

    /// What is said before there is an account.
    private func welcome(_ address: WebAddress) -> [String] {
        let style = context.style
        return [
            style.applying(.bold, to: "Welcome. There is no account here yet: make one, or bring yours, on your page."),
            "", wayToPage(address), "",
            "Or press Ctrl-C and make one here: `streakmesh init --name NAME`.",
        ]
    }

    /// How the page is opened. A sign-in link is shown on a terminal only: a file or a log may be for others to read.
    private func wayToPage(_ address: WebAddress) -> String {
        guard context.terminal.isOutputInteractive else { return "  `streakmesh open` opens your page." }
        return "  Open your page: \(context.style.applying(.notable, to: address.signIn))"
    }

    private func lines(listen: String, address: WebAddress?) -> [String] {
        let style = context.style
        var lines = [style.applying(.bold, to: "Your node is running.")]
        if let address {
            lines += ["", wayToPage(address), ""]
        }
        let port = HostPort(listen).map { "port \($0.port)" } ?? listen
        return lines + ["Listening on \(port), UDP and TCP. Press Ctrl-C to stop."]
    }
}
