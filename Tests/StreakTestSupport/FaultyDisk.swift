#if os(Linux)
    import Foundation

    /// A disk that fails a process at one step of what it writes in its data folder: a write, a change of a file's length,
    /// a wait for the disk, a new name, a removal. Every step of a process has its number, so that a test can go through
    /// all of them, one after the other.
    ///
    /// Built by the toolchain's own C compiler and put before the C library of the process (`LD_PRELOAD`).
    public final class FaultyDisk: Sendable {
        /// What happens at the step.
        public enum Fault: String, CaseIterable, Sendable {
            /// The process is killed before it.
            case killed
            /// Half of what is to be written is; then the process is killed.
            case torn
            /// It fails, as where a disk breaks; later steps do not.
            case failing
            /// There is no room from it on.
            case full
        }

        private let lab: Lab
        private let library: String
        private let firedPath: String
        private let armedPath: String

        public init(in lab: Lab) async throws {
            self.lab = lab
            library = lab.freshPath("so")
            (firedPath, armedPath) = (lab.freshPath("fired"), lab.freshPath("armed"))
            let source = URL(filePath: #filePath).deletingLastPathComponent().appending(
                path: "Preloaded/faulty-disk.c")
            let result = try await lab.run([
                "clang", "-shared", "-fPIC", "-O1", "-Wall", "-Werror", "-o", library, source.path,
            ])
            guard result.exitCode == 0 else { throw TestFailure("\(result)") }
        }

        /// The same person, whose programs run on this disk: each fails at this step; without one, at the step that `arm`
        /// names, counted from there.
        public func user(_ friend: Friend, _ fault: Fault, atStep step: Int? = nil) -> Friend {
            let words = [
                "env", "LD_PRELOAD=\(library)", "STREAKMESH_FAULT=\(fault.rawValue)",
                step.map { "STREAKMESH_FAULT_STEP=\($0)" } ?? "STREAKMESH_FAULT_ARMED=\(armedPath)",
                "STREAKMESH_FAULT_FOLDER=\(friend.folder)", "STREAKMESH_FAULT_FIRED=\(firedPath)",
            ]
            return lab.person(friend.name, launcher: friend.launcher + words)
        }

        public func arm(atStep step: Int) throws {
            try Data("\(step)".utf8).write(to: URL(fileURLWithPath: armedPath), options: .atomic)
        }

        /// The disk is as good as new.
        public func disarm() throws {
            guard FileManager.default.fileExists(atPath: armedPath) else { return }
            try FileManager.default.removeItem(atPath: armedPath)
        }

        /// Whether the fault has happened since the last `takeFired`.
        public var hasFired: Bool { FileManager.default.fileExists(atPath: firedPath) }

        /// Whether the fault has happened since the last call.
        public func takeFired() -> Bool {
            guard hasFired else { return false }
            // A file that stays would show at the next call.
            try? FileManager.default.removeItem(atPath: firedPath)
            return true
        }
    }
#endif
