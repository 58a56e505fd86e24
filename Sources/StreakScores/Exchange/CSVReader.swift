/// Splits CSV into records and fields, one record at a time. Follows RFC 4180, and accepts variations of spreadsheets
/// and people: CR, LF or CRLF, blanks before a quotation, text after one, a quotation mark inside a cell.
struct CSVReader {
    static let maximumFields = 256

    private let bytes: [UInt8]
    private let separator: UInt8
    private var position: Int
    private var line = 1
    private var buffer: [UInt8] = []
    private var ends: [Int] = []

    /// The line where the record begins, from 1.
    private(set) var recordLine = 0
    /// A field was longer than `ResultImport.maximumCellSize` and was cut.
    private(set) var isTooLong = false

    init(_ bytes: [UInt8], from position: Int, separator: UInt8) {
        self.bytes = bytes
        self.position = position
        self.separator = separator
    }

    var fieldCount: Int { ends.count }

    func field(_ index: Int) -> ArraySlice<UInt8> {
        buffer[(index == 0 ? 0 : ends[index - 1])..<ends[index]]
    }

    /// A line without text, as spreadsheets leave below a table.
    var isBlank: Bool { buffer.allSatisfy { $0 == UInt8(ascii: " ") } }

    /// Reads the next record; `false` at the end.
    mutating func advance() throws(ImportFault) -> Bool {
        buffer.removeAll(keepingCapacity: true)
        ends.removeAll(keepingCapacity: true)
        isTooLong = false
        guard position < bytes.count else { return false }
        recordLine = line
        while try !readField() {}
        return true
    }

    /// Returns whether the record ends with this field.
    private mutating func readField() throws(ImportFault) -> Bool {
        let start = buffer.count
        var isInside = false
        var canOpen = true
        while position < bytes.count {
            let byte = bytes[position]
            position += 1
            if isInside {
                if byte != UInt8(ascii: "\"") {
                    countLine(byte)
                    append(byte, from: start)
                } else if next == UInt8(ascii: "\"") {
                    position += 1
                    append(byte, from: start)
                } else {
                    isInside = false
                }
                continue
            }
            switch byte {
            case separator:
                endField(from: start)
                return false
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"):
                if byte == UInt8(ascii: "\r"), next == UInt8(ascii: "\n") { position += 1 }
                line += 1
                endField(from: start)
                return true
            case UInt8(ascii: "\"") where canOpen:
                buffer.removeLast(buffer.count - start)
                isInside = true
                canOpen = false
            default:
                canOpen = canOpen && byte == UInt8(ascii: " ")
                append(byte, from: start)
            }
        }
        guard !isInside else { throw .unclosedQuote(line: recordLine) }
        endField(from: start)
        return true
    }

    private var next: UInt8? { position < bytes.count ? bytes[position] : nil }

    private mutating func countLine(_ byte: UInt8) {
        if byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r") && next != UInt8(ascii: "\n") { line += 1 }
    }

    private mutating func append(_ byte: UInt8, from start: Int) {
        if buffer.count - start < ResultImport.maximumCellSize {
            buffer.append(byte)
        } else {
            isTooLong = true
        }
    }

    private mutating func endField(from start: Int) {
        if ends.count < Self.maximumFields {
            ends.append(buffer.count)
        } else {
            buffer.removeLast(buffer.count - start)
        }
    }
}
