/// The bytes of a hexadecimal text; a malformed text is a mistake in the test.
func bytes(_ hex: String) -> [UInt8] {
    let digits = hex.filter { !$0.isWhitespace }.map { $0.hexDigitValue ?? -1 }
    precondition(digits.count.isMultiple(of: 2) && !digits.contains(-1), "malformed hexadecimal text in a test")
    return stride(from: 0, to: digits.count, by: 2).map { UInt8(digits[$0] << 4 | digits[$0 + 1]) }
}
