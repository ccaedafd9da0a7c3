/// Something that waits and can be made to look around.
package protocol Waker: AnyObject, Sendable {
    /// Ends the present wait, or the next one if none is under way. Never waits. *Runs on:* any thread.
    func wake()
}

/// Where time comes from: the kernel, or a clock that stands still in a test.
package protocol MonotonicClock: Sendable {
    var now: MonotonicTime { get }

    /// How many nanoseconds of real time a wait that ends at `deadline` (nil: never) may take; negative for "until woken". A
    /// clock that stands still remembers `waker` and wakes it when its time reaches the deadline.
    func timeout(until deadline: MonotonicTime?, waking waker: any Waker) -> Int64
}
