/// Text that somebody else wrote, made harmless for the place that shows it: it is shown, never obeyed.
///
/// All of this looks at Unicode scalars, as browsers and terminals do. A `Character` is more than one of them: `<` behind a
/// scalar of the class Prepend, or before a joiner or a mark, is another `Character` than `<`.
extension Unicode.Scalar {
    /// Whether it moves a cursor, ends a line or turns the direction of reading: C0 and C1 controls, line and paragraph
    /// separators, bidirectional embeddings, overrides and isolates, interlinear annotations.
    public var isSteering: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB: true
        default: false
        }
    }
}

extension String {
    /// The text on one line, without what steers.
    public var inert: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isSteering }))
    }

    /// The text as content and as the value of a quoted attribute, in HTML and in XML. Of what steers, line ends and
    /// tabs stay; what XML forbids is left out.
    public var escapedAsMarkup: String {
        var escaped = ""
        escaped.reserveCapacity(utf8.count)
        for scalar in unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            case "\n", "\t", "\r": escaped.unicodeScalars.append(scalar)
            default:
                let isForbidden = scalar.isSteering || scalar.value & 0xFFFE == 0xFFFE
                if !isForbidden { escaped.unicodeScalars.append(scalar) }
            }
        }
        return escaped
    }

    /// The text as a string of JSON with its quotes (RFC 8259 §7). What steers is escaped as well: it is read back as it
    /// was, and does nothing to a terminal that shows the document.
    public var quotedAsJSON: String {
        var quoted = "\""
        quoted.reserveCapacity(utf8.count + 2)
        for scalar in unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case "\r": quoted += "\\r"
            case "\t": quoted += "\\t"
            default:
                if scalar.isSteering {
                    quoted += scalar.escapedAsJSON
                } else {
                    quoted.unicodeScalars.append(scalar)
                }
            }
        }
        return quoted + "\""
    }
}

extension Unicode.Scalar {
    /// `\u` and four digits; what steers is within the first plane.
    fileprivate var escapedAsJSON: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
