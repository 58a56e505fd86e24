import StreakMembership

extension LinkMessage {
    /// This message as one or several that a receiver accepts. A list that is too long is split or, if only its newest
    /// entries are useful, shortened.
    ///
    /// Runs are split by size where they are collected.
    var parts: [LinkMessage] {
        switch self {
        case .hello(let store, let proofs):
            return [.hello(store: store, proofs: Array(proofs.prefix(Self.maximumProofs)))]
        case .welcome(let group, let accessKeys):
            // Newest first. A newcomer asks for the others (Protocol/sync.md §7).
            return [.welcome(group: group, accessKeys: Array(accessKeys.prefix(Self.maximumProofs)))]
        case .accessKeysRequested(let group, let hashes):
            return hashes.portions(of: Self.maximumProofs).map { .accessKeysRequested(group, $0) }
        case .accessKeys(let group, let keys):
            return keys.portions(of: Self.maximumProofs).map { .accessKeys(group, $0) }
        case .operationsRequested(let group, let known):
            // The receiver sends what is not named.
            return [.operationsRequested(group, known: Array(known.prefix(Self.maximumTips)))]
        case .tips(let group, let message): return Self.tipsParts(message).map { .tips(group, $0) }
        case .operations(let group, let operations, let isFinal):
            let batches = Self.batches(of: operations)
            return batches.enumerated().map { index, batch in
                .operations(group, batch, isFinal: isFinal && index == batches.count - 1)
            }
        case .presence(let group, let entries):
            return entries.portions(of: Self.maximumPresenceEntries).map { .presence(group, $0) }
        case .whereabouts(let told):
            return told.portions(of: Self.maximumWhereabouts).map { .whereabouts($0) }
        case .digest, .tipsRequested, .runsRequested, .runs, .rumour, .rumourAcknowledged, .joinRequested, .joinRefused,
            .friend, .seenAt:
            return [self]
        }
    }

    private static func tipsParts(_ message: TipsMessage) -> [TipsMessage] {
        let operations = message.operations.portions(of: maximumTips / 2)
        let feeds = message.feeds.portions(of: maximumTips / 2)
        let count = max(operations.count, feeds.count)
        return (0..<count).map { index in
            TipsMessage(
                arrival: message.arrival, isFinal: message.isFinal && index == count - 1,
                operations: index < operations.count ? operations[index] : [],
                feeds: index < feeds.count ? feeds[index] : [])
        }
    }

    private static func batches(of operations: [[UInt8]]) -> [[[UInt8]]] {
        var batches: [[[UInt8]]] = [[]]
        var size = 0
        for operation in operations {
            let last = batches[batches.count - 1]
            if last.count == maximumOperations || !last.isEmpty && size + operation.count > preferredSize {
                batches.append([])
                size = 0
            }
            batches[batches.count - 1].append(operation)
            size += operation.count
        }
        return batches
    }
}

extension Array {
    /// In order, none longer than `count`. A single empty portion if there is nothing.
    fileprivate func portions(of count: Int) -> [[Element]] {
        guard self.count > count else { return [self] }
        return stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}
