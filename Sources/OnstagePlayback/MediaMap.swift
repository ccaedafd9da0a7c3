internal import CLinux
internal import OnstageCore

/// A sound file in memory, for the kernel's eyes alone: what lies in it as a device takes it goes from the file's pages into
/// the device, and no byte of it is copied on the way.
///
/// Nobody of ours reads an address of it. Where the file has been cut short, or its disk is broken, the kernel's copy of the page
/// is EFAULT; ours would be SIGBUS, and the end of the program. Who wants the samples themselves has them copied by the kernel
/// (``copy(_:bytes:to:)``).
package final class MediaMap: Sendable {
    /// Its source's, which outlives it.
    private let file: Int32
    /// Unchecked: an address that never changes, and is read by the kernel alone.
    nonisolated(unsafe) private let start: UnsafeMutableRawPointer
    private let length: Int
    private let dataOffset: Int
    private let frameBytes: Int
    private let page = clinux_page_size()
    /// The kernel says of this file which pages it holds; of another user's it says that it holds all.
    private let isAnswered: Bool
    /// Up to here, in bytes, pages have been let go of. Unchecked: the reading thread's.
    nonisolated(unsafe) private var gone = 0

    /// How much may stay mapped behind what is made present, so that a long file does not look like so much memory.
    private static let most = 16 << 20

    /// How many bytes the kernel maps around a page that is touched (`fault_around_bytes`).
    private static let around = 1 << 16

    /// Nil where the file is not to be mapped: it comes from a server, or addresses are too few.
    init?(file: Int32, dataOffset: Int64, frames: Int64, frameBytes: Int) {
        guard MemoryLayout<Int>.size == 8, frames > 0, !clinux_is_remote(file) else { return nil }
        length = Int(dataOffset) + Int(frames) * frameBytes
        var place: UnsafeMutableRawPointer?
        guard clinux_map(file, length, &place) == 0, let place else { return nil }
        start = place
        isAnswered = clinux_is_own(file)
        self.file = file
        self.dataOffset = Int(dataOffset)
        self.frameBytes = frameBytes
    }

    deinit { clinux_unmap(start, length) }

    /// Where a frame lies; to be handed to the kernel.
    func address(_ frame: Int64) -> UnsafeRawPointer {
        UnsafeRawPointer(start + dataOffset + Int(frame) * frameBytes)
    }

    /// Has the kernel hold frames in its memory, however long their disk takes. 0, or an errno: it cannot.
    ///
    /// They are mapped here, so that the thread which plays them takes no fault for them; and what is mapped the kernel keeps
    /// while it lets go of other pages. One page of sixteen is touched, as many as the kernel maps around it if it holds them;
    /// then it is asked whether all are there, which takes a tenth of what it does for pages that are not mapped.
    /// *Runs on:* the reading thread. *C: `mincore`, `pread`.*
    func makePresent(_ frame: Int64, _ frames: Int) -> Int32 {
        let first = (dataOffset + Int(frame) * frameBytes) / Int(page) * Int(page)
        let end = dataOffset + (Int(frame) + frames) * frameBytes
        guard first >= 0, end <= length, first < end else { return Errno.EFAULT }
        letGo(before: first)
        if isThere(start + first, end - first) { return 0 }
        let answer = read(first, end)
        // What came from the disk is mapped as well, or else it would be the first to go: each page, as the kernel leaves out those
        // at which it reads on.
        if answer == 0 { _ = clinux_touch_each(start + first, end - first, page) }
        return answer
    }

    private func isThere(_ first: UnsafeMutableRawPointer, _ length: Int) -> Bool {
        // Of another user's file nobody tells: each page is touched.
        guard isAnswered else { return clinux_touch_each(first, length, page) }
        return clinux_touch_each(first, length, max(page, Self.around)) && clinux_is_present(first, length, page)
    }

    private func read(_ first: Int, _ end: Int) -> Int32 {
        withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 16) { space in
            var at = first
            while at < end {
                let came = clinux_read_at(file, space.baseAddress, min(space.count, end - at), off_t(at))
                guard came > 0 else { return came < 0 ? Int32(-came) : Errno.EFAULT }
                at += came
            }
            return 0
        }
    }

    private func letGo(before first: Int) {
        if first < gone { gone = 0 }
        guard first - gone > 2 * Self.most else { return }
        let until = (first - Self.most) / Int(page) * Int(page)
        clinux_let_go(start + gone, until - gone)
        gone = until
    }

    /// Has the kernel copy what lies at `from`; the bytes that came: fewer where the file has been cut short, −EAGAIN where a
    /// disk would have to be waited for. *C: `preadv2(RWF_NOWAIT)`.*
    func copy(_ from: UnsafeRawPointer, bytes: Int, to: UnsafeMutableRawPointer) -> Int {
        clinux_read_present(file, to, bytes, off_t(from - UnsafeRawPointer(start)))
    }
}
