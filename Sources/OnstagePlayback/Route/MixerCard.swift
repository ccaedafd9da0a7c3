package import OnstageCore

/// A card whose controls are set, while they are: the kernel's, or a test's in memory.
///
/// Numbers below zero are minus errno. *Runs on:* the device's thread.
package protocol MixerCard: AnyObject {
    /// Its ID.
    var id: String { get }

    /// How the device is named in errors.
    var shown: String { get }

    /// Who is on it, in its own order; nothing is known yet of what they take.
    func list() -> Result<[MixerElement], PCMFault>

    /// The element with all that it takes.
    func look(_ element: MixerElement) -> Result<MixerElement, PCMFault>

    /// The names of the items of an enumerated element.
    func items(_ element: MixerElement) -> [String]

    /// The levels of an element that has a dB scale, in hundredths of a dB.
    func decibels(_ element: MixerElement) -> ClosedRange<Int64>?

    /// The value that is nearest to a level in hundredths of a dB; nil where it cannot be told.
    func value(decibels: Int64, _ element: MixerElement) -> Int64?

    func read(_ element: MixerElement) -> Result<[Int64], PCMFault>
    func write(_ values: [Int64], _ element: MixerElement) -> Int32

    /// Finds a use case; nothing is set by that.
    /// - Throws: `configuration` where the card has no use cases, or not this one, with those that it has.
    func find(_ useCase: MixerRoute.UseCase) throws(DeviceError)

    /// Sets the use case that was found.
    func enter(_ useCase: MixerRoute.UseCase) throws(DeviceError)

    /// Leaves it, by its own sequences: 0 or minus errno. Without one that was entered it does nothing.
    func leave() -> Int32

    /// Nothing of it is held afterwards; a use case that was entered and not left stays as it is.
    func close()
}
