import StreakLinks
import StreakMembership
import StreakWire

@testable import StreakEngine

extension MeshEngine {
    /// Makes the friends machine do something of its own.
    mutating func drive(_ body: (inout Friends, inout EngineCore) -> Void) { body(&friends, &core) }

    /// Publishes a device of this account in every group that lacks it, as linking it does.
    mutating func addDevice(_ certificate: DeviceCertificate) throws {
        for group in core.groups.keys {
            guard let state = core.groups[group]?.state, state.isMember(certificate.user),
                state.device(certificate.device) == nil
            else { continue }
            try core.append([.addDevice(certificate)], to: group)
        }
    }
}

extension EngineNetwork {
    mutating func addDevice(_ certificate: DeviceCertificate, at index: Int) throws {
        try corrupt(index) { try $0.addDevice(certificate) }
        begin(.dialEveryone, at: index)
        run(for: .seconds(1))
    }
}

extension CommandOutcome {
    var group: GroupID? { if case .group(let group) = self { group } else { nil } }
}
