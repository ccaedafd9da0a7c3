internal import OnstageCore

// Becoming noisy: the plug is pulled, and what was heard by one person would be heard by the room. Watched for only where it is
// asked for; on the device's own thread, in its one wait.
extension PlaybackDriver {
    /// Begins to look at the card's jacks, when its sound has begun: that waits for nothing.
    func watchJacks() {
        guard configuration.pausesWhenNoisy, jacks == nil, !isJackTried, let output else { return }
        isJackTried = true
        do throws(DeviceError) {
            jacks = try backend.jacks(output.facts, identity)
        } catch {
            report(.note("its jacks cannot be watched: \(error)"))
        }
    }

    /// Takes what the jacks have to say.
    func takeJacks(_ wait: borrowing WaitSet) {
        guard let jacks, jacks.isReady(wait) else { return }
        do throws(DeviceError) {
            if try jacks.takeNews() { report(.becameNoisy) }
        } catch {
            // The card is gone, as its sound will say in its own words; or its jacks say nothing more.
            unwatchJacks()
            if error.kind != .absent { report(.note("its jacks are no longer watched: \(error)")) }
        }
    }

    func unwatchJacks() {
        jacks?.close()
        jacks = nil
    }
}
