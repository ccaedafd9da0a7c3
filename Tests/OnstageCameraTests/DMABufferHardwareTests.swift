import Glibc
import OnstageCore
import OnstageTestSupport
import Testing

@testable import OnstageCamera

@Suite("hardware: vivid's frames as dma-bufs", .enabled(if: Bench.hasVivid), .serialized)
struct DMABufferHardwareTests {
    /// A camera that streams, and the first frame that came.
    private func streaming(
        _ format: String, isSensitive: Bool = false
    ) throws -> (CameraDriver, Turner, KeptFrame) {
        let sinks = FrameSinks()
        let kept = Log<KeptFrame>()
        try sinks.add(.inline, as: .dmaBuffer) { if kept.count == 0 { kept.append($0.keep()) } }
        let driver = CameraDriver(
            configuration: CameraConfiguration(
                selector: .driver("vivid"), width: 640, height: 360, pixelFormat: PixelFormat(format), isExact: true,
                keptFrames: 1, isSensitive: isSensitive), sinks: sinks, report: { _ in })
        let turner = try Turner(driver)
        let acquired = try turner.acquire()
        #expect(acquired.notes.isEmpty, "\(acquired.notes)")
        do {
            #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 3 })
            return (driver, turner, try #require(kept.entries.first))
        } catch {
            // Whoever calls has nothing to release then.
            turner.release()
            throw error
        }
    }

    /// For each plane, whether another process reads at its place of a dma-buf what is in `folder`.
    private func judge(_ planes: [DMABuffer.Plane], in folder: Scratch) -> [String] {
        // Not close-on-exec: for the child.
        let lent = planes.map { dup($0.descriptor) }
        defer { for descriptor in lent { close(descriptor) } }
        let words = planes.indices.map { index in
            "\(lent[index]) \(planes[index].offset) \(planes[index].size) \(folder("plane\(index)"))"
        }
        let answer = Shell.run(
            """
            python3 -S -c '
            import mmap, sys
            for at in range(1, len(sys.argv), 4):
                fd, offset, size = map(int, sys.argv[at:at + 3])
                memory = mmap.mmap(fd, offset + size, flags=mmap.MAP_SHARED, prot=mmap.PROT_READ)
                print(memory[offset:offset + size] == open(sys.argv[at + 3], "rb").read())
            ' \(words.joined(separator: " "))
            """)
        return answer.output.split(separator: "\n").map(String.init)
    }

    private func isEqual(_ one: Picture, _ other: UnsafeRawPointer) -> Bool {
        one.withUnsafeBytes { bytes in bytes.baseAddress.map { memcmp($0, other, bytes.count) == 0 } ?? false }
    }

    @Test(
        "V-16: an importer in another process reads the frame's own planes",
        arguments: [("NV12", false), ("NM16", true)])
    func otherProcess(format: String, isMultiPlanar: Bool) throws {
        defer { if isMultiPlanar { #expect(Bench.load()) } }
        if isMultiPlanar { try #require(Bench.load("multiplanar=2")) }
        let (_, turner, frame) = try streaming(format)
        defer { turner.release() }
        let folder = Scratch()
        let planes = frame.withFrame { frame in
            frame.withDMABuffer { buffer in (0..<buffer.planeCount).map { buffer.plane($0) } } ?? []
        }
        #expect(planes.count == 2)
        #expect(Set(planes.map(\.descriptor)).count == (isMultiPlanar ? planes.count : 1))
        // vivid puts 128 bytes before the first plane of NM16.
        if format == "NM16" { #expect(planes.first?.offset ?? 0 > 0) }
        for (index, plane) in planes.enumerated() {
            let file = folder("plane\(index)")
            let own = frame.withFrame { $0.withBytes(plane: index) { bytes in bytes.withUnsafeBytes { Array($0) } } }
            #expect(own.count == plane.size && own.contains { $0 != own[0] })
            let output = try #require(fopen(file, "w"))
            fwrite(own, 1, own.count, output)
            fclose(output)
        }
        #expect(judge(planes, in: folder) == ["True", "True"], "\(format)")
    }

    @Test(
        "V-01: after the release no dma-buf is ours, whoever imports one, and the device is free",
        arguments: [false, true])
    func released(isSensitive: Bool) throws {
        let (driver, turner, frame) = try streaming("YUYV", isSensitive: isSensitive)
        #expect(Bench.dmaBuffers.count == 3)
        // An importer in this process, with a duplicate and a mapping of its own.
        let lent = frame.withFrame { frame in
            frame.withDMABuffer { buffer in (dup(buffer.plane(0).descriptor), buffer.plane(0).size) }
        }
        let (importer, size) = try #require(lent)
        let memory = try #require(mmap(nil, size, PROT_READ, MAP_SHARED, importer, 0))
        try #require(memory != MAP_FAILED)
        defer { munmap(memory, size) }
        let picture = frame.copy()
        let imported = UnsafeRawPointer(memory)
        #expect(isEqual(picture, imported))
        turner.release()
        #expect(Bench.dmaBuffers.count == 1, "\(Bench.dmaBuffers)")
        close(importer)
        #expect(Bench.dmaBuffers.isEmpty && Bench.heldNodes.isEmpty)
        // The mapping holds the memory all the while, and not the device.
        let judge = Shell.run("timeout 20 v4l2-ctl -d /dev/video0 --stream-mmap --stream-count=2")
        #expect(judge.status == 0, "\(judge.output)")
        if isSensitive {
            #expect(UnsafeRawBufferPointer(start: imported, count: size).allSatisfy { $0 == 0 })
        } else {
            #expect(isEqual(picture, imported))
        }
        let before = driver.counts.delivered
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > before + 3 })
        turner.release()
        #expect(Bench.dmaBuffers.isEmpty && Bench.heldNodes.isEmpty)
    }

    @Test("nothing is exported that nobody asked for")
    func unasked() throws {
        let sinks = FrameSinks()
        try sinks.add(.inline) { _ in }
        let driver = CameraDriver(
            configuration: CameraConfiguration(selector: .driver("vivid"), width: 640, height: 360), sinks: sinks,
            report: { _ in })
        let turner = try Turner(driver)
        _ = try turner.acquire()
        #expect(try turner.turn(for: .seconds(10)) { driver.counts.delivered > 2 })
        #expect(Bench.dmaBuffers.isEmpty)
        turner.release()
    }
}
