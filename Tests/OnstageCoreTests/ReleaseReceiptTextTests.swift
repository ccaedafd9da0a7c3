import OnstageCore
import Testing

@Suite struct ReleaseReceiptTextTests {
    private func receipt(_ released: MonotonicTime?, _ detail: ReleaseDetail) -> ReleaseReceipt {
        ReleaseReceipt(
            resource: "playback", scene: "main", device: nil, asked: MonotonicTime(nanoseconds: 5_000_000_000),
            released: released, forced: false, stuck: released == nil, detail: detail, reasons: [])
    }

    @Test func aLineForAPerson() {
        let released = MonotonicTime(nanoseconds: 6_211_290_000)
        var receipt = receipt(released, ReleaseDetail(released: released, position: 96410, off: 0))
        #expect(receipt.description == "playback released after 1211.2 ms, goes on at frame 96410")
        receipt.forced = true
        receipt.detail.off = 12
        #expect(receipt.description.hasSuffix("ms, forced, goes on at frame 96410, off by 12 frames"))
        receipt.detail = ReleaseDetail(released: released, lastSequence: 7)
        #expect(receipt.description.hasSuffix("ms, forced, last sequence number 7"))
    }

    @Test func whatIsStuckIsNotReleased() {
        #expect(receipt(nil, ReleaseDetail(released: nil)).description == "playback is stuck: not released")
    }
}
