import Foundation
import StreakGames
import Testing

/// Text by others is displayed and never acts, scalar by scalar, whatever is beside it.
@Suite struct InertTextTests {
    /// All scalars that Unicode joins to a neighbour: Prepend, Extend, SpacingMark, ZWJ, tags, variation selectors.
    static let joining: [Unicode.Scalar] = (Array(0...0x1FFFF) + Array(0xE0000...0xE01EF)).compactMap { value in
        guard let scalar = Unicode.Scalar(UInt32(value)), !scalar.isSteering else { return nil }
        let (behind, before) = ("<\(scalar)", "\(scalar)<")
        return behind.count == 1 || before.count == 1 ? scalar : nil
    }

    static let escapes = ["&": "&amp;", "<": "&lt;", ">": "&gt;", "\"": "&quot;", "'": "&#39;"]

    @Test func `the scalars that join are those of the classes`() {
        let joining = Set(Self.joining.map(\.value))
        // Prepend, Extend, SpacingMark, ZWJ, a tag, variation selectors, an emoji modifier.
        let known: [UInt32] = [0x600, 0x6DD, 0x110BD, 0xD4E, 0x301, 0x903, 0x200D, 0xE0067, 0xFE0F, 0xE0100, 0x1F3FB]
        for value in known { #expect(joining.contains(value), "U+\(String(value, radix: 16))") }
        #expect(joining.count > 2_000)
    }

    @Test(arguments: escapes.keys.sorted())
    func `no neighbour hides a character of markup`(special: String) throws {
        let escape = try #require(Self.escapes[special])
        for scalar in Self.joining {
            let text = "\(scalar)\(special)\(scalar)"
            let escaped = text.escapedAsMarkup
            // Compared by scalars, because as `Character`s the two might be anything.
            #expect(Array(escaped.unicodeScalars) == Array("\(scalar)\(escape)\(scalar)".unicodeScalars))
        }
    }

    @Test func `all text comes back out of JSON as it was, and nothing in it steers`() throws {
        let steering = (0...0xFFFF).compactMap { Unicode.Scalar(UInt32($0)) }.filter(\.isSteering)
        #expect(steering.count == 65 + 2 + 5 + 4 + 3 + 3)
        let text = String(String.UnicodeScalarView(steering)) + "\"\\/é日👩‍👩‍👧"
        let quoted = text.quotedAsJSON
        #expect(!quoted.unicodeScalars.contains { $0.isSteering })
        #expect(try JSONDecoder().decode(String.self, from: Data(quoted.utf8)) == text)
    }

    @Test(arguments: [
        ("\u{1B}]0;title\u{7}x", "]0;titlex"), ("a\u{9B}31mb", "a31mb"), ("a\u{202E}b\u{2066}c", "abc"), ("a\nb", "ab"),
        ("👩‍👩‍👧", "👩‍👩‍👧"),
    ]) func `a line has nothing that steers`(text: String, inert: String) {
        #expect(text.inert == inert)
    }
}
