public import StreakWire

/// What an account says of the devices it gave up.
extension Ledger {
    /// An account's revocations in this ledger, whether or not they count, in the order that is one for everybody.
    public func revocations(of user: UserID) -> [DeviceRevocation] {
        (introductions.revocations[user] ?? []).sorted(by: LedgerNode.inOrder).compactMap { node in
            guard case .revokeDevice(let revocation) = node.body else { return nil }
            return revocation
        }
    }

    /// Whether the account gave up a certificate's device, or one that the certificate leads through by a link it did not keep.
    public func isRevoked(_ certificate: DeviceCertificate) -> Bool {
        certificate.isRevoked(by: revocations(of: certificate.user))
    }

    /// The links that a device has signed of what are current devices here: what its revocation should keep. Rising.
    public func keptLinks(revoking device: DeviceID, of user: UserID) -> [Bytes32] {
        let links = (introductions.byUser[user] ?? []).filter { state.isCurrentMember(device: $0.certificate.device) }
            .compactMap { $0.certificate.linkName(after: device) }
        return Set(links).sorted()
    }

    /// Whether all this ledger knows of a device's revocation is the account's word for every group, which leaves nothing of
    /// what the device did here. One for this group may leave more.
    public func isRevokedOnlyEverywhere(_ device: DeviceID, of user: UserID) -> Bool {
        let known = revocations(of: user).filter { $0.cut.device == device }
        return !known.isEmpty && known.allSatisfy { $0.scope == .everyGroup }
    }

    /// Whether this ledger holds the account's word for every group about a device.
    public func isRevokedEverywhere(_ device: DeviceID, of user: UserID) -> Bool {
        revocations(of: user).contains { $0.cut.device == device && $0.scope == .everyGroup }
    }

    /// Whether a revocation of a device that is not current here still does something.
    func lacks(_ revocation: DeviceRevocation) -> Bool {
        let device = revocation.cut.device
        guard revocation.scope == .everyGroup else { return isRevokedOnlyEverywhere(device, of: revocation.user) }
        return !isRevokedEverywhere(device, of: revocation.user)
    }
}

extension DeviceCertificate {
    /// Whether words of its account give up the device, or one that the certificate leads through by a link that none of them
    /// keeps.
    public func isRevoked(by revocations: [DeviceRevocation]) -> Bool {
        if revocations.contains(where: { $0.cut.device == device }) { return true }
        return issuers.contains { issuer in
            let revoking = revocations.filter { $0.cut.device == issuer }
            guard !revoking.isEmpty, let link = linkName(after: issuer) else { return false }
            return !revoking.contains { $0.keptLinks.contains(link) }
        }
    }
}
