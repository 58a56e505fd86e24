/// An address as people write it: `HOST:PORT` or `[IPV6]:PORT`, where an IPv6 address may end in `%` and its interface.
public struct HostPort: Sendable, Equatable {
    /// A name or an address, without brackets; 1 to 293 visible ASCII characters.
    public let host: String
    public let port: UInt16

    /// Nil for any other text. Whether the name exists is not asked.
    public init?(_ text: String) {
        guard text.utf8.count <= 300, let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let port = UInt16(digits) else { return nil }
        var host = text[..<colon]
        if host.hasPrefix("[") && host.hasSuffix("]") {
            host = host.dropFirst().dropLast()
            guard host.contains(":") else { return nil }
        } else if host.contains(":") {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ (0x21...0x7E).contains($0) && $0 != 0x5B && $0 != 0x5D })
        else { return nil }
        self.host = String(host)
        self.port = port
    }
}
