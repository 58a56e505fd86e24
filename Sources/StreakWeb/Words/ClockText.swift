public import StreakNode

extension ClockReport {
    /// What there is to say of clocks; nothing where all is well.
    public var sentences: [String] {
        var sentences: [String] = []
        if let seconds {
            let side = state == "ahead" ? "ahead of" : "behind"
            sentences.append("This machine’s clock is \(Self.length(seconds)) \(side) your friends’. Set it right.")
        } else if state == "differs", let other = others.first {
            let side = other.seconds > 0 ? "ahead of" : "behind"
            sentences.append(
                "\(other.name)’s clock is \(Self.length(other.seconds)) \(side) this machine’s: one of the two is wrong."
            )
        } else {
            sentences += others.map { other in
                "\(other.name)’s clock is \(Self.length(other.seconds)) \(other.seconds > 0 ? "ahead" : "behind")."
            }
        }
        if ownWaiting > 0 {
            let count = ownWaiting == 1 ? "One entry" : "\(ownWaiting) entries"
            sentences.append(
                "\(count) of this machine’s count nowhere yet: its clock was ahead when they were written.")
        }
        if waiting > 0 {
            let count = waiting == 1 ? "One entry" : "\(waiting) entries"
            sentences.append("\(count) of friends’ wait for the day they are dated.")
        }
        return sentences
    }

    /// What a repair has done; nil where none was asked for.
    public var repairedText: String? {
        switch repaired {
        case nil: nil
        case 0?: "Nothing of this machine’s had to be dated anew."
        case 1?: "One entry was written anew with today’s time, and counts now."
        case let count?: "\(count) entries were written anew with today’s time, and count now."
        }
    }
}
