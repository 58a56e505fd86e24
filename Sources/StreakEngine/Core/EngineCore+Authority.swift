import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Who is who, and what may flow to whom. Every answer follows from the ledgers and from what links have proven.
extension EngineCore {
    /// In order of the groups' IDs.
    var friendGroups: [MeshEngine.FriendGroup] {
        groups.keys.compactMap { id in
            guard isCurrentMember(of: id), let state = groups[id]?.state, state.members.count == 2,
                let friend = state.members.first(where: { $0.user != identity.user })
            else { return nil }
            return MeshEngine.FriendGroup(group: id, friend: friend.user, isPair: state.isPair)
        }
    }

    /// The group of two with a friend by code. Any other group of two may grow.
    func pair(with user: UserID) -> GroupID? { friendGroups.first { $0.friend == user && $0.isPair }?.group }

    /// Whether a ledger here says that the account has revoked a certificate's device, or revoked a device in its chain
    /// and did not keep that link. Not every group of the account knows every device. Of this account, all ledgers are
    /// asked together: a link that any of them keeps is kept.
    func isRevokedAnywhere(_ certificate: DeviceCertificate) -> Bool {
        if certificate.user == identity.user { return accountWord.revocations.revoke(certificate) }
        return groups.keys.contains { groups[$0]?.ledger.isRevoked(certificate) ?? false }
    }

    /// The operation that makes this device's admission to a group count for nothing; nil if there is none.
    func exclusion(from group: GroupID) -> OperationID? {
        groups[group]?.ledger.exclusion(of: identity.linkKey.publicKey)
    }

    /// Whether a group is this account's private group.
    func isPrivate(_ group: GroupID) -> Bool { group == privateGroup }

    /// Whether any ledger here says that the account has revoked this device.
    var isShutOut: Bool { isRevokedAnywhere(identity.certificate) }

    /// Whether the account has revoked a device, as far as the ledgers here say, though another may not show it.
    func isGivenUp(_ certificate: DeviceCertificate) -> Bool {
        certificate.user == identity.user && isRevokedAnywhere(certificate)
    }

    /// Whether the account has revoked any device.
    var hasShutOut: Bool { !accountWord.revocations.isEmpty }

    /// Whether the account has revoked a device itself, and not only one that certified it: what earlier revocations of
    /// that one keep may not have arrived yet.
    func isShutOut(_ device: DeviceID) -> Bool { accountWord.revocations.keptLinks(of: device) != nil }

    /// Whether a device is not, or no longer, a machine of this account, whatever one ledger says.
    func isForeign(_ device: GroupState.Device) -> Bool {
        device.user != identity.user || isRevokedAnywhere(device.certificate)
    }

    /// The account of a link key, if it is a current member in any group that this device knows.
    func member(withKey key: AgreementPublicKey) -> UserID? {
        for id in groups.keys where place(in: id).seeks {
            if let device = groups[id]?.state.device(linkKey: key), device.isCurrent { return device.user }
        }
        return nil
    }

    /// The device at the other end of a link, if a group knows it.
    func device(on link: LinkID, in group: GroupID) -> DeviceID? {
        sessions[link].flatMap { groups[group]?.state.device(linkKey: $0.key)?.device }
    }

    /// The device that has this link key in any group.
    func deviceID(of key: AgreementPublicKey) -> DeviceID? {
        for id in groups.keys {
            if let device = groups[id]?.state.device(linkKey: key) { return device.device }
        }
        return nil
    }

    func isCurrentMember(of group: GroupID) -> Bool {
        groups[group]?.state.isCurrentMember(device: identity.device) ?? false
    }

    // MARK: Who may hear what

    /// What may flow of a group over a link, as `Access.allowed` says.
    func access(of link: LinkID, in group: GroupID) -> Access { access(of: link, in: group, from: place(in: group)) }

    private func access(of link: LinkID, in group: GroupID, from place: Access.Place) -> Access {
        guard let key = sessions[link]?.key, groups[group] != nil else { return [] }
        let access = Access.allowed(to: peer(withKey: key, in: group), from: place)
        return sessions[link]?.groups[group] == nil ? access.intersection(.proofs) : access
    }

    /// This device's place in a group; `outside` for an unknown group.
    func place(in group: GroupID) -> Access.Place {
        guard let state = groups[group]?.state else { return .outside }
        let device = state.device(identity.device)
        if device?.isCurrent ?? false { return .member }
        if places.farewells.contains(group) { return .leaving }
        guard let device else { return exclusion(from: group) == nil ? .outside : .ended }
        return state.removedUsers.contains { $0.user == device.user && $0.hasLeft } ? .outside : .ended
    }

    private func peer(withKey key: AgreementPublicKey, in group: GroupID) -> Access.Peer {
        let device = groups[group]?.state.device(linkKey: key)
        if let device, device.isCurrent {
            let isOwn = device.user == identity.user
            // A thief can have a machine admitted under another account, too. That makes it no other machine.
            if isShutOut(device.device) || (isOwn || isPrivate(group)) && isForeign(device) { return .givenUp }
            return isOwn && (isCurrentMember(of: group) || isOwnDevice(withKey: key)) ? .ownDevice : .member
        }
        if isOwnDevice(withKey: key) { return .ownElsewhere }
        return device == nil ? .unknown : .ended
    }

    /// Whether a link key belongs to a current device of this account in some group that this device is in, too, and no
    /// ledger says that the account has revoked it.
    private func isOwnDevice(withKey key: AgreementPublicKey) -> Bool {
        guard accountWord.linkKeys.contains(key) else { return false }
        func isOwn(in group: GroupID) -> Bool {
            guard isCurrentMember(of: group), let device = groups[group]?.state.device(linkKey: key) else {
                return false
            }
            return device.isCurrent && !isForeign(device)
        }
        // Nearly always the private group shows it.
        return privateGroup.map(isOwn) ?? false || groups.keys.contains(where: isOwn)
    }

    /// The groups about which `flow` is allowed over a link.
    func groups(on link: LinkID, allowing flow: Access) -> [GroupID] {
        (sessions[link]?.groups.keys.sorted() ?? []).filter { access(of: link, in: $0).isSuperset(of: flow) }
    }

    /// The first `limit` links over which `flow` is allowed for a group, ascending.
    func links(of group: GroupID, allowing flow: Access, upTo limit: Int = .max) -> [LinkID] {
        let place = place(in: group)
        var found: [LinkID] = []
        for link in sessions.keys where access(of: link, in: group, from: place).isSuperset(of: flow) {
            guard found.count < limit else { break }
            found.append(link)
        }
        return found
    }

    /// The group that a handle names on a link; of several, the smallest.
    func provenGroup(_ handle: GroupHandle, over link: LinkID) -> GroupID? {
        sessions[link]?.groups.keys.sorted().first { GroupHandle($0) == handle }
    }

    /// The keys for dialling a group's links, newest first.
    func linkKeys(of group: GroupID) -> [LinkKey] {
        let keys = groups[group]?.accessKeys ?? []
        return keys.enumerated().map { index, key in
            LinkKey(
                presharedKey: key.linkPresharedKey, tagKey: key.tagKey,
                label: .access(group, index: keys.count - 1 - index))
        }
    }

    static func linkKey(of presharedKey: SymmetricKey, label: LinkKeyLabel) -> LinkKey {
        LinkKey(
            presharedKey: presharedKey, tagKey: Blake2b.derive(context: "streakmesh/v1/tag-key", from: presharedKey),
            label: label)
    }
}
