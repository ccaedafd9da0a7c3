/// One control element of a card: who it is, and what it takes.
package struct MixerElement: Hashable, Sendable {
    /// Who it is, whatever number it has.
    package struct Address: Hashable, Sendable {
        var interface: MixerRoute.Interface
        var name: String
        var index = 0
        var device = 0
        var subdevice = 0
    }

    /// What kind of values it has.
    package enum Kind: Hashable, Sendable {
        case flag
        case number(ClosedRange<Int64>)
        /// One of as many items, by number.
        case item(Int)
        /// Bytes: kept and put back, never set by us.
        case bytes
        /// What is left alone (the status bits of IEC 958, and what may come).
        case other
    }

    /// The kernel's number of it, which stays as long as it is there.
    package var number: UInt32
    var address: Address
    var kind = Kind.other
    /// Its numbers have 64 bits, which the kernel keeps elsewhere than those of 32.
    var isWide = false
    /// Its values: one a channel.
    var count = 1
    var isReadable = true
    var isWritable = true
    /// Another program has locked it.
    var isLocked = false
    /// It changes by itself.
    var isVolatile = false

    /// Whether what stands in it can be kept and put back. One that is inactive now may be another's doing (snd-dummy's "CD
    /// Volume" is while its box is none), and takes its values all the same.
    var isKept: Bool { kind != .other && isReadable && isWritable && !isVolatile }
}

extension MixerElement.Address: CustomStringConvertible {
    /// As a person tells it from the others: "Master Volume", "Master Volume 1", "PCM Notify (pcm, device 1)".
    package var description: String {
        var place = interface == .mixer ? [] : [interface.rawValue]
        if device != 0 { place.append("device \(device)") }
        if subdevice != 0 { place.append("subdevice \(subdevice)") }
        return (index == 0 ? name : "\(name) \(index)") + (place.isEmpty ? "" : " (\(place.joined(separator: ", ")))")
    }
}
