import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What the user wants done.
extension MeshEngine {
    mutating func join(_ link: InviteLink, timeout: Duration, pair: UserID? = nil, command: CommandID) {
        admission.join(
            link, timeout: timeout, pair: pair, tellers: sync.tellers(of: link.group), command: command, core: &core)
    }

    mutating func carryOut(_ command: Command, id: CommandID) {
        switch command {
        case .foundGroup(let title):
            core.foundGroup(title: title, id: id)
        case .write(let writes):
            core.writeAll(writes, id: id)
        case .retract:
            core.retract(id: id)
        case .invite(let group, let uses, let lifetime, let needsApproval):
            core.makeInvite(
                to: group, uses: uses, lifetime: lifetime, needsApproval: needsApproval,
                addresses: reachability.inviteAddresses(of: group, core: core), id: id)
        case .revokeInvite(let group, let invite):
            core.author(.revokeInvite(invite), in: group, id: id)
        case .leave(let group, let erasing):
            core.leave(group, erasing: erasing, id: id)
        case .join(let link, let timeout):
            guard link.purpose == .join else { return core.complete(id, .failed(.deviceRefused(.unknownLink))) }
            join(link, timeout: timeout, command: id)
        case .forgetGroup(let group):
            core.forget(group, then: [.complete(id, .done)])
        case .keepSetting(let name, let value):
            core.storeSetting(name, value, then: [.complete(id, .done)])
        case .keepRows(let rows):
            var change = DurableChange()
            change.local = rows
            core.persist(change, then: [.complete(id, .done)])
        case .dialEveryone:
            lookForEverybody()
            core.complete(id, .done)
        case .dialAddresses(let endpoints):
            reachability.name(endpoints, core: &core)
            core.complete(id, .done)
        case .openPrivateGroup(let accountKey): core.openPrivateGroup(accountKey: accountKey, id: id)
        case .rename(let group, let title): core.author(.rename(title), in: group, id: id)
        case .changeSettings(let group, let settings): core.author(.settings(settings), in: group, id: id)
        case .setRole(let group, let user, let change): core.setRole(change, of: user, in: group, id: id)
        case .transfer(let group, let heir): core.transfer(group, to: heir, id: id)
        case .remove(let group, let user, let keepsOthers):
            core.remove(user, from: group, keepingOthersInvites: keepsOthers, id: id)
        case .annul(let group, let removal): core.annul(removal, in: group, id: id)
        case .admit(let group, let request): core.admit(request, to: group, id: id)
        case .denyRequest(let group, let request): core.deny(request, in: group, id: id)
        case .revokeDevice(let device, let accountKey): core.revoke(device, accountKey: accountKey, id: id)
        case .linkDevice:
            let addresses = core.privateGroup.map { reachability.inviteAddresses(of: $0, core: core) } ?? []
            admission.linkDevice(addresses: addresses, id: id, core: &core)
        case .requestDevice(let link, let timeout):
            admission.requestDevice(link, timeout: timeout, id: id, core: &core)
        case .setAnswersToCode(let keys): friends.setAnswersToCode(keys, id: id, core: &core)
        case .addFriend(let keys, let name): friends.addFriend(keys, name: name, id: id, core: &core)
        case .cancelFriend(let code): friends.cancelFriend(code, id: id, core: &core)
        case .approveFriend(let user, let name): friends.approveFriend(user, name: name, id: id, core: &core)
        case .declineFriend(let user): friends.declineFriend(user, id: id, core: &core)
        case .blockFriend(let user, let name): friends.block(user, name: name, id: id, core: &core)
        case .unblockFriend(let user): friends.unblock(user, id: id, core: &core)
        case .acceptReturn(let group): admission.acceptReturn(group, id: id, core: &core)
        case .declineReturn(let group): admission.declineReturn(group, id: id, core: &core)
        }
    }
}
