import CV4L2
import OnstageCore
import Synchronization

@testable import OnstageCamera

/// A kernel with a played camera at the end of a played media device's pipeline.
struct PlayedBoard: VideoKernel {
    let camera: PlayedKernel
    let media: PlayedMedia

    private func kernel(_ descriptor: Int32) -> any VideoKernel {
        media.state.withLock { $0.open[descriptor] != nil } ? media : camera
    }

    var isConverting: Bool { false }
    func open(_ node: String) -> Int32 { node == "/dev/video0" ? camera.open(node) : media.open(node) }
    func close(_ descriptor: Int32) { kernel(descriptor).close(descriptor) }
    func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32 {
        if call == .streamOn { media.state.withLock { state in state.meddled.map { state.links[$0].flags ^= 1 } } }
        return kernel(descriptor).call(descriptor, call, argument)
    }
    func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer? {
        camera.map(descriptor, length: length, offset: offset, fault: &fault)
    }
    func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32 { camera.unmap(address, length: length) }
    func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32 {
        camera.detach(address, length: length, copying: copying)
    }
}
