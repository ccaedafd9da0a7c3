import Onstage

/// Tells a transcript what a scene's observer hears.
final class Names: SceneObserver {
    private let name: String
    private let transcript: Transcript

    init(_ name: String, _ transcript: Transcript) {
        (self.name, self.transcript) = (name, transcript)
    }

    private func add(_ callback: String) { transcript.add("\(name) \(callback)") }
    func didFinishLaunching(_ scene: Scene) { add("didFinishLaunching") }
    func willEnterForeground(_ scene: Scene) { add("willEnterForeground") }
    func didBecomeActive(_ scene: Scene) { add("didBecomeActive") }
    func willResignActive(_ scene: Scene) { add("willResignActive") }
    func didEnterBackground(_ scene: Scene) { add("didEnterBackground") }
    func willTerminate(_ scene: Scene) { add("willTerminate") }
    func didDisconnect(_ scene: Scene) { add("didDisconnect") }
}
