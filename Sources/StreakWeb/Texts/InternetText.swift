public import StreakNode

extension InternetReport {
    /// What the setting does, beside its switch.
    public static let explanation = """
        Friends’ machines find yours over the internet. For that your router is asked to open a port, your address is told to the \
        machines of your groups, and a sealed note is left in the public BitTorrent network. Only your groups can open it. It holds \
        your address and your newest results, so that friends who are never online when you are get them, too.
        """

    /// A setting as a choice of its own.
    public static func choice(_ setting: String) -> String {
        switch setting {
        case "on": "On"
        case "off": "Off: dial only addresses that this machine was told"
        default: "This network only: no connection leaves it or comes in"
        }
    }

    /// Whether friends on the internet reach this machine.
    public var sentence: String {
        switch (setting, reach) {
        case ("lan-only", _): "Not looking beyond this network"
        case ("off", _): "Friends on the internet are not told where this machine is"
        case (_, "mapped"), (_, "open"): "Reachable from the internet"
        case (_, "steady"): "Friends can reach this machine while it and theirs are on"
        case (_, "changing"), (_, "none"): "This machine reaches friends; they cannot reach it"
        default: "Not known yet whether friends on the internet reach this machine"
        }
    }

    /// The open port, for people; nil where none is open.
    public var mappingText: String? {
        mapping.map { mapping in
            let streams = mapping.streams ? "UDP and TCP" : "UDP only"
            let how = ["pcp": "PCP", "nat-pmp": "NAT-PMP", "upnp": "UPnP"][mapping.by] ?? mapping.by
            return "Your router has opened a port: \(mapping.outside), \(streams), by \(how)."
        }
    }

    /// How the sealed note is, for people; nil where nothing is to be said.
    public var dhtText: String? {
        switch (dht.state, helper) {
        case ("off", _): nil
        case (_, "missing"):
            "The program streakmesh-internet is missing. Without it friends who have lost each other do not find each other again."
        case ("failing", _): "The public BitTorrent network does not answer now, so no note is left there."
        case ("ok", _): "A sealed note is left in the public BitTorrent network."
        default: nil
        }
    }

    /// Why no port is open and what can be done; nil where nothing is to be said.
    public var findingText: String? {
        switch finding {
        case nil: nil
        case "no-gateway": "This machine has no way to the internet now."
        case "vpn": "The way to the internet is a VPN, where no port can be opened."
        case "no-answer":
            "Your router does not answer when it is asked to open a port. Allow PCP, NAT-PMP or UPnP in its settings, often called "
                + "“independent port sharing”."
        case "refused":
            "Your router refuses to open a port. Allow it for this machine in the router’s settings, often called “independent "
                + "port sharing”."
        case "unsupported", "misunderstood":
            "Your router cannot open a port by the ways this program knows. Forward one by hand, and start with `--advertise`."
        case "exhausted": "Your router has no room for another open port. Remove one in its settings, or restart it."
        case "offline": "Your router says that it has no connection to the internet now."
        case "port-taken": "The port is taken at your router. Start with another one: `--listen 0.0.0.0:PORT`."
        case "second-router":
            "There is a second router between this machine and the one that answers. Connect to one router only."
        case "carrier-nat":
            "Your router has no address of its own on the internet: your provider or another router shares one. Ask the provider "
                + "for IPv6 or an address, or have one friend’s machine always on."
        case let other?: "No port is open: \(other)."
        }
    }
}
