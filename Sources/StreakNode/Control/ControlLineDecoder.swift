import NIOCore

/// Cuts a byte stream into lines and refuses a line that grows too long, before more of it is kept.
struct ControlLineDecoder: ByteToMessageDecoder {
    typealias InboundOut = ByteBuffer

    /// In bytes, without the line end.
    let maximumLineLength: Int
    /// How much of the kept bytes is known to hold no line end, so that nothing is searched twice.
    private var searched = 0

    init(maximumLineLength: Int) {
        self.maximumLineLength = maximumLineLength
    }

    mutating func decode(context: ChannelHandlerContext, buffer: inout ByteBuffer) throws -> DecodingState {
        let unsearched = buffer.readableBytesView.dropFirst(searched)
        guard let end = unsearched.firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.readableBytes
            guard searched <= maximumLineLength else { throw ControlError.lineTooLong(limit: maximumLineLength) }
            return .needMoreData
        }
        searched = 0
        let length = end - buffer.readerIndex
        guard length <= maximumLineLength else { throw ControlError.lineTooLong(limit: maximumLineLength) }
        guard let line = buffer.readSlice(length: length) else { return .needMoreData }
        buffer.moveReaderIndex(forwardBy: 1)
        context.fireChannelRead(wrapInboundOut(line))
        return .continue
    }

    /// A line that the peer did not end is not a line.
    mutating func decodeLast(
        context: ChannelHandlerContext, buffer: inout ByteBuffer, seenEOF: Bool
    ) throws -> DecodingState {
        while try decode(context: context, buffer: &buffer) == .continue {}
        buffer.clear()
        return .needMoreData
    }
}
