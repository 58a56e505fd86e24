/// An admin's removal of a member that the owner can annul, and what that would change.
public struct AnnulmentReport: Codable, Sendable, Equatable {
    public var id: String
    /// Who was removed.
    public var removed: PersonReport
    /// The admin who did it, and who would become a plain member.
    public var admin: PersonReport
    /// When; ISO 8601 in UTC, by the admin's clock.
    public var at: String
    /// Whether the removed person would be in again. Not if another removal stands.
    public var back = true
    /// The names of others who would be in again.
    public var returning: [String] = []
    /// The names of those who would no longer be in, because the admin let them in since.
    public var leaving: [String] = []
    /// The group's title afterwards, if it would change.
    public var newTitle: String?
    /// Whether the group's settings would change.
    public var settings = false
    /// How many other operations would no longer count.
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
