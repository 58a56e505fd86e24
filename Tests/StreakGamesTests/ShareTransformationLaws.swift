import StreakGames
import Testing

/// A share keeps its meaning when phones, browsers and chat programs change it on its way.
@Suite struct ShareTransformationLaws {
    struct Transformation: Sendable, CustomTestStringConvertible {
        let name: String
        var testDescription: String { name }
        /// Samples whose meaning the change would alter.
        var except: @Sendable (ShareSample) -> Bool = { _ in false }
        let apply: @Sendable (String) -> String
    }

    static let transformations: [Transformation] = [
        Transformation(name: "line ends CRLF") { replace("\n", by: "\r\n", in: replace("\r\n", by: "\n", in: $0)) },
        Transformation(name: "line ends U+2028") {
            replace("\n", by: "\u{2028}", in: replace("\r\n", by: "\n", in: $0))
        },
        Transformation(name: "upper case") { $0.uppercased() },
        Transformation(name: "lower case") { $0.lowercased() },
        Transformation(name: "no variation selectors") { text in
            String(String.UnicodeScalarView(text.unicodeScalars.filter { $0 != "\u{FE0F}" }))
        },
        Transformation(name: "variation selectors behind squares") { text in
            String(String.UnicodeScalarView(text.unicodeScalars.flatMap { isSquare($0) ? [$0, "\u{FE0F}"] : [$0] }))
        },
        Transformation(name: "no-break spaces") { replace(" ", by: "\u{A0}", in: $0) },
        Transformation(name: "double spaces", except: { $0.text.contains("  ") || hasSpacedDigits($0.text) }) {
            replace(" ", by: "  ", in: $0)
        },
        Transformation(name: "direction marks") {
            "\u{200E}\u{202A}" + replace(" ", by: " \u{200E}", in: $0) + "\u{202C}"
        },
        Transformation(name: "quoted lines") { "> " + replace("\n", by: "\n> ", in: $0) },
        Transformation(name: "spoiler bars") { text in
            text.split(separator: "\n", omittingEmptySubsequences: false).map { $0.isEmpty ? "" : "||\($0)||" }
                .joined(separator: "\n")
        },
        Transformation(name: "bold") { "**" + $0 + "**" },
        Transformation(name: "chat before") { "my 12th day in a row, 3 coffees in\n" + $0 },
        Transformation(name: "chat after") { $0 + "\nthat was close, 42 people beat me at 7:45 😂" },
        Transformation(name: "chat export prefix") { "[01/09/2026, 07:01:10] Player A: " + $0 },
        Transformation(name: "code block") { "```\n" + $0 + "\n```" },
        Transformation(name: "quotation marks") { "“" + $0 + "”" },
        Transformation(name: "indented") { "    " + replace("\n", by: "\n    ", in: $0) },
        Transformation(
            name: "Arabic-Indic digits", except: { $0.text.contains("http") || $0.text.contains("\u{20E3}") }
        ) {
            text in
            String(
                String.UnicodeScalarView(
                    text.unicodeScalars.map {
                        "0"..."9" ~= $0 ? Unicode.Scalar($0.value - 0x30 + 0x660) ?? $0 : $0
                    }))
        },
        Transformation(name: "colon codes") { text in
            var text = text
            for (square, name) in [
                ("🟩", "large_green_square"), ("🟨", "large_yellow_square"), ("⬛", "black_large_square"),
                ("⬜", "white_large_square"), ("🟦", "large_blue_square"), ("🟪", "large_purple_square"),
                ("🔵", "large_blue_circle"), ("🟡", "large_yellow_circle"), ("💡", "bulb"), ("🟥", "large_red_square"),
            ] {
                text = replace(square, by: ":\(name):", in: text)
            }
            return text
        },
        Transformation(name: "one line") { replace("\n", by: " ", in: replace("\r\n", by: "\n", in: $0)) },
        Transformation(name: "twice the blank lines") {
            replace("\n", by: "\n\n", in: replace("\r\n", by: "\n", in: $0))
        },
    ]

    @Test(arguments: transformations)
    func `a share survives`(transformation: Transformation) {
        let reader = ShareReader()
        for sample in ShareSample.shares where !transformation.except(sample) {
            let text = transformation.apply(sample.text)
            let reading = reader.read(text)
            #expect(reading.shares.map(ShareSample.Expected.init) == sample.expected, "\(sample.id): \(text)")
            #expect(reading.refusals.isEmpty, "\(sample.id): \(reading.refusals)")
        }
    }

    @Test(arguments: transformations)
    func `a text to be refused stays refused`(transformation: Transformation) {
        let reader = ShareReader()
        for sample in ShareSample.refusals where sample.text.utf8.count < 10_000 {
            let reading = reader.read(transformation.apply(sample.text))
            #expect(reading.shares.isEmpty, "\(sample.id)")
            #expect(!reading.refusals.isEmpty, "\(sample.id)")
        }
    }

    @Test func `two shares of different games pasted together are both read`() {
        let reader = ShareReader()
        let samples = ShareSample.shares.filter { $0.expected.count == 1 }
        for (first, second) in zip(samples, samples.dropFirst(7)) {
            let reading = reader.read(first.text + "\n\n" + second.text)
            let expected = first.expected + second.expected
            #expect(
                reading.shares.map(ShareSample.Expected.init) == expected, "\(first.text)\n--\n\(second.text)")
        }
    }

    private static func replace(_ old: String, by new: String, in text: String) -> String {
        let old = Array(old.unicodeScalars)
        let text = Array(text.unicodeScalars)
        var result = String.UnicodeScalarView()
        var index = 0
        while index < text.count {
            if text[index...].starts(with: old) {
                result.append(contentsOf: new.unicodeScalars)
                index += old.count
            } else {
                result.append(text[index])
                index += 1
            }
        }
        return String(result)
    }

    private static func isSquare(_ scalar: Unicode.Scalar) -> Bool {
        "⬛⬜🟥🟧🟨🟩🟦🟪🟫".unicodeScalars.contains(scalar)
    }

    private static func hasSpacedDigits(_ text: String) -> Bool {
        let scalars = Array(text.unicodeScalars)
        return scalars.indices.dropFirst().dropLast().contains { index in
            scalars[index].properties.generalCategory == .spaceSeparator
                && "0"..."9" ~= scalars[index - 1] && "0"..."9" ~= scalars[index + 1]
        }
    }
}
