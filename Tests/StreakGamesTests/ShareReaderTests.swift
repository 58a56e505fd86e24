import StreakGames
import Testing

@Suite struct ShareReaderTests {
    private let reader = ShareReader()

    @Test func `the corpus is whole`() {
        #expect(ShareSample.all.count == 433 + 59)
        #expect(ShareSample.refusals.count == 59)
        // The other file grows with the catalogue.
        #expect(ShareSample.more.count >= 391 && ShareSample.more.count == ShareSample.lineCount(in: "more-shares"))
        #expect(ShareSample.more.allSatisfy { !$0.expected.isEmpty })
    }

    @Test(arguments: ShareSample.shares)
    func `every sample is read exactly`(sample: ShareSample) {
        let reading = reader.read(sample.text)
        #expect(reading.shares.map(ShareSample.Expected.init) == sample.expected, "\(sample.text)")
        #expect(reading.refusals.isEmpty, "\(reading.refusals)")
    }

    @Test(arguments: ShareSample.refusals)
    func `every text to be refused is refused with a reason`(sample: ShareSample) {
        let reading = reader.read(sample.text)
        #expect(reading.shares.isEmpty)
        #expect(!reading.refusals.isEmpty)
    }
}
