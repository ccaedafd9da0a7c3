/// Where the channels of a sample lie: each aligned to its own length, the whole to the longest.
package struct SampleLayout: Hashable, Sendable {
    package struct Field: Hashable, Sendable {
        package var element: ScanElement
        /// Bytes from the beginning of the sample.
        package var offset: Int
    }

    package let axes: [Field]
    package let timestamp: Field?
    /// Bytes from one sample to the next.
    package let step: Int

    /// From the channels that are enabled: x, y and z, and the time if it is there.
    package init(axes: [ScanElement], timestamp: ScanElement?) {
        var offsets: [Int: Int] = [:]
        var end = 0
        var longest = 1
        for element in (axes + (timestamp.map { [$0] } ?? [])).sorted(by: { $0.index < $1.index }) {
            end = Self.align(end, to: element.length)
            offsets[element.index] = end
            end += element.length
            longest = max(longest, element.length)
        }
        self.axes = axes.map { Field(element: $0, offset: offsets[$0.index] ?? 0) }
        self.timestamp = timestamp.map { Field(element: $0, offset: offsets[$0.index] ?? 0) }
        step = Self.align(end, to: longest)
    }

    private static func align(_ offset: Int, to length: Int) -> Int {
        (offset + length - 1) / length * length
    }
}
