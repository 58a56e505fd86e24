public import StreakWire

/// One of a user's own settings, for its other devices: only in the private group (Protocol/records.md §3.4).
///
/// Subject: the name, a text without its size. Value: what the program that wrote it means by it.
public struct Setting: RecordValue {
    public static let kind = RecordKind.setting.rawValue

    /// At most 96 bytes of UTF-8; what is longer is cut off when it is written.
    public let name: String
    /// At most 1,300 bytes; empty where the setting is withdrawn.
    public let value: [UInt8]

    public init(name: String, value: [UInt8]) {
        self.name = name
        self.value = value
    }

    public init(subject: [UInt8], value: [UInt8]) throws(WireError) {
        guard let name = String(validating: subject, as: UTF8.self) else { throw .invalidText }
        self.init(name: name, value: value)
    }

    public var recordSubject: [UInt8] { Array(name.utf8) }
    public var recordValue: [UInt8] { value }
}
