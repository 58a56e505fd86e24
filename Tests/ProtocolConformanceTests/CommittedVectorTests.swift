import Testing

@testable import streakmesh_vectors

struct CommittedVectorTests {
    /// The vectors that the code generates, made once.
    private static let made = Result { try VectorFile.all() }

    @Test func `every file is there and none besides`() throws {
        #expect(try Vectors.names() == Self.made.get().map(\.name).sorted())
    }

    /// A change here changes the protocol. script/vectors rewrites the files for review.
    @Test func `the committed files are what the code makes`() throws {
        for file in try Self.made.get() {
            let committed = try Vectors.text(file.name)
            #expect(committed == file.content.document, "\(file.name).json differs")
        }
    }

    @Test func `the files are the same twice`() throws {
        #expect(try Self.made.get().map(\.content) == VectorFile.all().map(\.content))
    }

    @Test func `what is written reads back`() throws {
        let strange: JSON = ["quo\"te": "a\\b\u{1}é🧩", "list": [1, true, .null, []], "empty": .object([])]
        #expect(strange.document.contains(#""quo\"te": "a\\b\u0001é🧩""#))
    }
}
