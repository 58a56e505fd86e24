/// What the system is told to run: a systemd user unit, or on macOS a launch agent.
struct ServiceUnit: Equatable {
    /// Absolute path of the program.
    let program: String
    /// The data folder, where it is not the usual one.
    var data: String?
    /// Whether the node gets its own view of the system. This needs user namespaces, which some systems deny to users.
    var isSandboxed = true

    static let systemdName = "streakmesh.service"
    static let launchdLabel = "org.streakmesh.node"

    /// Exit codes that the next start would end with as well: the command line, the folder's contents, its owner (docs/cli.md).
    private static let futile = [64, 65, 77]

    /// For `systemd.service(5)`. Before systemd 254 nothing lengthens the pause; there the limit of starts ends a row of faults. Everything in “[Service]” after `WatchdogSec` takes rights away that a node does not need.
    /// The home folder stays open: backups and exports go where the user says.
    var systemdText: String {
        let words = [program] + (data.map { ["--data", $0] } ?? []) + ["up", "--log", "warning"]
        return """
            [Unit]
            Description=StreakMesh, a leaderboard for friends who play daily puzzles
            Documentation=man:streakmesh(1)
            StartLimitIntervalSec=10min
            StartLimitBurst=20

            [Service]
            Type=notify
            ExecStart=\(words.map(Self.systemdQuoted).joined(separator: " "))
            Restart=on-failure
            RestartPreventExitStatus=\(Self.futile.map(String.init).joined(separator: " "))
            RestartSec=5s
            RestartSteps=6
            RestartMaxDelaySec=1min
            TimeoutStopSec=10s
            WatchdogSec=60s
            UMask=0077
            NoNewPrivileges=yes
            RestrictSUIDSGID=yes
            RestrictRealtime=yes
            RestrictNamespaces=yes
            RestrictAddressFamilies=AF_UNIX AF_INET AF_INET6 AF_NETLINK
            LockPersonality=yes
            MemoryDenyWriteExecute=yes
            SystemCallArchitectures=native
            SystemCallFilter=@system-service
            SystemCallFilter=~@privileged @obsolete
            SystemCallErrorNumber=EPERM
            \(isSandboxed ? Self.sandbox : "")
            [Install]
            WantedBy=default.target

            """
    }

    private static let sandbox = """
        PrivateUsers=yes
        PrivateDevices=yes
        PrivateMounts=yes
        ProtectSystem=full
        ProtectProc=invisible
        ProtectClock=yes
        ProtectControlGroups=yes
        ProtectHostname=yes
        ProtectKernelModules=yes
        ProtectKernelTunables=yes
        CapabilityBoundingSet=
        KeyringMode=private

        """

    /// For `launchd.plist(5)`.
    var launchdText: String {
        let words = [program] + (data.map { ["--data", $0] } ?? []) + ["up", "--log", "warning"]
        let arguments = words.map { "        <string>\(Self.xmlEscaped($0))</string>" }.joined(separator: "\n")
        return """
            <?xml version="1.0" encoding="UTF-8"?>
            <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
            <plist version="1.0">
            <dict>
                <key>Label</key>
                <string>\(Self.launchdLabel)</string>
                <key>ProgramArguments</key>
                <array>
            \(arguments)
                </array>
                <key>RunAtLoad</key>
                <true/>
                <key>KeepAlive</key>
                <dict>
                    <key>SuccessfulExit</key>
                    <false/>
                </dict>
                <key>Umask</key>
                <integer>63</integer>
            </dict>
            </plist>

            """
    }

    /// One word of `ExecStart`, as systemd.service(5) reads it: `%` and `$` are doubled, quotes and backslashes escaped.
    static func systemdQuoted(_ word: String) -> String {
        let isPlain = word.unicodeScalars.allSatisfy { scalar in
            switch scalar {
            case "a"..."z", "A"..."Z", "0"..."9", "/", ".", "-", "_": true
            default: false
            }
        }
        guard !isPlain || word.isEmpty else { return word }
        var quoted = "\""
        for scalar in word.unicodeScalars {
            switch scalar {
            case "\\", "\"": quoted += "\\\(scalar)"
            case "%": quoted += "%%"
            case "$": quoted += "$$"
            case "\n": quoted += "\\n"
            case "\t": quoted += "\\t"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }

    private static func xmlEscaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { escaped, scalar in
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
    }
}
