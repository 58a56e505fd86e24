import Testing

@testable import streakmesh_vectors

struct CommittedVectorTests {
    /// What the code makes, made once.
    private static let made = Result { try VectorFile.all() }

    @Test func `every file is there and none besides`() throws {
        #expect(try Vectors.names() == Self.made.get().map(\.name).sorted())
    }

    /// A change here is a change of the protocol: script/vectors writes the files anew, for review.
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
