/// A part of a whole. If the whole is 0, the proportion is unknown, not 0 %.
public struct Proportion: Hashable, Sendable {
    public var part: Int
    public var whole: Int

    public init(_ part: Int, of whole: Int) {
        self.part = part
        self.whole = whole
    }

    /// 0…100, rounded half up; `nil` if the whole is 0.
    public var percent: Int? {
        guard whole > 0 else { return nil }
        let bounded = min(max(part, 0), whole)
        // Divides first if doubling could overflow. No real count comes near.
        guard whole <= Int.max / 400 else { return bounded / (whole / 100) }
        return (bounded * 200 + whole) / (whole * 2)
    }

    /// "83 %", or "–" if the whole is 0.
    public var label: String { percent.map { "\($0) %" } ?? "–" }
}

/// A mean stored as sum and count, so that means can be added exactly.
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

    /// `nil` if the count is 0.
    public var value: Double? { count > 0 ? Double(sum) / Double(count) : nil }

    /// `value` rounded half up to one decimal; `nil` if the count is 0.
    public var tenths: Double? {
        guard count > 0, sum >= 0 else { return nil }
        return Double(sum / count) + Double(((sum % count) * 10 + count / 2) / count) / 10
    }

    /// One decimal, rounded half up: "3.5"; "–" if the count is 0.
    public var label: String {
        guard count > 0, sum >= 0 else { return "–" }
        let tenths = ((sum % count) * 10 + count / 2) / count
        return tenths == 10 ? "\(sum / count + 1).0" : "\(sum / count).\(tenths)"
    }
}
