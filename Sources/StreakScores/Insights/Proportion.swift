/// A part of a whole. Nothing of nothing is not 0 % but unknown.
public struct Proportion: Hashable, Sendable {
    public var part: Int
    public var whole: Int

    public init(_ part: Int, of whole: Int) {
        self.part = part
        self.whole = whole
    }

    /// 0…100, rounded half up; `nil` of nothing.
    public var percent: Int? {
        guard whole > 0 else { return nil }
        let bounded = min(max(part, 0), whole)
        // Divided first where doubling could overflow; a real count comes nowhere near.
        guard whole <= Int.max / 400 else { return bounded / (whole / 100) }
        return (bounded * 200 + whole) / (whole * 2)
    }

    /// "83 %", or "–" of nothing.
    public var label: String { percent.map { "\($0) %" } ?? "–" }
}

/// A mean kept as its parts, so that means add up exactly.
public struct Average: Hashable, Sendable {
    public private(set) var sum: Int
    public private(set) var count: Int

    public init(sum: Int = 0, count: Int = 0) {
        self.sum = sum
        self.count = count
    }

    public mutating func add(_ value: Int) {
        sum &+= value
        count += 1
    }

    /// `nil` of nothing.
    public var value: Double? { count > 0 ? Double(sum) / Double(count) : nil }

    /// As `value`, rounded half up to one decimal; `nil` of nothing.
    public var tenths: Double? {
        guard count > 0, sum >= 0 else { return nil }
        return Double(sum / count) + Double(((sum % count) * 10 + count / 2) / count) / 10
    }

    /// One decimal, rounded half up: "3.5"; "–" of nothing.
    public var label: String {
        guard count > 0, sum >= 0 else { return "–" }
        let tenths = ((sum % count) * 10 + count / 2) / count
        return tenths == 10 ? "\(sum / count + 1).0" : "\(sum / count).\(tenths)"
    }
}
