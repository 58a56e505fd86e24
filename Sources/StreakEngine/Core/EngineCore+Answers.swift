import StreakCrypto
import StreakLinks
import StreakMembership
import StreakReplication
import StreakWire

/// What answers cost: a question of fifty bytes may be answered by a quarter of a megabyte, and asked again at once.
///
/// Each device of a group is sent one copy of what is here for nothing, in whatever parts it asks for them. All beyond that,
/// and all that is no part of a copy, its account pays for. So catching up is never slowed, and who repeats itself runs out.
struct AnswerMeter: Sendable {
    /// What a device was sent of a group.
    private struct Copy: Hashable {
        let device: AgreementPublicKey
        let group: GroupID
    }

    private struct Portion {
        var sent = 0
        /// The size of what was here when that was looked at last, and the digest then.
        var size = 0
        var digest: GroupDigest?
    }

    /// The answer that is being given.
    struct Answer: Sendable {
        let link: LinkID
        let payer: PeerAbuseBudget.Payer
        /// What it costs to find, however short it is.
        var work: Int
        /// Bytes said.
        var size = 0
    }

    /// What a question costs at least, in bytes.
    static let questionWeight = 1_024
    /// What a look at all records of a run weighs: up to a millisecond.
    static let comparisonWeight = 4_096
    /// What it weighs to look for missing operations, for each that is here.
    static let operationWeight = 4

    var answer: Answer?
    /// By devices that ledgers name, and so bounded as those are.
    private var portions: [Copy: Portion] = [:]

    /// How many of some bytes, which are part of a copy, are to be paid for.
    mutating func surplus(_ count: Int, sentTo device: AgreementPublicKey, of replica: GroupReplica) -> Int {
        let copy = Copy(device: device, group: replica.id)
        var portion = portions[copy] ?? Portion()
        portion.sent += count
        if portion.sent > portion.size, portion.digest != replica.digest {
            portion.size = replica.servedSize
            portion.digest = replica.digest
        }
        portions[copy] = portion
        return min(count, max(0, portion.sent - portion.size))
    }
}

extension LinkMessage {
    /// What answering it costs at least, and whether the answer is part of a copy of the group; nil where nothing is said in
    /// answer, or other budgets bound that.
    fileprivate var answerCost: (work: Int, isPartOfCopy: Bool)? {
        switch self {
        case .operationsRequested, .runsRequested: (AnswerMeter.questionWeight, true)
        case .hello, .tipsRequested, .accessKeysRequested: (AnswerMeter.questionWeight, false)
        case .digest: (0, false)
        case .tips, .operations, .runs, .rumour, .rumourAcknowledged, .joinRequested, .welcome, .joinRefused,
            .accessKeys, .presence, .friend, .whereabouts, .seenAt:
            nil
        }
    }
}

extension EngineCore {
    /// Begins to count what is said in answer to a message. False where who pays has nothing left: then it is not answered.
    mutating func beginAnswer(to message: LinkMessage, over link: LinkID) -> Bool {
        answers.answer = nil
        return message.answerCost.map { beginAnswer(over: link, work: $0.work) } ?? true
    }

    mutating func beginAnswer(over link: LinkID, work: Int = 0) -> Bool {
        let payer = payer(of: link)
        guard budget.admits(.answers, of: payer, at: now) else {
            publish(.overBudget(.answers))
            return false
        }
        answers.answer = AnswerMeter.Answer(link: link, payer: payer, work: work)
        return true
    }

    /// Has an answer paid for that was begun.
    mutating func endAnswer(to message: LinkMessage, of group: GroupID?) {
        guard let answer = answers.answer, let cost = message.answerCost else { return }
        var size = answer.size
        if cost.isPartOfCopy, let group, let replica = groups[group], let key = sessions[answer.link]?.key,
            access(of: answer.link, in: group).contains(.ledger)
        {
            size = answers.surplus(size, sentTo: key, of: replica)
        }
        endAnswer(size: size)
    }

    /// Has an answer paid for that is part of no copy.
    mutating func endAnswer() { endAnswer(size: answers.answer?.size ?? 0) }

    private mutating func endAnswer(size: Int) {
        guard let answer = answers.answer else { return }
        answers.answer = nil
        _ = charge(.answers, answer.work + size, to: answer.payer)
    }
}
