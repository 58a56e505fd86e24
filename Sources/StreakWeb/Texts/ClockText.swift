public import StreakNode

extension ClockReport {
    /// Warnings about clocks; empty if all is well.
    public var sentences: [String] {
        var sentences: [String] = []
        if let seconds {
            let side = state == "ahead" ? "ahead of" : "behind"
            sentences.append("This machine’s clock is \(Self.length(seconds)) \(side) your friends’. Set it right.")
        } else if state == "differs", let other = others.first {
            let side = other.seconds > 0 ? "ahead of" : "behind"
            sentences.append(
                "\(other.name)’s clock is \(Self.length(other.seconds)) \(side) this machine’s. One of the two is wrong."
            )
        } else {
            sentences += others.map { other in
                "\(other.name)’s clock is \(Self.length(other.seconds)) \(other.seconds > 0 ? "ahead" : "behind")."
            }
        }
        if ownWaiting > 0 {
            sentences.append(
                ownWaiting == 1
                    ? "One entry of this machine does not count yet: the clock was ahead when it was written."
                    : "\(ownWaiting) entries of this machine do not count yet: the clock was ahead when they were written."
            )
        }
        if waiting > 0 {
            sentences.append(
                waiting == 1
                    ? "One entry of a friend has a date in the future, and counts from then on."
                    : "\(waiting) entries of friends have dates in the future, and count from then on.")
        }
        return sentences
    }

    /// What a repair has done; nil if none was requested.
    public var repairedText: String? {
        switch repaired {
        case nil: nil
        case 0?: "No entry of this machine needed a new date."
        case 1?: "One entry has today’s date now, and counts."
        case let count?: "\(count) entries have today’s date now, and count."
        }
    }
}
