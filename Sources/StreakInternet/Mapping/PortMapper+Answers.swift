import StreakWire

/// Reads routers' answers and acts on them.
extension PortMapper {
    /// Ignores everything but the router's own answers to what this node asked.
    mutating func receive(_ bytes: [UInt8], from source: Endpoint, at now: Duration, _ outputs: inout [Output]) {
        guard let line, source == line.gateway, let version = bytes.first else { return }
        // Bytes that cannot be read are no answer.
        let answer = try? PCP.answer(bytes)
        if version == PCP.version, let answer {
            receive(answer, at: now, &outputs)
        } else if case .asking(.pcp(.udp), _, _) = phase, answer == .unsupportedVersion {
            refused(.unsupported, at: now, &outputs)
        } else if line.inside.ipv4 != nil, let answer = try? NATPMP.answer(bytes) {  // as above
            receive(answer, at: now, &outputs)
        }
    }

    // MARK: PCP

    private mutating func receive(_ answer: PCP.Answer, at now: Duration, _ outputs: inout [Output]) {
        switch answer {
        case .unsupportedVersion: break
        case .announced(let age): announced(age: age, isNews: false, at: now, &outputs)
        case .mapped(let mapped):
            guard isOwn(mapped.nonce), let transport = MappedTransport(rawValue: mapped.transport),
                mapped.insidePort == line?.inside.port
            else { return }
            let isNew = hasRestarted(age: mapped.epoch, at: now)
            guard case .asking(.pcp(transport), _, _) = phase, mapped.outside.port != 0, mapped.lifetime > 0,
                (mapped.outside.ipv4 != nil) == (line?.inside.ipv4 != nil)
            else { return }
            let grant = Grant(by: .pcp, outside: mapped.outside, lifetime: mapped.lifetime, isNew: isNew)
            opened(transport, grant, at: now, &outputs)
        case .refused(let refusal):
            guard isOwn(refusal.nonce), let transport = MappedTransport(rawValue: refusal.transport) else { return }
            _ = hasRestarted(age: refusal.epoch, at: now)
            guard case .asking(.pcp(transport), _, _) = phase else { return }
            switch transport {
            case .udp: refused(PCP.finding(refusal.result), at: now, &outputs)
            case .tcp:
                mapping?.hasTCP = false
                rest(at: now)
            }
        }
    }

    /// PCP refused the port for datagrams. NAT-PMP may say why, or open it. It has no IPv6.
    private mutating func refused(_ finding: MappingFinding, at now: Duration, _ outputs: inout [Output]) {
        mapping = nil
        note(finding)
        if line?.inside.ipv4 != nil {
            ask(.natPMPAddress, at: now, &outputs)
        } else {
            askUPnP(at: now, &outputs)
        }
    }

    // MARK: NAT-PMP

    private mutating func receive(_ answer: NATPMP.Answer, at now: Duration, _ outputs: inout [Output]) {
        switch answer {
        case .address(let address, let age):
            guard case .asking(.natPMPAddress, _, _) = phase else {
                let isNews = mapping.map { $0.by == .natPMP && $0.outside.address != address.address } ?? false
                return announced(age: age, isNews: isNews, at: now, &outputs)
            }
            _ = hasRestarted(age: age, at: now)
            guard Endpoint(address: address.address, port: .max).mayBeTold else { return fail(.carrierNAT, at: now) }
            natPMPAddress = address
            ask(.natPMP(.udp), at: now, &outputs)
        case .mapped(let transport, let insidePort, let outsidePort, let lifetime, let age):
            guard insidePort == line?.inside.port else { return }
            let isNew = hasRestarted(age: age, at: now)
            guard case .asking(.natPMP(transport), _, _) = phase, let natPMPAddress, outsidePort != 0, lifetime > 0
            else { return }
            let outside = Endpoint(address: natPMPAddress.address, port: outsidePort)
            let grant = Grant(by: .natPMP, outside: outside, lifetime: lifetime, isNew: isNew)
            opened(transport, grant, at: now, &outputs)
        case .refused(let transport, let result, let age):
            _ = hasRestarted(age: age, at: now)
            refused(transport, result, at: now, &outputs)
        }
    }

    private mutating func refused(
        _ transport: MappedTransport?, _ result: UInt16, at now: Duration, _ outputs: inout [Output]
    ) {
        switch (phase, transport) {
        case (.asking(.natPMPAddress, _, _), nil), (.asking(.natPMP(.udp), _, _), .udp?):
            mapping = nil
            let finding = NATPMP.finding(result)
            // The router has no address on the internet, so no protocol can give one.
            if finding == .carrierNAT { return fail(finding, at: now) }
            note(finding)
            askUPnP(at: now, &outputs)
        case (.asking(.natPMP(.tcp), _, _), .tcp?):
            mapping?.hasTCP = false
            rest(at: now)
        case (.idle, _), (.asking, _), (.waitingForUPnP, _), (.resting, _): break
        }
    }

    // MARK: Both

    /// What a router has granted.
    private struct Grant {
        let by: MappingProtocol
        let outside: Endpoint
        let lifetime: UInt32
        /// Whether the router has started since the answer before.
        let isNew: Bool

        func question(_ transport: MappedTransport) -> Question { by == .pcp ? .pcp(transport) : .natPMP(transport) }
    }

    private mutating func opened(
        _ transport: MappedTransport, _ grant: Grant, at now: Duration, _ outputs: inout [Output]
    ) {
        switch transport {
        case .udp:
            guard grant.outside.mayBeTold else {
                delete(grant.question(.udp), &outputs)
                return fail(Self.fault(of: grant.outside), at: now)
            }
            let hadTCP = mapping?.outside == grant.outside && mapping?.hasTCP == true
            mapping = Mapping(
                by: grant.by, outside: grant.outside, hasTCP: hadTCP, ends: now + Self.granted(grant.lifetime))
            ask(grant.question(.tcp), at: now, &outputs)
        case .tcp:
            let isSame = grant.outside.port == mapping?.outside.port
            mapping?.hasTCP = isSame
            if !isSame { delete(grant.question(.tcp), &outputs) }
            // If it has restarted since its answer for datagrams, it has lost that mapping.
            if grant.isNew { beginAgain(at: now, &outputs) } else { rest(at: now) }
        }
    }

    /// A router announced how long it has kept its table of mappings. Asks again if that age or another outside address (`isNews`)
    /// shows that mappings are lost, or if there is no mapping now.
    private mutating func announced(age: UInt32, isNews: Bool, at now: Duration, _ outputs: inout [Output]) {
        let isNew = hasRestarted(age: age, at: now)
        guard case .resting = phase, isNew || isNews || mapping == nil else { return }
        beginAgain(at: now, &outputs)
    }
}
