public import StreakWire

/// Devices that an account has revoked. A revocation is never taken back, so this only grows.
public struct KnownRevocations: Sendable {
    /// The names of the links that each revoked device signed and that stay valid.
    private var keptLinks: [DeviceID: Set<Bytes32>] = [:]

    public init(_ revocations: [DeviceRevocation] = []) {
        for revocation in revocations { insert(revocation) }
    }

    public var isEmpty: Bool { keptLinks.isEmpty }

    /// - Parameter revocation: one of the same account as all others.
    public mutating func insert(_ revocation: DeviceRevocation) {
        keptLinks[revocation.cut.device, default: []].formUnion(revocation.keptLinks)
    }

    /// The links of a device that stay valid, rising; nil if it is not revoked.
    public func keptLinks(of device: DeviceID) -> [Bytes32]? { keptLinks[device]?.sorted() }

    /// Whether another one revokes one more device, or keeps a link that none of them keeps.
    public func lack(_ revocation: DeviceRevocation) -> Bool {
        guard let kept = keptLinks[revocation.cut.device] else { return true }
        return !kept.isSuperset(of: revocation.keptLinks)
    }

    /// Whether they revoke a certificate's device, or a device in its chain by a link that none of them keeps.
    public func revoke(_ certificate: DeviceCertificate) -> Bool {
        guard !isEmpty else { return false }
        if keptLinks[certificate.device] != nil { return true }
        return certificate.issuers.contains { issuer in
            guard let kept = keptLinks[issuer], let link = certificate.linkName(after: issuer) else { return false }
            return !kept.contains(link)
        }
    }
}
