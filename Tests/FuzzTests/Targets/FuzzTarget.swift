/// Something that takes bytes from outside, and what must hold whatever they are.
struct FuzzTarget: Sendable {
    /// The name that `script/fuzz` and the folders of cases know it by.
    let name: String
    private let body: @Sendable ([UInt8]) throws -> Void

    init(_ name: String, _ body: @escaping @Sendable ([UInt8]) throws -> Void) {
        self.name = name
        self.body = body
    }

    /// - Throws: `FuzzFinding` where a law is broken. A trap is a finding, too.
    func run(_ bytes: [UInt8]) throws { try body(bytes) }

    /// Every target. What takes bytes from outside has a row here (docs/security.md).
    static let all: [FuzzTarget] =
        wireTargets + membershipTargets + replicationTargets + linkTargets + textTargets + fileTargets + localTargets
        + helperTargets + engineTargets + internetTargets

    static func named(_ name: String) -> FuzzTarget? { all.first { $0.name == name } }
}

/// A law that some bytes broke.
struct FuzzFinding: Error, CustomStringConvertible {
    let description: String
}

/// - Throws: `FuzzFinding` unless the condition holds.
func demand(_ condition: @autoclosure () -> Bool, _ law: String) throws(FuzzFinding) {
    guard condition() else { throw FuzzFinding(description: law) }
}

/// What `read` gives, or nil where it refuses, as it may.
func accepted<Value>(_ read: () throws -> Value) -> Value? { try? read() }
