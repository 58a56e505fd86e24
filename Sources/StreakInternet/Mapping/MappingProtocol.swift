/// How a router was asked to open a port.
public enum MappingProtocol: String, CaseIterable, Sendable {
    /// RFC 6887.
    case pcp
    /// RFC 6886.
    case natPMP = "nat-pmp"
    /// UPnP Internet Gateway Device, versions 1 and 2.
    case upnp
}
