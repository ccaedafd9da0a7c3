package import OnstageCore

/// What tells that a plug has been pulled, while a PCM plays. *Runs on:* the device's thread.
package protocol JackWatch: AnyObject {
    /// Names what to wait for; the same each time.
    func prepare(_ wait: inout WaitSet)

    /// Whether the wait ended because of it.
    func isReady(_ wait: borrowing WaitSet) -> Bool

    /// Takes all that came; whether a plug has been pulled that was in.
    /// - Throws: when there is nothing more to be learnt from it.
    func takeNews() throws(DeviceError) -> Bool

    func close()
}

/// The names that the kernel gives to jacks (Documentation/sound/designs/jack-controls.rst).
enum JackName {
    /// Whether a plug in the jack of this name is how `device` of its card is heard.
    static func isHeard(_ name: String, device: Int) -> Bool {
        guard name.hasSuffix(" Jack"), !name.hasSuffix("Phantom Jack") else { return false }
        let place = name.dropLast(5)
        if place.hasPrefix("HDMI/DP,pcm=") { return place.dropFirst(12) == "\(device)" }
        // A microphone's own; "Headphone Mic Jack" takes either plug.
        if place.hasSuffix("Headset Mic") { return false }
        return ["Headphone", "Headset", "Line Out"].contains { place.contains($0) }
    }
}

/// Which plugs are in: told of what has become of each, it tells whether one was pulled.
struct JackStates: Hashable {
    private var plugged: [UInt32: Bool] = [:]

    var isEmpty: Bool { plugged.isEmpty }

    /// Whether that was a plug being pulled. One that was never seen in was not.
    mutating func take(_ number: UInt32, isIn: Bool) -> Bool {
        defer { plugged[number] = isIn }
        return plugged[number] == true && !isIn
    }

    /// The jack itself is gone, which is no plug's doing.
    mutating func forget(_ number: UInt32) {
        plugged[number] = nil
    }
}
