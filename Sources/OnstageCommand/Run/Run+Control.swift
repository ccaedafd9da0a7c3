internal import Onstage
internal import OnstageCore
internal import OnstageLinux

// Wishes and questions by `onstage ctl`.
extension Run {
    func listen() {
        do throws(DeviceError) {
            control = try ControlSocket()
        } catch {
            screen.write(.warning, "onstage ctl cannot reach this run: \(error)")
        }
    }

    func take(_ request: ControlSocket.Request) {
        switch SceneWish.words(request.line) {
        case ["status"]: control?.answer(request.client, lines: statusLines)
        case ["status", "json"]: control?.answer(request.client, lines: [statusJSON.line])
        default:
            do throws(SceneWish.Refusal) {
                let wish = try SceneWish(line: request.line)
                if wish.wish == .end, wish.named == nil {
                    control?.answer(request.client, lines: ["ending"])
                    return carryOut(wish)
                }
                guard case .running = stage else {
                    control?.answer(request.client, error: "the run is ending")
                    return
                }
                let refused = refusals[wish.scene]?.count ?? 0
                carryOut(wish)
                let (client, scene) = (request.client, wish.scene)
                broker.afterWishes { [mailbox] in
                    mailbox.send(.settled(client, scene: scene, refused: refused))
                }
            } catch {
                control?.answer(request.client, error: error.description)
            }
        }
    }

    /// Tells what came of a wish, when it has been decided.
    func answer(_ client: ControlSocket.Client, scene: String, refused: Int) {
        if let all = refusals[scene], all.count > refused {
            return control?.answer(client, error: all.last) ?? ()
        }
        guard let found = scenes[scene] else {
            return control?.answer(client, error: "there is no scene \(scene)") ?? ()
        }
        control?.answer(client, lines: ["\(scene) \(found.scene.phase.rawValue)"])
    }

    private var statusLines: [String] {
        allScenes.filter { scenes[$0.name] === $0 }.flatMap { run in
            ["\(run.name) \(run.scene.phase.rawValue)"]
                + run.resources.all.map { resource in
                    var line = "\(run.name) \(resource.handle.name) \(resource.state.rawValue)"
                    if let device = resource.device { line += " \(device.identity)" }
                    if let error = resource.error { line += ": \(error)" }
                    if resource === run.resources.player, let player = run.resources.player {
                        line += ", frame \(player.position)"
                    }
                    return line
                }
        }
    }

    private var statusJSON: JSONValue {
        let list = allScenes.filter { scenes[$0.name] === $0 }.map { run -> JSONValue in
            let resources = run.resources.all.map { resource -> JSONValue in
                var members: [JSONValue.Member] = [
                    .init("id", .text(resource.handle.name)),
                    .init("state", .text(resource.state.rawValue)),
                    .init("device", resource.device.map { .text($0.identity) } ?? .null),
                    .init("error", resource.error.map { .text("\($0)") } ?? .null),
                    .init("pauseReasons", .list(resource.pauseReasons.reasons.map { .text("\($0)") })),
                    .init("delivered", .integer(Int64(clamping: resource.handle.counts.delivered))),
                ]
                if let value = run.value(of: resource) { members.append(.init("value", Report.axes(value))) }
                if resource === run.resources.player, let player = run.resources.player {
                    members.append(.init("position", .integer(player.position)))
                }
                return .object(members)
            }
            return [
                "name": .text(run.name), "state": .text(run.scene.phase.rawValue), "resources": .list(resources),
            ]
        }
        return ["version": 1, "profile": .text(plan.profile.name), "scenes": .list(list)]
    }
}
