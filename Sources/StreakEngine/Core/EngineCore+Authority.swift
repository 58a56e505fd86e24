import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// Who is who, and what may be said to whom: every answer follows from the ledgers and from what links have proven.
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

    func friendGroup(with user: UserID) -> GroupID? { friendGroups.first { $0.friend == user }?.group }

    /// Whether a ledger held here says that the account has given up a certificate's device, or one that issued it and whose
    /// word it did not keep. Not every group of the account knows every device.
    func isRevokedAnywhere(_ certificate: DeviceCertificate) -> Bool {
        groups.keys.contains { groups[$0]?.ledger.isRevoked(certificate) ?? false }
    }

    /// The operation because of which nobody who counts has let this device into a group.
    func exclusion(from group: GroupID) -> OperationID? {
        groups[group]?.ledger.exclusion(of: identity.linkKey.publicKey)
    }

    /// Where this device keeps what is private; nil before the account has made it.
    var privateGroup: GroupID? { groups.keys.first(where: isPrivate) }

    /// Whether a group is the one that this account's devices keep among themselves.
    func isPrivate(_ group: GroupID) -> Bool { groups[group]?.ledger.privateUser == identity.user }

    /// Whether a device may hear nothing of a private group though that group's ledger knows nothing against it: it is another
    /// account's, or the account has given it up in another group.
    func isShutOut(_ device: GroupState.Device, of group: GroupID) -> Bool {
        isPrivate(group) && isForeign(device)
    }

    /// Whether the account has given this device up, by any ledger that it holds.
    var isShutOut: Bool { isRevokedAnywhere(identity.certificate) }

    /// Whether the account has given up a device by its word for every group, though a ledger may not show it.
    func isGivenUp(_ certificate: DeviceCertificate) -> Bool {
        certificate.user == identity.user && certificate.isRevoked(by: generalRevocations)
    }

    /// Whether a device is no machine of this account, or none any more, whatever one ledger says.
    func isForeign(_ device: GroupState.Device) -> Bool {
        device.user != identity.user || isRevokedAnywhere(device.certificate)
    }

    /// The account of a link key that is a current member's in any group that this device has to do with.
    func member(withKey key: AgreementPublicKey) -> UserID? {
        for id in groups.keys where takesPart(in: id) {
            if let device = groups[id]?.state.device(linkKey: key), device.isCurrent { return device.user }
        }
        return nil
    }

    /// The device that has this link key in any group.
    func deviceID(of key: AgreementPublicKey) -> DeviceID? {
        for id in groups.keys {
            if let device = groups[id]?.state.device(linkKey: key) { return device.device }
        }
        return nil
    }

    /// Whether the peer may be asked for a ledger: a stranger, a member, or another device of this account.
    func mayKnowMore(_ link: LinkID, of group: GroupID) -> Bool {
        guard let device = standing(of: link, in: group) else { return true }
        return device.isCurrent || leadsToOwnDevice(link)
    }

    func standing(of link: LinkID, in group: GroupID) -> GroupState.Device? {
        guard let session = sessions[link] else { return nil }
        return groups[group]?.state.device(linkKey: session.key)
    }

    /// Whether the ledger lets a group's data flow on a link: both ends are current members, and both proved its key.
    func isAuthorised(_ link: LinkID, in group: GroupID) -> Bool {
        isCurrentMember(of: group) && isPeerCurrent(link, in: group)
    }

    /// Whether the device at the other end is a current member and has proven the group's key.
    func isPeerCurrent(_ link: LinkID, in group: GroupID) -> Bool {
        guard sessions[link]?.groups[group] != nil, let device = standing(of: link, in: group), device.isCurrent else {
            return false
        }
        return !isShutOut(device, of: group)
    }

    func isCurrentMember(of group: GroupID) -> Bool {
        groups[group]?.state.isCurrentMember(device: identity.device) ?? false
    }

    /// Whether this device has to do with a group: as a member, or as one who left and has not been heard yet.
    func takesPart(in group: GroupID) -> Bool { isCurrentMember(of: group) || places.farewells.contains(group) }

    /// Whether this device answers under a group's keys: also where it was removed, for a removal may be annulled, and only
    /// others know. Whoever has left, and was heard, is silent.
    func listens(in group: GroupID) -> Bool {
        if takesPart(in: group) { return true }
        guard let state = groups[group]?.state else { return false }
        guard let device = state.device(identity.device) else { return exclusion(from: group) != nil }
        return !state.removedUsers.contains { $0.user == device.user && $0.hasLeft }
    }

    /// Whether a group is owned up to on a link. Machines of one account tell each other also of groups that it has left: one
    /// of them may have come back.
    func speaks(of group: GroupID, over link: LinkID) -> Bool { listens(in: group) || leadsToOwnDevice(link) }

    /// Whether a current device of this account is at the other end, of a group that this device is in, too.
    func leadsToOwnDevice(_ link: LinkID) -> Bool {
        guard let key = sessions[link]?.key else { return false }
        return groups.keys.contains { group in
            guard isCurrentMember(of: group), let device = groups[group]?.state.device(linkKey: key) else {
                return false
            }
            return device.isCurrent && device.user == identity.user
        }
    }

    /// The groups that may be talked about on a link.
    func sharedGroups(on link: LinkID) -> [GroupID] {
        (sessions[link]?.groups.keys.sorted() ?? []).filter { isAuthorised(link, in: $0) }
    }

    /// The links on which a group may be talked about.
    func links(sharing group: GroupID) -> [LinkID] {
        sessions.keys.filter { isAuthorised($0, in: group) }
    }

    /// Whether one more request to be let in, certified or befriended is looked at: each costs signature checks.
    mutating func takeRequest(of link: LinkID) -> Bool { sessions[link]?.takeRequest(at: now) ?? false }

    func provenGroup(_ handle: GroupHandle, over link: LinkID) -> GroupID? {
        sessions[link]?.groups.keys.sorted().first { GroupHandle($0) == handle }
    }

    /// The keys under which links of a group are opened, newest first.
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

    /// On how many links a group may be talked about, counted up to `most`.
    func linkCount(of group: GroupID, upTo most: Int) -> Int {
        guard isCurrentMember(of: group) else { return 0 }
        return sessions.keys.lazy.filter { isPeerCurrent($0, in: group) }.prefix(most).count
    }

    /// The group a handle names on this link, if its data may flow.
    func authorisedGroup(_ handle: GroupHandle, over link: LinkID) -> GroupID? {
        provenGroup(handle, over: link).flatMap { isAuthorised(link, in: $0) ? $0 : nil }
    }
}
