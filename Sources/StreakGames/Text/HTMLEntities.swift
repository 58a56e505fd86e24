/// Character references that a web page's source, a feed or a mail program leaves in a pasted share.
enum HTMLEntities {
    /// The most letters and digits between `&` and `;`; the longest number is `#x10FFFF`.
    private static let longest = 8

    /// The scalar of a reference such as `&amp;`, `&#38;` or `&#x26;` at `start`, and its number of scalars.
    ///
    /// In text that was escaped twice, `&amp;amp;`, every further `amp;` belongs to it.
    static func scalar(in text: [Unicode.Scalar], at start: Int) -> (scalar: Unicode.Scalar, length: Int)? {
        guard let (name, length) = name(in: text, after: start) else { return nil }
        guard name == "amp" else { return scalar(named: name).map { ($0, length) } }
        // At most twice: the input is a share, not a puzzle.
        guard let (inner, innerLength) = Self.name(in: text, after: start + length - 1) else { return ("&", length) }
        return scalar(named: inner).map { ($0, length + innerLength - 1) } ?? ("&", length)
    }

    /// The name between the mark at `start` and a semicolon, and the length including both.
    private static func name(in text: [Unicode.Scalar], after start: Int) -> (name: String, length: Int)? {
        var end = start + 1
        while end < text.count, end - start <= longest, isNameLetter(text[end]) { end += 1 }
        guard end < text.count, text[end] == ";", end > start + 1 else { return nil }
        return (String(String.UnicodeScalarView(text[(start + 1)..<end])), end + 1 - start)
    }

    private static func scalar(named name: String) -> Unicode.Scalar? {
        guard name.hasPrefix("#") else { return names[name] }
        let digits = name.dropFirst()
        let number =
            digits.hasPrefix("x") || digits.hasPrefix("X") ? UInt32(digits.dropFirst(), radix: 16) : UInt32(digits)
        return number.flatMap(Unicode.Scalar.init)
    }

    private static func isNameLetter(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "#": true
        default: false
        }
    }

    private static let names: [String: Unicode.Scalar] = [
        "amp": "&", "lt": "<", "gt": ">", "quot": "\"", "apos": "'", "nbsp": " ", "ensp": " ", "emsp": " ",
        "thinsp": " ", "shy": "\u{AD}", "zwj": "\u{200D}", "zwnj": "\u{200C}", "lrm": "\u{200E}", "rlm": "\u{200F}",
        "lsquo": "'", "rsquo": "'", "ldquo": "“", "rdquo": "”", "laquo": "«", "raquo": "»", "ndash": "–",
        "mdash": "—", "minus": "−", "hellip": "…", "bull": "•", "middot": "·", "deg": "°", "ordm": "º", "ordf": "ª",
        "num": "#", "sol": "/", "frasl": "/", "colon": ":", "comma": ",", "period": ".", "plus": "+", "ast": "*",
        "lpar": "(", "rpar": ")", "percnt": "%", "verbar": "|", "vert": "|", "times": "×", "infin": "∞",
        "NewLine": "\n",
        "aacute": "á", "eacute": "é", "iacute": "í", "oacute": "ó", "uacute": "ú", "egrave": "è", "agrave": "à",
        "ccedil": "ç", "ntilde": "ñ", "auml": "ä", "ouml": "ö", "uuml": "ü", "atilde": "ã", "otilde": "õ",
    ]
}
