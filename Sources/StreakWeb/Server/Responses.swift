import HTTPTypes
import Hummingbird
import NIOCore
import StreakGames
import StreakNode

extension Response {
    static func html(_ text: String, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "text/html; charset=utf-8"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: text)))
    }

    /// Redirects the browser to a page of this site, with GET, after a form was carried out.
    static func seeOther(_ path: String) -> Response {
        var headers = HTTPFields()
        headers[.location] = path
        return Response(status: .seeOther, headers: headers)
    }

    /// The same document as the command line prints (`JSON`).
    static func json(_ document: JSON, status: HTTPResponse.Status = .ok) -> Response {
        var headers = HTTPFields()
        headers[.contentType] = "application/json; charset=utf-8"
        return Response(status: status, headers: headers, body: .init(byteBuffer: ByteBuffer(string: document.text)))
    }

    /// The error document of `/api/v1`, the same as the command line's.
    static func json(code: String, message: String, hint: String, status: HTTPResponse.Status) -> Response {
        json(
            .members([
                "error": .members(["code": .string(code), "message": .string(message), "hint": .string(hint)])
            ]), status: status)
    }

    static func json(_ failure: NodeFailure) -> Response {
        let text = FailureText.describe(failure)
        return json(code: text.code, message: text.message, hint: text.hint, status: failure.httpStatus)
    }
}

extension NodeFailure {
    /// The HTTP status for this failure.
    var httpStatus: HTTPResponse.Status {
        switch self {
        case .deviceLink(let failure): failure.ofInvite.httpStatus
        case .unknownGroup, .unknownInvite, .unknownGame, .noSuchResult, .nothingToUndo, .unknownMember,
            .noResultOfMember, .unknownComment, .unknownMessage, .unknownChallenge, .nothingToShare,
            .unknownRequest, .unknownRemoval,
            .unknownDevice, .unknownFriend, .unknownReturn, .noGuest:
            .notFound
        case .textTooLong: .contentTooLarge
        case .noGroup, .noAccount, .accountExists, .accountUnderWay, .alreadyMember, .limitReached, .alreadyFriends,
            .clockWrong, .friendAlreadyAsked, .alreadyRole, .alreadyShutOut, .alreadyBlocked, .notBlocked, .machineFull,
            .tooManyDevices, .approvalNeeded, .guestResultsKept,
            .noPair:
            .conflict
        case .storageFailed, .newerData, .earlierData: .internalServerError
        case .diskFull: .insufficientStorage
        case .nobodyReachable, .cannotAdmit, .stopping, .folderBusy: .serviceUnavailable
        case .notMember, .machineShutOut, .notAllowed, .gameOfAnother, .commentOfAnother, .resultCovered,
            .challengeRefused,
            .ownerCannotLeave, .linkUsedUp, .linkRevoked,
            .removedFromGroup,
            .guestPlaying,
            .sharingStopped, .joinDenied, .friendBlocked, .otherRecoveryKey, .recoveryKeyNeeded, .othersFolder,
            .socketFolderTaken:
            .forbidden
        case .cannotListen: .internalServerError
        case .accountDamaged, .invalidRecoveryKey, .invalidBackup, .weakPassphrase, .cannotWriteFile, .cannotCreate,
            .invalidName, .invalidTitle, .ambiguousGroup, .ambiguousMember, .deviceLinkUnknown, .invalidFriendCode,
            .ownFriendCode, .notAPair, .invalidAlias, .invalidRegion, .invalidSetting, .invalidTimes, .linkForDevice,
            .linkForGroup, .linkMalformed, .severalLinks, .linkDamaged, .linkTampered, .linkUnsupported, .linkExpired,
            .linkOfAnotherGroup, .groupTooLarge, .invalidInvite, .ambiguousGame, .invalidScore, .beforeFirstPuzzle,
            .invalidGame, .importFailed, .ambiguousDates, .unknownSender, .invalidDate, .futureDate, .invalidRange,
            .invalidMetric, .invalidRequest, .invalidEvent, .invalidEmoji, .invalidComment,
            .invalidMessage, .invalidTemplate:
            .unprocessableContent
        }
    }
}

extension HTTPResponse.Status {
    static var insufficientStorage: Self { .init(code: 507, reasonPhrase: "Insufficient Storage") }
}
