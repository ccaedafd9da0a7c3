public import OnstageCore

/// Something that a scene can hold for its app: a camera, a motion sensor, a player.
///
/// Made without touching a device; bound to a scene by ``Scene/bind(_:while:)``. One resource may be bound to one scene
/// at a time.
public protocol Resource: AnyObject, Sendable {
    /// What the broker knows it by.
    var handle: ResourceHandle { get }
}

extension Resource {
    /// What it is doing with its device. *Runs on:* any thread; a snapshot.
    public var state: ResourceState { handle.snapshot.state }
    /// Why it is not open, or nil. *Runs on:* any thread; a snapshot.
    public var error: DeviceError? { handle.snapshot.error }
    /// What keeps it from running. *Runs on:* any thread; a snapshot.
    public var pauseReasons: PauseReasons { handle.snapshot.reasons }
    /// The device that it has, or had last. *Runs on:* any thread; a snapshot.
    public var device: ResolvedDevice? { handle.snapshot.device }
}
