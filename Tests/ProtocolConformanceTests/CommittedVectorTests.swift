import Testing

@testable import streakmesh_vectors

struct CommittedVectorTests {
    @Test func `every file is there and none besides`() throws {
        #expect(try Vectors.names() == VectorFile.all().map(\.name).sorted())
    }

    /// A change here is a change of the protocol: script/vectors writes the files anew, for review.
    @Test func `the committed files are what the code makes`() throws {
        for file in try VectorFile.all() {
            let committed = try Vectors.text(file.name)
            #expect(committed == file.content.document, "\(file.name).json differs")
        }
    }

    @Test func `the files are the same twice`() throws {
        #expect(try VectorFile.all().map(\.content) == VectorFile.all().map(\.content))
    }

    @Test func `what is written reads back`() throws {
        let strange: JSON = ["quo\"te": "a\\b\u{1}é🧩", "list": [1, true, .null, []], "empty": .object([])]
        #expect(strange.document.contains(#""quo\"te": "a\\b\u0001é🧩""#))
    }
}
