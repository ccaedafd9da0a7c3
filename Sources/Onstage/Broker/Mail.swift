internal import OnstageCore
internal import OnstageLinux

/// What the broker's deciding thread is told.
enum Mail: Sendable {
    // Wishes
    case newScene(Scene)
    case wish(Scene, LifecycleState)
    case bind(Scene, ResourceID, ResourceHandle, BindingThreshold)
    case unbind(ResourceID)
    case unbindAll(SceneID)
    case pause(ResourceID, PauseReason, Bool, by: PlayWhenReadyReason)
    case pauseAll(PauseReason, Bool)
    case tell(ResourceID, ResourceEvent)
    case perform(ResourceID, @Sendable (any DeviceDriver) -> Void)
    case interruptionBegan(SceneID, String, ResourceKind?)
    case interruptionEnded(SceneID, String?, shouldResume: Bool)
    case addObserver(SceneID, any SceneObserver)
    case removeObserver(SceneID, ObjectIdentifier)
    case addAppObserver(any AppObserver)
    case removeAppObserver(ObjectIdentifier)
    case performWhenActive(SceneID, DeferredBlockID, @Sendable () -> Void)
    case cancelBlock(SceneID, DeferredBlockID)
    case addTimer(SceneID, SceneTimerID, after: Duration, every: Duration?, @Sendable () -> Void)
    case cancelTimer(SceneID, SceneTimerID)
    /// Of a scene, or nil for the app's; the other one: nobody reads any more.
    case followPhase(SceneID?, PhaseFollower)
    case leavePhase(SceneID?, PhaseFollower.Token)
    case awaitReleased(Scene, CheckedContinuation<[ReleaseReceipt], Never>)
    /// Answers false when nobody reads any more.
    case subscribe(@Sendable (BrokerEvent) -> Bool, finish: @Sendable () -> Void)
    case close(@Sendable () -> Void)
    /// All mail before has been decided.
    case barrier(@Sendable () -> Void)
    /// Goes on with an acquire after those who were told of it.
    case claim(ResourceID, Generation)
    /// Who has the sound has changed; the last is the turn in which it did.
    case focus(ResourceID, FocusChange, UInt64)
    // Answers
    case answer(ResourceID, DeviceAnswer)
    /// A lifecycle callback, or the blocks of an activation, have returned.
    case sceneCallbackReturned(SceneID)
    case appCallbackReturned
    case stored(ResourceHandle, ResourceName, position: Int64, asked: MonotonicTime, at: MonotonicTime)

    /// What becomes of mail that comes after the broker's end. *Runs on:* any thread.
    func refuse() {
        switch self {
        case .close(let done): done()
        case .awaitReleased(let scene, let continuation): continuation.resume(returning: scene.lastReceipts)
        case .subscribe(_, let finish): finish()
        case .followPhase(_, let follower): follower.finish()
        case .bind(let scene, let id, let handle, _): handle.clear(ResourceHandle.Token(id, scene.broker))
        case .newScene, .wish, .unbind, .unbindAll, .pause, .pauseAll, .tell, .perform, .interruptionBegan,
            .interruptionEnded, .addObserver, .removeObserver, .addAppObserver, .removeAppObserver,
            .performWhenActive, .cancelBlock, .addTimer, .cancelTimer, .leavePhase, .barrier, .focus, .claim, .answer,
            .sceneCallbackReturned, .appCallbackReturned, .stored:
            break
        }
    }
}
