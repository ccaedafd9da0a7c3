extension SIMD3 {
    /// x, y and z.
    var axes: [Scalar] { [x, y, z] }
}
