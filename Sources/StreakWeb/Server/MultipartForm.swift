import StreakNode

/// A form sent as `multipart/form-data` (RFC 7578): fields by name, and files read as text.
enum MultipartForm {
    /// Why a form was not read.
    enum Fault: Error, Equatable {
        /// A field or file has an encoding that is not supported.
        case notText(NodeFailure)
        /// Violates RFC 7578 or RFC 2046 §5.1, or has too many parts.
        case malformed
    }

    /// The boundary in a content type; nil if it is not this kind of form. At most 70 bytes (RFC 2046 §5.1.1).
    static func boundary(ofContentType type: String) -> String? {
        let pieces = type.split(separator: ";").map(\.trimmingSpaces)
        guard pieces.first?.lowercased() == "multipart/form-data" else { return nil }
        for piece in pieces.dropFirst() where piece.lowercased().hasPrefix("boundary=") {
            var value = piece.dropFirst("boundary=".count)
            if value.first == "\"", value.last == "\"", value.utf8.count >= 2 { value = value.dropFirst().dropLast() }
            guard (1...70).contains(value.utf8.count) else { return nil }
            return String(value)
        }
        return nil
    }

    /// The parts by name. Of equal names the last one counts.
    static func fields(of body: [UInt8], boundary: String) throws(Fault) -> [(name: String, value: String)] {
        let delimiter = Array("--\(boundary)".utf8)
        // Every delimiter but the first follows a line break that belongs to it.
        let separator = [13, 10] + delimiter
        guard body.starts(with: delimiter) else { throw .malformed }
        var fields: [(name: String, value: String)] = []
        var position = delimiter.count
        while true {
            let rest = body[position...]
            if rest.starts(with: [45, 45]) { return fields }
            guard rest.starts(with: [13, 10]), fields.count < WebLimit.formFields,
                let end = find(separator, in: body, from: position)
            else { throw .malformed }
            fields.append(try part(body[(position + 2)..<max(end, position + 2)]))
            position = end + separator.count
        }
    }

    private static func part(_ bytes: ArraySlice<UInt8>) throws(Fault) -> (name: String, value: String) {
        let bytes = Array(bytes)
        guard let end = find([13, 10, 13, 10], in: bytes, from: 0), end <= 4_096 else { throw .malformed }
        guard let head = String(validating: bytes[..<end], as: UTF8.self) else { throw .malformed }
        let value: String
        do throws(NodeFailure) {
            value = try ImportSource.decoded(Array(bytes[(end + 4)...]))
        } catch {
            throw .notText(error)
        }
        for line in head.split(whereSeparator: \.isNewline)
        where line.lowercased().hasPrefix("content-disposition:") {
            for piece in line.split(separator: ";").dropFirst().map(\.trimmingSpaces) where piece.hasPrefix("name=\"") {
                return (String(piece.dropFirst("name=\"".count).prefix { $0 != "\"" }), value)
            }
        }
        throw .malformed
    }

    /// The first place of a pattern, or nil.
    private static func find(_ pattern: [UInt8], in bytes: [UInt8], from start: Int) -> Int? {
        guard let first = pattern.first, bytes.count >= pattern.count else { return nil }
        var index = start
        let last = bytes.count - pattern.count
        while index <= last {
            if bytes[index] == first, bytes[index..<(index + pattern.count)].elementsEqual(pattern) { return index }
            index += 1
        }
        return nil
    }
}
