import StreakStorage

/// For programs that know their data folder by its path.
extension MeshNode {
    /// Whether there is an account in the folder at `path`.
    public static func hasAccount(at path: String) -> Bool { DataFolder(path: path).hasAccount }

    /// Makes an account in the folder at `path`, which is made, or is empty.
    ///
    /// - Throws: `NodeFailure`, `StorageError`.
    public static func createAccount(at path: String, name: String) throws -> ProfileReport {
        try createAccount(in: DataFolder(path: path), name: name)
    }

    /// Opens the account in the folder at `path`, which stays locked until `close`.
    ///
    /// - Throws: `NodeFailure.noAccount`, `.folderBusy`, `.storageFailed`.
    public init(openingFolderAt path: String, configuration: NodeConfiguration) async throws {
        try await self.init(opening: DataFolder(path: path), configuration: configuration)
    }
}
