/// How a sensor sits in the machine: turns the sensor's axes into the machine's.
package struct MountMatrix: Hashable, Sendable {
    /// Each row makes one axis of the machine.
    package var rows: (x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) {
        get { (x, y, z) }
        set { (x, y, z) = newValue }
    }
    private var x: SIMD3<Double>
    private var y: SIMD3<Double>
    private var z: SIMD3<Double>

    package init(x: SIMD3<Double>, y: SIMD3<Double>, z: SIMD3<Double>) {
        self.x = x
        self.y = y
        self.z = z
    }

    /// The sensor's axes are the machine's.
    package static let identity = MountMatrix(x: SIMD3(1, 0, 0), y: SIMD3(0, 1, 0), z: SIMD3(0, 0, 1))

    /// From the form of the kernel and of udev: "1, 0, 0; 0, 1, 0; 0, 0, 1".
    package init?(_ text: String) {
        let rows = text.split(separator: ";", omittingEmptySubsequences: false).map { row in
            row.split(separator: ",", omittingEmptySubsequences: false).map { number in
                Double(String(number.filter { $0 != " " && !$0.isNewline }))
            }
        }
        guard rows.count == 3 else { return nil }
        var vectors: [SIMD3<Double>] = []
        for row in rows {
            guard row.count == 3, let a = row[0], let b = row[1], let c = row[2] else { return nil }
            guard a.isFinite, b.isFinite, c.isFinite else { return nil }
            vectors.append(SIMD3(a, b, c))
        }
        self.init(x: vectors[0], y: vectors[1], z: vectors[2])
    }
}
