public import StreakWire

/// What an account says about devices it has revoked.
extension Ledger {
    /// An account's revocations in this ledger, whether or not they count, in a fixed order.
    public func revocations(of user: UserID) -> [DeviceRevocation] {
        (introductions.revocations[user] ?? []).sorted(by: LedgerNode.inOrder).compactMap { node in
            guard case .revokeDevice(let revocation) = node.body else { return nil }
            return revocation
        }
    }

    /// Whether the account revoked a certificate's device, or a device in its chain by a link that the revocation does
    /// not keep.
    public func isRevoked(_ certificate: DeviceCertificate) -> Bool {
        introductions.revocations[certificate.user] != nil
            && KnownRevocations(revocations(of: certificate.user)).revoke(certificate)
    }

    /// The certificates that are published for an account, whether or not they count.
    public func certificates(of user: UserID) -> [DeviceCertificate] {
        introductions.byUser[user]?.map(\.certificate) ?? []
    }

    /// Whether a certificate of a device for an account is published, whether or not it counts.
    public func isPublished(_ device: DeviceID, for user: UserID) -> Bool {
        introductions.byUser[user]?.contains { $0.certificate.device == device } ?? false
    }

    /// Whether an account has revoked a device here, for this group or for every group.
    public func hasRevoked(_ device: DeviceID, by user: UserID) -> Bool {
        revocations(of: user).contains { $0.cut.device == device }
    }

    /// The links that a device signed and that lead to current devices: those its revocation should keep. Rising.
    public func keptLinks(revoking device: DeviceID, of user: UserID) -> [Bytes32] {
        let links = (introductions.byUser[user] ?? []).filter { state.isCurrentMember(device: $0.certificate.device) }
            .compactMap { $0.certificate.linkName(after: device) }
        return Set(links).sorted()
    }

    /// Whether every revocation of this device known here is one for every group, which keeps nothing of the device's
    /// operations. A revocation for this group may keep some.
    public func isRevokedOnlyEverywhere(_ device: DeviceID, of user: UserID) -> Bool {
        let known = revocations(of: user).filter { $0.cut.device == device }
        return !known.isEmpty && known.allSatisfy { $0.scope == .everyGroup }
    }

    /// Whether this ledger has a revocation of the device for every group.
    public func isRevokedEverywhere(_ device: DeviceID, of user: UserID) -> Bool {
        revocations(of: user).contains { $0.cut.device == device && $0.scope == .everyGroup }
    }

    /// Whether a revocation of a device that is not current here would still change something.
    func lacks(_ revocation: DeviceRevocation) -> Bool {
        let device = revocation.cut.device
        if KnownRevocations(revocations(of: revocation.user)).lack(revocation) { return true }
        guard revocation.scope == .everyGroup else { return isRevokedOnlyEverywhere(device, of: revocation.user) }
        return !isRevokedEverywhere(device, of: revocation.user)
    }
}
