public import StreakGames

/// The chat in a file `result.json` exported by Telegram Desktop: one chat, or all of an account.
///
/// A message's text is a string, or an array of strings and objects with a `text`: links, names and marks. Forwarded
/// messages are somebody else's and are left out, as are notices of the program.
public struct TelegramChat {
    private var scanner: JSONScanner
    private var messages: [ChatLog.Message] = []
    private var hasMessages = false

    /// The messages of `text`, each with the day that its author's Telegram showed.
    ///
    /// Throws `tooLarge`, `malformed` for text that is not JSON, `notAChat` for JSON without a list of messages. O(n).
    public static func log(_ text: String) throws(ImportFault) -> ChatLog {
        guard text.utf8.count <= ChatLog.maximumSize else { throw .tooLarge }
        var reader = TelegramChat(scanner: JSONScanner(Array(text.utf8)))
        try reader.readChat(depth: 0)
        guard reader.hasMessages, reader.scanner.peek() == nil else { throw .notAChat }
        return ChatLog(reader.messages)
    }

    /// Whether a file may be such an export. No chat in plain text begins like this.
    public static func begins(_ text: String) -> Bool {
        text.utf8.first { $0 > UInt8(ascii: " ") } == UInt8(ascii: "{")
    }

    private init(scanner: JSONScanner) { self.scanner = scanner }

    /// An object with `messages`, or one with `chats` whose `list` contains such objects.
    private mutating func readChat(depth: Int) throws(ImportFault) {
        try scanner.expect("{")
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            switch (key, scanner.peek()) {
            case ("messages", UInt8(ascii: "[")):
                hasMessages = true
                try readArray { (reader: inout TelegramChat) throws(ImportFault) in try reader.readMessage() }
            case ("chats", UInt8(ascii: "{")) where depth == 0, ("left_chats", UInt8(ascii: "{")) where depth == 0:
                try readChat(depth: 1)
            case ("list", UInt8(ascii: "[")) where depth == 1:
                try readArray { (reader: inout TelegramChat) throws(ImportFault) in try reader.readChat(depth: 2) }
            default:
                try scanner.skipValue(depth: depth + 1)
            }
        }
    }

    /// Calls `body` for each object of an array, and skips other elements.
    private mutating func readArray(
        _ body: (inout TelegramChat) throws(ImportFault) -> Void
    ) throws(ImportFault) {
        try scanner.expect("[")
        if scanner.skip("]") { return }
        repeat {
            if scanner.peek() == UInt8(ascii: "{") {
                try body(&self)
            } else {
                try scanner.skipValue(depth: 3)
            }
        } while scanner.skip(",")
        try scanner.expect("]")
    }

    private mutating func readMessage() throws(ImportFault) {
        _ = scanner.peek()
        var message = ChatLog.Message(text: "", line: scanner.line)
        var isPlain = true
        try scanner.expect("{")
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            switch (key, scanner.peek()) {
            case ("type", UInt8(ascii: "\"")): isPlain = try scanner.string().text == "message" && isPlain
            case ("forwarded_from", _):
                isPlain = false
                try scanner.skipValue(depth: 4)
            case ("from", UInt8(ascii: "\"")): message.sender = try scanner.string().text
            case ("date", UInt8(ascii: "\"")): message.day = PuzzleDay(String(try scanner.string().text.prefix(10)))
            case ("text", UInt8(ascii: "\"")): message.text = try scanner.string().text
            case ("text", UInt8(ascii: "[")): message.text = try readParts()
            default: try scanner.skipValue(depth: 4)
            }
        }
        if isPlain, message.sender != nil, !message.text.isEmpty { messages.append(message) }
    }

    private mutating func readParts() throws(ImportFault) -> String {
        var text = ""
        try scanner.expect("[")
        if scanner.skip("]") { return text }
        repeat {
            switch scanner.peek() {
            case UInt8(ascii: "\""): append(try scanner.string().text, to: &text)
            case UInt8(ascii: "{"):
                try scanner.expect("{")
                var isFirst = true
                while let key = try scanner.nextKey(isFirst: &isFirst) {
                    if key == "text", scanner.peek() == UInt8(ascii: "\"") {
                        append(try scanner.string().text, to: &text)
                    } else {
                        try scanner.skipValue(depth: 6)
                    }
                }
            default: try scanner.skipValue(depth: 5)
            }
        } while scanner.skip(",")
        try scanner.expect("]")
        return text
    }

    /// No share is longer than a message may be, so anything beyond is left out.
    private func append(_ part: String, to text: inout String) {
        if text.utf8.count + part.utf8.count <= ChatLog.maximumMessageSize { text += part }
    }
}
