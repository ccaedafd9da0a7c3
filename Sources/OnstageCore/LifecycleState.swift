/// Where a scene, or the app, stands.
///
///     notRunning → inactive → active          cold start (or notRunning → background: started without a screen)
///     active ⇄ inactive                        interruption and return
///     inactive → background → suspended        leaving
///     suspended → background → inactive        return
///     background | suspended → notRunning      the end
public enum LifecycleState: String, Hashable, Sendable, CaseIterable {
    case notRunning
    case inactive
    case active
    case background
    case suspended
}
