public import StreakWire

/// The longest title, in bytes of UTF-8. Characters are counted only where a title is made: their number depends on the
/// version of Unicode, and all nodes must agree.
let maximumTitleSize = 240

extension OperationBody {
    func write(to writer: inout WireWriter) {
        switch self {
        case .found(let founding):
            writer.writeText(founding.title)
            founding.certificate.write(to: &writer)
            founding.settings.write(to: &writer)
            writer.write(UInt8(founding.isPair ? 1 : 0))
            writer.write(founding.accessKeyHash)
            writer.write(founding.nonce)
        case .invite(let terms):
            writer.write(terms.publicKey)
            writer.write(terms.presharedKeyBytes)
            writer.write(terms.maximumUses)
            writer.write(UInt64(bitPattern: terms.expiresAt))
            writer.write(UInt8(terms.needsApproval ? 1 : 0))
        case .revokeInvite(let invite):
            writer.write(invite)
        case .request(let claim), .admit(let claim):
            writer.write(claim.invite)
            claim.certificate.write(to: &writer)
            claim.proof.write(to: &writer)
        case .addDevice(let certificate):
            certificate.write(to: &writer)
        case .revokeDevice(let revocation):
            revocation.write(to: &writer)
        case .setRole(let change):
            writer.write(change.user)
            writer.write(change.change.rawValue)
            DeviceCut.writeList(change.cuts, to: &writer)
        case .transfer(let transfer):
            writer.write(transfer.newOwner)
            DeviceCut.writeList(transfer.cuts, to: &writer)
        case .remove(let removal):
            writer.write(removal.user)
            DeviceCut.writeList(removal.cuts, to: &writer)
            writer.write(removal.accessKeyHash)
        case .leave(let departure):
            writer.write(UInt8(departure.erases ? 1 : 0))
            DeviceCut.writeList(departure.cuts, to: &writer)
        case .rename(let title):
            writer.writeText(title)
        case .settings(let settings):
            settings.write(to: &writer)
        }
    }

    init(_ kind: Kind, from reader: inout WireReader) throws(WireError) {
        switch kind {
        case .found: self = .found(try Founding(from: &reader))
        case .invite: self = .invite(try InviteTerms(from: &reader))
        case .revokeInvite: self = .revokeInvite(try reader.readIdentifier())
        case .request: self = .request(try JoinClaim(from: &reader))
        case .admit: self = .admit(try JoinClaim(from: &reader))
        case .addDevice: self = .addDevice(try DeviceCertificate(from: &reader))
        case .revokeDevice: self = .revokeDevice(try DeviceRevocation(from: &reader))
        case .setRole: self = .setRole(try RoleChange(from: &reader))
        case .transfer:
            self = .transfer(
                Transfer(newOwner: try reader.readIdentifier(), cuts: try DeviceCut.readList(from: &reader)))
        case .remove:
            self = .remove(
                Removal(
                    user: try reader.readIdentifier(), cuts: try DeviceCut.readList(from: &reader),
                    accessKeyHash: try reader.readBytes32()))
        case .leave:
            self = .leave(
                Departure(
                    erases: try reader.readFlag(field: "erases"), cuts: try DeviceCut.readList(from: &reader)))
        case .rename: self = .rename(try reader.readTitle())
        case .settings: self = .settings(try GroupSettings(from: &reader))
        }
    }
}

extension WireReader {
    fileprivate mutating func readTitle() throws(WireError) -> String {
        let title = try readText(maximum: maximumTitleSize)
        guard !title.isEmpty else { throw .invalidValue(field: "title") }
        return title
    }
}

extension Founding {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(
            title: try reader.readTitle(), certificate: try DeviceCertificate(from: &reader),
            settings: try GroupSettings(from: &reader), isPair: try reader.readFlag(field: "pair"),
            accessKeyHash: try reader.readBytes32(),
            nonce: try reader.readBytes16())
    }
}

extension InviteTerms {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(
            publicKey: try reader.readSigningKey(), presharedKeyBytes: try reader.readBytes32(),
            maximumUses: try reader.readUInt32(), expiresAt: Int64(bitPattern: try reader.readUInt64()),
            needsApproval: try reader.readFlag(field: "needs approval"))
    }
}

extension JoinClaim {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        self.init(
            invite: try reader.readIdentifier(), certificate: try DeviceCertificate(from: &reader),
            proof: try JoinProof(from: &reader))
    }
}

extension DeviceRevocation {
    /// The canonical bytes, as in the body of a `revoke-device`.
    public func encoded() -> [UInt8] {
        var writer = WireWriter(reserving: 1_280)
        write(to: &writer)
        return writer.bytes
    }

    /// Reads a revocation that is all of `bytes`. The signature is not checked yet: see `isValid`.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        try self.init(from: &reader)
        try reader.finish()
    }

    fileprivate func write(to writer: inout WireWriter) {
        writer.write(user)
        writer.write(scope.rawValue)
        cut.write(to: &writer)
        Self.write(keptLinks, to: &writer)
        writer.write(accessKeyHash)
        writer.write(accountSignature)
    }

    fileprivate init(from reader: inout WireReader) throws(WireError) {
        let user: UserID = try reader.readIdentifier()
        guard let scope = Scope(rawValue: try reader.readUInt8()) else { throw .invalidValue(field: "scope") }
        let cut = try DeviceCut(from: &reader)
        guard scope == .group || cut.lastOperation == .none && cut.feeds.isEmpty else {
            throw .invalidValue(field: "cut")
        }
        var keptLinks: [Bytes32] = []
        for _ in 0..<(try reader.readCount(maximum: Self.maximumKeptLinks)) {
            let link = try reader.readBytes32()
            if let last = keptLinks.last, last >= link { throw .invalidValue(field: "kept links") }
            keptLinks.append(link)
        }
        self.init(
            user: user, scope: scope, cut: cut, keptLinks: keptLinks, accessKeyHash: try reader.readBytes32(),
            accountSignature: try reader.readSignature())
    }
}

extension RoleChange {
    fileprivate init(from reader: inout WireReader) throws(WireError) {
        let user: UserID = try reader.readIdentifier()
        guard let change = Change(rawValue: try reader.readUInt8()) else { throw .invalidValue(field: "role") }
        let cuts = try DeviceCut.readList(from: &reader)
        guard change == .member || cuts.isEmpty else { throw .invalidValue(field: "cuts") }
        self.init(user: user, change: change, cuts: cuts)
    }
}
