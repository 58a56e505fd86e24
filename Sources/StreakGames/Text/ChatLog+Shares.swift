/// A share found in a chat.
public struct ChatShare: Sendable, Equatable {
    /// Its day comes from the puzzle number, else from the printed date, else from the message.
    public var share: Share
    public var sender: String?
    /// The line of the file at which its message begins, from 1.
    public var line: Int

    public init(share: Share, sender: String? = nil, line: Int) {
        (self.share, self.sender, self.line) = (share, sender, line)
    }
}

/// A part of a chat that looks like a share but was refused.
public struct ChatRefusal: Sendable, Equatable {
    public var refusal: Refusal
    public var sender: String?
    public var line: Int

    public init(refusal: Refusal, sender: String? = nil, line: Int) {
        (self.refusal, self.sender, self.line) = (refusal, sender, line)
    }
}

/// The shares and refusals of a chat.
public struct ChatReading: Sendable, Equatable {
    /// In the order of the file.
    public var shares: [ChatShare] = []
    /// In the order of the file, at most `ChatLog.maximumRefusals`. Ordinary chat is not refused.
    public var refusals: [ChatRefusal] = []
    /// The line of the first share whose day comes from a message's date that could be day first or month first. The
    /// caller has to give the order.
    public var undecidedLine: Int?

    public init(shares: [ChatShare] = [], refusals: [ChatRefusal] = [], undecidedLine: Int? = nil) {
        (self.shares, self.refusals, self.undecidedLine) = (shares, refusals, undecidedLine)
    }
}

extension ChatLog {
    /// Further refusals are not reported.
    public static let maximumRefusals = 1_000
    /// Reading stops after this many shares.
    static let maximumShares = 200_000

    /// The shares in the messages of `sender`, or of everyone.
    public func shares(of sender: String? = nil, with reader: ShareReader = ShareReader()) -> ChatReading {
        var found = ChatReading()
        for message in messages where sender == nil || message.sender == sender {
            guard found.shares.count < Self.maximumShares else { break }
            let reading = reader.read(message.text)
            for var share in reading.shares {
                if share.day == nil, message.hasUndecidedDay {
                    found.undecidedLine = found.undecidedLine ?? message.line
                }
                share.day = share.day ?? message.day
                found.shares.append(ChatShare(share: share, sender: message.sender, line: message.line))
            }
            for refusal in reading.refusals where found.refusals.count < Self.maximumRefusals {
                if case .notRecognised = refusal.reason { continue }
                found.refusals.append(ChatRefusal(refusal: refusal, sender: message.sender, line: message.line))
            }
        }
        return found
    }
}
