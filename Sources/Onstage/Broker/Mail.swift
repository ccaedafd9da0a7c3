internal import OnstageCore
internal import OnstageLinux

/// What the broker's deciding thread is told.
enum Mail: Sendable {
    // Wishes
    case newScene(Scene)
    case wish(SceneID, LifecycleState)
    case bind(SceneID, ResourceID, ResourceHandle, BindingThreshold)
    case unbind(ResourceID)
    case unbindAll(SceneID)
    case pause(ResourceID, PauseReason, Bool)
    case pauseAll(PauseReason, Bool)
    case perform(ResourceID, @Sendable (any DeviceDriver) -> Void)
    case interruptionBegan(SceneID, String, ResourceKind?)
    case interruptionEnded(SceneID, String?, shouldResume: Bool)
    case addObserver(SceneID, any SceneObserver)
    case removeObserver(SceneID, ObjectIdentifier)
    case addAppObserver(any AppObserver)
    case removeAppObserver(ObjectIdentifier)
    case performWhenActive(SceneID, DeferredBlockID, @Sendable () -> Void)
    case cancelBlock(SceneID, DeferredBlockID)
    case awaitReleased(SceneID, CheckedContinuation<[ReleaseReceipt], Never>)
    case subscribe(@Sendable (BrokerEvent) -> Void, finish: @Sendable () -> Void)
    case close(@Sendable () -> Void)
    /// All mail before has been decided.
    case barrier(@Sendable () -> Void)
    // Answers
    case answer(ResourceID, DeviceAnswer)
    /// A lifecycle callback, or the blocks of an activation, have returned.
    case sceneCallbackReturned(SceneID)
    case appCallbackReturned
    case stored(ResourceName, position: Int64, asked: MonotonicTime, at: MonotonicTime)
}
