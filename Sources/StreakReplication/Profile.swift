public import StreakWire

/// What a user tells a group of themselves: a record of kind `profile` with an empty subject.
///
/// Value: display name, text ≤ 640 bytes · tail, carried. At most 40 grapheme clusters count.
public struct Profile: Hashable, Sendable {
    public var name: String

    public init(name: String) { self.name = name }

    public var recordValue: [UInt8] {
        var writer = WireWriter()
        writer.writeText(name)
        return writer.bytes
    }

    /// Reads a merged record's value.
    public init(value: [UInt8]) throws(WireError) {
        var reader = WireReader(value)
        name = String(try reader.readText(maximum: 640).prefix(ProtocolLimits.maximumNameLength))
    }
}

/// The rule for what people and groups may be called (product rows A1 and B3).
public enum DisplayText {
    /// The text trimmed of white space, or nil where it is empty, longer than `maximumLength` grapheme clusters, or holds
    /// control characters or bidirectional overrides.
    public static func validated(_ text: String, maximumLength: Int) -> String? {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        let trimmed = String(scalars[start...end])
        guard trimmed.count <= maximumLength, trimmed.utf8.count <= 640 else { return nil }
        let isPrintable = trimmed.unicodeScalars.allSatisfy { scalar in
            switch scalar.properties.generalCategory {
            case .control, .lineSeparator, .paragraphSeparator, .surrogate, .unassigned: false
            default: !(0x202A...0x202E).contains(scalar.value) && !(0x2066...0x2069).contains(scalar.value)
            }
        }
        return isPrintable ? trimmed : nil
    }
}
