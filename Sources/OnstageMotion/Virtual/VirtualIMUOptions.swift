/// What the virtual accelerometer and gyroscope are to do.
package struct VirtualIMUOptions: Sendable {
    /// The most reports a second that it sends, in Hz; nil for whatever the kernel asks for.
    package var rateLimit: Double?
    package var motion = VirtualMotion.still
    package var up = VirtualAxis.z
    package var faults: [VirtualIMUFault] = []
    /// Each report's x is the number of the report since the power-up, so that a lost one shows.
    package var countsSamples = false
    /// How the kernel names the device, 1 to 127 bytes.
    package var name = "Onstage virtual sensor hub"

    package init() {}
}
