/// An admin's removal of a member that the owner can annul, and what would come of that.
public struct AnnulmentReport: Codable, Sendable, Equatable {
    public var id: String
    /// Who was removed.
    public var removed: PersonReport
    /// The admin who did it, and who becomes a plain member.
    public var admin: PersonReport
    /// When, ISO 8601 in UTC by the admin's clock.
    public var at: String
    /// Whether who was removed is in again. Not where another removal stands.
    public var back = true
    /// The names of others who are in again then.
    public var returning: [String] = []
    /// The names of those who are in no more then: the admin had let them in since.
    public var leaving: [String] = []
    /// What the group is called then, where that is another title.
    public var newTitle: String?
    /// Whether the group's settings are others then.
    public var settings = false
    /// How many orders besides the removal count no more.
    public var voided = 0
}

public struct AnnulmentsReport: Codable, Sendable, Equatable {
    public var group: String
    public var title: String
    /// The newest first.
    public var removals: [AnnulmentReport]
    /// What was annulled just now.
    public var annulled: AnnulmentReport?
}
