import StreakGames
public import StreakWire

/// What a user shows a group about themselves: a record of kind `profile` with an empty subject.
///
/// Value: name, text ≤ 640 bytes, of which at most 40 grapheme clusters count; then, where there is anything to say of it,
/// flags u8 (1 anonymous, 2 hidden, 4 last seen hidden; others are carried) and region, text ≤ 64 bytes, of which at most
/// 16 grapheme clusters count · tail, carried.
public struct Profile: RecordValue {
    public static let kind = RecordKind.profile.rawValue

    /// The alias where the user is anonymous.
    public var name: String
    /// Uses an alias in this group, and is shown without anything that identifies the account.
    public var isAnonymous: Bool
    /// Opted out of this group's leaderboards.
    public var isHidden: Bool
    /// Does not show others when they were last online.
    public var isLastSeenHidden: Bool
    /// Free text such as `FR`; empty for none.
    public var region: String

    /// The longest region, in grapheme clusters.
    public static let maximumRegionLength = 16

    private static let anonymousFlag: UInt8 = 1
    private static let hiddenFlag: UInt8 = 2
    private static let lastSeenFlag: UInt8 = 4

    public init(
        name: String, isAnonymous: Bool = false, isHidden: Bool = false, isLastSeenHidden: Bool = false,
        region: String = ""
    ) {
        self.name = name
        self.isAnonymous = isAnonymous
        self.isHidden = isHidden
        self.isLastSeenHidden = isLastSeenHidden
        self.region = region
    }

    public var recordSubject: [UInt8] { [] }

    public var recordValue: [UInt8] {
        var writer = WireWriter()
        writer.writeText(name)
        let flags =
            (isAnonymous ? Self.anonymousFlag : 0) | (isHidden ? Self.hiddenFlag : 0)
            | (isLastSeenHidden ? Self.lastSeenFlag : 0)
        if flags != 0 || !region.isEmpty {
            writer.write(flags)
            writer.writeText(region)
        }
        return writer.bytes
    }

    /// Reads a merged record; there is one profile of a user, and its subject is empty.
    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        guard subject.isEmpty else { throw .trailingBytes(count: subject.count) }
        try self.init(value: value)
    }

    /// Reads a merged record's value.
    public init(value: [UInt8]) throws(WireError) {
        var reader = WireReader(value)
        name = String(try reader.readText(maximum: 640).prefix(ProtocolLimits.maximumNameLength))
        let flags = reader.remainingCount > 0 ? try reader.readUInt8() : 0
        isAnonymous = flags & Self.anonymousFlag != 0
        isHidden = flags & Self.hiddenFlag != 0
        isLastSeenHidden = flags & Self.lastSeenFlag != 0
        region =
            reader.remainingCount > 0
            ? String(try reader.readText(maximum: 64).prefix(Self.maximumRegionLength)) : ""
    }

    /// The profile as it may be shown: without what its texts must not hold. Nil where its name is none.
    public var shown: Profile? {
        let limit = ProtocolLimits.maximumNameLength
        guard let name = DisplayText.validatedName(name, maximumLength: limit) else { return nil }
        var profile = self
        profile.name = name
        profile.region = DisplayText.validated(region, maximumLength: Self.maximumRegionLength) ?? ""
        return profile
    }
}

/// The rule for names of people and groups.
public enum DisplayText {
    /// The text without surrounding white space; nil if it shows nothing, is longer than `maximumLength` grapheme
    /// clusters, or has control characters or bidirectional marks and overrides.
    ///
    /// - Parameter maximumSize: in bytes of UTF-8: one grapheme cluster may be a megabyte of combining marks.
    public static func validated(_ text: String, maximumLength: Int, maximumSize: Int = 640) -> String? {
        let scalars = text.unicodeScalars
        guard let start = scalars.firstIndex(where: { !$0.properties.isWhitespace }),
            let end = scalars.lastIndex(where: { !$0.properties.isWhitespace })
        else { return nil }
        let trimmed = String(scalars[start...end])
        guard trimmed.count <= maximumLength, trimmed.utf8.count <= maximumSize else { return nil }
        return trimmed.isVisible && trimmed.unicodeScalars.allSatisfy(isAllowed) ? trimmed : nil
    }

    /// Somebody else's text as it is displayed if nothing better is known: forbidden characters are removed and the
    /// rest is cut to the limit; “?” if nothing remains.
    public static func shown(_ text: String, maximumLength: Int, maximumSize: Int = 640) -> String {
        if let text = validated(text, maximumLength: maximumLength, maximumSize: maximumSize) { return text }
        let allowed = String(String.UnicodeScalarView(text.unicodeScalars.filter(isAllowed)))
        var kept = ""
        for character in allowed.drop(while: \.isWhitespace).prefix(maximumLength) {
            guard kept.utf8.count + character.utf8.count <= maximumSize else { break }
            kept.append(character)
        }
        return validated(kept, maximumLength: maximumLength, maximumSize: maximumSize) ?? "?"
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .surrogate, .unassigned: false
        default: !scalar.isSteering
        }
    }
}
