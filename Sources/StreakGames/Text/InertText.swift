/// Makes text by others harmless where it is shown, so that it cannot act as markup or as commands.
///
/// It looks at Unicode scalars, as browsers and terminals do. A `Character` may be more than one of them: `<` after a
/// scalar of the class Prepend, or before a joiner or mark, is a different `Character` than `<`.
extension Unicode.Scalar {
    /// Whether it moves a cursor, ends a line or changes the reading direction: C0 and C1 controls, line and paragraph
    /// separators, bidirectional marks, embeddings, overrides and isolates, interlinear annotations.
    public var isSteering: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028...0x202E, 0x2066...0x2069, 0xFFF9...0xFFFB: true
        case 0x061C, 0x200E, 0x200F: true
        default: false
        }
    }

    /// Whether it changes the reading direction of its neighbours, and nothing else (Unicode `Bidi_Control`).
    var isDirectionMark: Bool { [0x061C, 0x200E, 0x200F].contains(value) }
}

extension String {
    /// The text on one line, without steering characters.
    public var inert: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { !$0.isSteering }))
    }

    /// The text as content and as a quoted attribute value, in HTML and XML. Of steering characters, line ends and tabs
    /// stay. Characters that XML forbids are removed.
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

    /// The text as a JSON string with quotes (RFC 8259 §7). Steering characters are escaped too: they survive reading
    /// back, and cannot affect a terminal that shows the document.
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
    /// `\u` and four digits. All steering characters are in the first plane.
    fileprivate var escapedAsJSON: String {
        let digits = String(value, radix: 16)
        return "\\u" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
