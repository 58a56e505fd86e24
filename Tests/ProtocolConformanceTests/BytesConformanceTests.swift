import StreakCrypto
import StreakWire
import Testing

@testable import streakmesh_vectors

/// Files whose entries are bytes: valid entries are re-encoded unchanged, invalid ones fail with exactly their reason.
struct BytesConformanceTests {
    @Test(arguments: Decoders.files)
    func `valid bytes decode and encode to themselves`(file: String) throws {
        let vectors = try Vectors.read(file)
        let decoder = try VectorDecoder(vectors.text("decoder"))
        #expect(!vectors.list("valid").isEmpty)
        for entry in vectors.list("valid") {
            let bytes = try entry.bytes("hex")
            #expect(try decoder.reencode(bytes) == bytes, "\(entry.name)")
        }
    }

    @Test(arguments: Decoders.files)
    func `invalid bytes fail with exactly their reason`(file: String) throws {
        let vectors = try Vectors.read(file)
        let decoder = try VectorDecoder(vectors.text("decoder"))
        #expect(!vectors.list("invalid").isEmpty)
        for entry in vectors.list("invalid") {
            let bytes = try entry.bytes("hex")
            let expected = try entry.text("reason")
            do throws(WireError) {
                _ = try decoder.reencode(bytes)
                Issue.record("\(file), \(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(file), \(entry.name)")
            }
        }
    }

    @Test func `what a later version may say is understood as far as it can be`() throws {
        let vectors = try Vectors.read("messages")
        let decoder = try VectorDecoder("message")
        for entry in vectors.list("accepted") {
            #expect(try decoder.reencode(entry.bytes("hex")) == entry.bytes("means"), "\(entry.name)")
        }
    }

    @Test func `the fixed codec`() throws {
        let vectors = try Vectors.read("codec")
        for entry in vectors.list("varints") {
            var reader = WireReader(try entry.bytes("hex"))
            #expect(try reader.readVarint() == entry.integer("value"))
            try reader.finish()
        }
        for entry in vectors.list("signedVarints") {
            var reader = WireReader(try entry.bytes("hex"))
            #expect(try reader.readSignedVarint() == entry.integer("value"))
            try reader.finish()
        }
        for entry in vectors.list("refusedVarints") {
            let bytes = try entry.bytes("hex")
            let expected = try entry.text("reason")
            do throws(WireError) {
                var reader = WireReader(bytes)
                _ = try reader.readVarint()
                Issue.record("\(entry.name): taken")
            } catch {
                #expect(error.reason == expected, "\(entry.name)")
            }
        }
        for entry in vectors.list("texts") {
            var reader = WireReader(try entry.bytes("hex"))
            let text = try reader.readText(maximum: 100)
            #expect(Array(text.utf8) == Array(try entry.text("text").utf8))
        }
        for entry in vectors.list("refusedTexts") {
            let bytes = try entry.bytes("hex")
            let maximum = try entry.number("maximum")
            let expected = try entry.text("reason")
            do throws(WireError) {
                var reader = WireReader(bytes)
                _ = try reader.readText(maximum: maximum)
                try reader.finish()
                Issue.record("\(bytes.hexadecimal): taken")
            } catch {
                #expect(error.reason == expected, "\(bytes.hexadecimal)")
            }
        }
    }
}
