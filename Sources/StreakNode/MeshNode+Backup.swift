import StreakCrypto
import StreakEngine
import StreakMembership
public import StreakStorage
import StreakWire

/// Copies of an account, and coming back from one or from nothing but the recovery key.
extension MeshNode {
    /// Characters of a passphrase that protect a backup at the least.
    public static let minimumPassphraseLength = 8

    func backup(to path: String, passphrase: String) async throws -> BackupReport {
        guard passphrase.count >= Self.minimumPassphraseLength else {
            throw NodeFailure.weakPassphrase(minimum: Self.minimumPassphraseLength)
        }
        guard !isClosed else { throw NodeFailure.stopping }
        let content = BackupContent(secrets: try Account.secrets(in: folder))
        do {
            let size = try await Self.write(store, content, in: folder, to: path, passphrase: passphrase)
            return BackupReport(file: path, bytes: size)
        } catch StorageError.fileExists {
            throw NodeFailure.cannotWriteFile(reason: "it exists already")
        } catch StorageError.failed(let reason) {
            throw NodeFailure.cannotWriteFile(reason: reason)
        } catch let error as SealedArchiveError {
            throw NodeFailure(error)
        }
    }

    /// The passphrase's slow hash and the sealing go on beside the actor.
    @concurrent
    private static func write(
        _ store: Store, _ content: BackupContent, in folder: DataFolder, to path: String, passphrase: String
    ) async throws -> Int {
        var entropy = SystemEntropy()
        return try Backup.write(
            store, content, in: folder, to: path, passphrase: passphrase, entropy: &entropy)
    }

    /// Makes the account of a backup anew in a folder that has none. It goes on as a copy that may be old: with a new store
    /// ID and new epochs.
    ///
    /// - Throws: `NodeFailure`.
    public static func restoreAccount(
        in folder: DataFolder, from path: String, passphrase: String
    ) async throws -> ProfileReport {
        let lock = try prepare(folder)
        do {
            try Backup.restore(from: path, passphrase: passphrase, to: folder) { content in
                try Account.restore(content.secrets, to: folder)
            }
        } catch let error as SealedArchiveError {
            throw NodeFailure(error)
        } catch StorageError.damaged, StorageError.newerFormat {
            throw NodeFailure.invalidBackup(reason: "it holds no account that this version can read")
        } catch StorageError.failed(let reason) {
            throw NodeFailure.invalidBackup(reason: reason)
        }
        try folder.finish()
        lock.close()
        return try await openOnce(folder)
    }

    /// Makes a new device of an account in an empty folder, with nothing but the recovery key. Its groups come back by any
    /// live link of theirs; what friends hold of its results comes with them.
    ///
    /// - Throws: `NodeFailure`.
    public static func recoverAccount(in folder: DataFolder, key text: String, name: String) throws -> ProfileReport {
        let key = try NodeFailure.translating { () throws(RecoveryKeyError) in try RecoveryKey(text) }
        return try createAccount(
            in: folder, name: name, settings: { [AccountSettings.draft(sayingIsRecovered: $0.device)] }
        ) { _ in key.accountKey }
    }

    /// The recovery key of a folder's account, as long as it is on this machine. Nobody may use the folder meanwhile.
    public static func recoveryKey(in folder: DataFolder) throws -> String {
        let identity = try Account.identity(in: folder)
        guard let key = try Account.secret(in: folder, of: identity.user) else { throw NodeFailure.recoveryKeyNeeded }
        return RecoveryKey(key).text()
    }

    /// Makes the folder if need be, locks it, and makes it ready for an account.
    static func prepare(_ folder: DataFolder) throws -> DataFolderLock {
        do {
            return try folder.create()
        } catch StorageError.accountExists {
            throw NodeFailure.accountExists
        } catch StorageError.failed(let reason) {
            throw NodeFailure.cannotCreate(reason: reason)
        } catch StorageError.folderInUse(processID: let pid) {
            throw NodeFailure.folderBusy(pid: pid ?? 0)
        }
    }

    /// Opens an account and closes it again, so that whatever the first opening changes is done.
    static func openOnce(_ folder: DataFolder) async throws -> ProfileReport {
        let configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        let node = try await MeshNode(opening: folder, configuration: configuration)
        let report = await node.profile()
        await node.close()
        return report
    }
}

extension NodeFailure {
    init(_ error: SealedArchiveError) {
        switch error {
        case .emptyPassphrase: self = .weakPassphrase(minimum: MeshNode.minimumPassphraseLength)
        case .notAnArchive: self = .invalidBackup(reason: "it is no StreakMesh backup")
        case .unsupportedVersion(let version): self = .invalidBackup(reason: "it is of version \(version)")
        case .costOutOfRange: self = .invalidBackup(reason: "its beginning is damaged")
        case .wrongPassphraseOrDamaged:
            self = .invalidBackup(reason: "the passphrase is another, or the file is damaged")
        case .truncated: self = .invalidBackup(reason: "its end is missing")
        case .outOfMemory: self = .invalidBackup(reason: "there are not 256 MB of memory free to open it")
        }
    }
}
