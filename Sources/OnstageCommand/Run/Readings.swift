internal import Onstage
internal import OnstageCore
internal import Synchronization

/// The newest of what a scene's devices say, for the status line. *Runs on:* any thread.
final class Readings: Sendable {
    private struct Newest: Sendable {
        var acceleration: SIMD3<Double>?
        var turning: SIMD3<Double>?
    }

    private let frameCount = Atomic<UInt64>(0)
    private let newest = Mutex(Newest())

    /// Frames that the camera's sink was handed.
    var frames: UInt64 { frameCount.load(ordering: .relaxed) }
    /// m/s²
    var acceleration: SIMD3<Double>? { newest.withLock { $0.acceleration } }
    /// rad/s
    var turning: SIMD3<Double>? { newest.withLock { $0.turning } }

    func countFrame() {
        frameCount.add(1, ordering: .relaxed)
    }

    func take(_ sample: MotionSample) {
        newest.withLock { newest in
            switch sample.kind {
            case .accelerometer: newest.acceleration = sample.value
            case .gyroscope: newest.turning = sample.value
            }
        }
    }
}
