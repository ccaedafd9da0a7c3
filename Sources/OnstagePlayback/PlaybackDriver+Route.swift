internal import OnstageCore

// A route: what its card is set to while its device is open. Set before the device is opened, for some cards have no way out
// before that; put back when nobody waits for anything any more.
extension PlaybackDriver {
    /// Opens the output with its card set as is wished.
    /// - Returns: also what there is to note.
    /// - Throws: what is set already is put back by ``settle()``.
    func openRouted(
        _ device: ResolvedDevice, _ request: OutputRequest, _ cancellation: any CancellationSource
    ) throws(DeviceError) -> (any PCMOutput, notes: [String]) {
        guard let wish = configuration.route else { return try openOutput(device, request, cancellation) }
        var notes: [String] = []
        do throws(DeviceError) {
            // Whoever has the device is heard by what the card is set to now: it is left so until the device is ours.
            if backend.isBusy(device) {
                let (opened, asked) = try openOutput(device, request, cancellation)
                opened.close()
                notes += asked
            }
            notes += try setRoute(wish, device)
            try cancellation.check("snd_pcm_open", device: identity)
            let (opened, asked) = try openOutput(device, request, cancellation)
            return (opened, notes + asked)
        } catch {
            endReservation()
            throw error
        }
    }

    private func setRoute(_ wish: MixerRoute, _ device: ResolvedDevice) throws(DeviceError) -> [String] {
        do throws(DeviceError) {
            let (standing, notes) = try routes.set(wish, on: try backend.mixer(device, wish))
            route = standing
            return notes
        } catch {
            guard !wish.isRequired else { throw error }
            return ["played without its route: \(error)"]
        }
    }

    /// Puts back what its card was set to before, where it still stands as we have set it.
    package func settle() {
        guard let standing = route else { return }
        route = nil
        for text in routes.putBack(standing) { report(.note(text)) }
    }
}
