internal import OnstageCore
internal import OnstageLinux

/// What it costs to have samples that were read as values: for the bench.
package enum DecodingMeasure {
    /// Goes over random samples of three axes of a form ("le:s12/16>>4") and a time, many times, as the driver and a
    /// listener for batches do.
    ///
    /// - Returns: nanoseconds a sample, the best of several rounds, and the sum of the values; nil for a form that no kernel
    ///   writes.
    package static func nanoseconds(_ type: String, batch: Int = 64, rounds: Int = 41) -> (Double, sum: Double)? {
        let axes = (0..<3).compactMap { ScanElement(type: type, index: $0) }
        guard axes.count == 3, let time = ScanElement(type: "le:s64/64>>0", index: 3) else { return nil }
        let layout = SampleLayout(axes: axes, timestamp: time)
        let decoder = SampleDecoder(layout)
        let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: batch * layout.step, alignment: 16)
        let raw = UnsafeMutablePointer<SIMD3<Int64>>.allocate(capacity: batch)
        let times = UnsafeMutablePointer<Int64>.allocate(capacity: batch)
        let scale = UnsafeMutablePointer<AxisScale>.allocate(capacity: 1)
        defer {
            bytes.deallocate()
            raw.deallocate()
            times.deallocate()
            scale.deallocate()
        }
        guard let start = bytes.baseAddress else { return nil }
        for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255) }
        scale.initialize(to: AxisScale(SensorScale(offset: .zero, scale: SIMD3(repeating: 1e-3), mount: .identity)))
        let run = decoder.run(start, decoded: raw, times: times)
        var (sum, best) = (SIMD3<Double>.zero, Int64.max)
        let repeats = 500
        for _ in 0..<rounds {
            let before = MonotonicTime.now
            for _ in 0..<repeats {
                decoder.decode(start, count: batch, raw: raw, times: times)
                let samples = MotionBatch(
                    kind: .accelerometer, count: batch, isMonotonic: true, isPolled: false, run: run, scale: scale,
                    sequence: 0)
                samples.each { _, value, _ in sum += value }
            }
            best = min(best, (MonotonicTime.now - before).wholeNanoseconds)
        }
        return (Double(best) / Double(repeats * batch), (sum.x + sum.y + sum.z))
    }
}
