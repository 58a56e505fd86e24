import StreakCrypto
import StreakEngine
package import StreakMembership
import StreakReplication
public import StreakStorage
import StreakWire

/// Making accounts in folders that have none: new accounts, and accounts restored from a backup or from the recovery
/// key alone.
extension MeshNode {
    /// Makes an account in an empty folder: keys, profile, and the private group.
    ///
    /// - Throws: `NodeFailure`, `StorageError`.
    public static func createAccount(in folder: DataFolder, name: String) throws -> ProfileReport {
        try createAccount(in: folder, name: name) { entropy in try Account.create(in: folder, entropy: &entropy) }
    }

    /// Makes the first device in a folder, of the account whose key is `accountKey`.
    ///
    /// - Parameter settings: what this user's devices have to know about the new one.
    static func createAccount(
        in folder: DataFolder, name: String, settings: (DeviceIdentity) -> [RecordDraft] = { _ in [] },
        accountKey: (inout SystemEntropy) throws -> SigningSecretKey
    ) throws -> ProfileReport {
        let name = try Argument.checkName(name)
        let lock = try prepare(folder)
        var entropy = SystemEntropy()
        let accountKey = try accountKey(&entropy)
        let identity = try Account.createDevice(of: accountKey, in: folder, entropy: &entropy)
        let store = try Store(opening: folder, newStoreID: Self.newStoreID)
        let code = try FriendCode(of: identity.user)
        let clock = SystemClock()
        var engine = MeshEngine(
            snapshot: try store.snapshot(), identity: identity, entropy: entropy, wallTime: clock.wallTime)
        var change = DurableChange()
        func carryOut(_ command: Command, number: UInt64) {
            let outputs = engine.handle(
                .command(CommandID(number: number), command), at: clock.now, wallTime: clock.wallTime)
            for case .persist(let part, _) in outputs { change.append(part) }
        }
        carryOut(.openPrivateGroup(accountKey: accountKey), number: 1)
        carryOut(.setAnswersToCode(try FriendCodeKeys(of: code)), number: 2)
        guard let group = engine.privateGroup else { throw NodeFailure.storageFailed("no private group") }
        let drafts = settings(identity)
        if !drafts.isEmpty { carryOut(.write([(group: group, drafts: drafts)]), number: 3) }
        change.settings[NodeCore.nameSetting] = Array(name.utf8)
        change.settings[NodeCore.friendCodeSetting] = Array(code.description.utf8)
        try store.apply(change)
        try store.close()
        try folder.finish()
        lock.close()
        return ProfileReport(
            user: identity.user.description, device: identity.device.description, name: name,
            friendCode: code.description,
            recoveryConfirmed: !Account.hasSecret(in: folder))
    }

    static func newStoreID() -> StoreID {
        var entropy = SystemEntropy()
        return StoreID(bytes: Bytes16(entropy.bytes(16)) ?? .zero)
    }

    /// The shortest passphrase for a backup, in characters.
    public static let minimumPassphraseLength = 8

    /// Restores an account from a backup in a folder that has none. The backup may be old, so it gets a new store ID
    /// and new epochs.
    ///
    /// - Throws: `NodeFailure`.
    @concurrent
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

    /// Makes a new device of an account in an empty folder, with nothing but the recovery key. Any live invite link of
    /// a group brings that group back, and with it the results that friends hold.
    ///
    /// - Throws: `NodeFailure`.
    public static func recoverAccount(in folder: DataFolder, key text: String, name: String) throws -> ProfileReport {
        let key = try NodeFailure.translating { () throws(RecoveryKeyError) in try RecoveryKey(text) }
        return try createAccount(
            in: folder, name: name, settings: { [AccountSettings.draft(sayingIsRecovered: $0.device)] }
        ) { _ in key.accountKey }
    }

    /// The recovery key of a folder's account, while its secret is on this machine. Nobody may use the folder
    /// meanwhile.
    public static func recoveryKey(in folder: DataFolder) throws -> String {
        let identity = try Account.identity(in: folder)
        guard let key = try Account.secret(in: folder, of: identity.user) else { throw NodeFailure.recoveryKeyNeeded }
        return RecoveryKey(key).text()
    }

    /// The device of a folder, for this package's programs that measure.
    ///
    /// - Throws: `NodeFailure.noAccount`, `.accountDamaged`.
    package static func identity(of folder: DataFolder) throws -> DeviceIdentity { try Account.identity(in: folder) }

    /// Makes the folder if necessary, locks it, and prepares it for an account.
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

    /// Opens an account and closes it again, so that the changes of the first opening are done.
    static func openOnce(_ folder: DataFolder) async throws -> ProfileReport {
        let configuration = NodeConfiguration(listen: "127.0.0.1:0", usesNetwork: false, usesLAN: false, peers: [])
        let node = try await MeshNode(opening: folder, configuration: configuration)
        let report = try await node.call(ProfileRequest.whoami)
        await node.close()
        return report
    }
}

extension NodeFailure {
    init(_ error: SealedArchiveError) {
        switch error {
        case .emptyPassphrase: self = .weakPassphrase(minimum: MeshNode.minimumPassphraseLength)
        case .notAnArchive: self = .invalidBackup(reason: "it is not a StreakMesh backup")
        case .unsupportedVersion(let version): self = .invalidBackup(reason: "it is of version \(version)")
        case .costOutOfRange: self = .invalidBackup(reason: "its beginning is damaged")
        case .wrongPassphraseOrDamaged:
            self = .invalidBackup(reason: "the passphrase is wrong, or the file is damaged")
        case .truncated: self = .invalidBackup(reason: "its end is missing")
        case .outOfMemory: self = .invalidBackup(reason: "opening it needs 256 MB of free memory")
        }
    }
}
