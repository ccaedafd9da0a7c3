import Glibc
import Onstage

guard CommandLine.arguments.count == 2 else {
    print("usage: StageExample SOUND.wav")
    exit(2)
}
let broker = try Broker()
let scene = broker.scene("main")

let camera = try Camera()
try camera.onFrame { frame in print("frame", frame.info.sequence) }
let motion = Motion(.accelerometer, rate: .game)
try motion.onSample { sample in print("m/s²", sample.value) }
let player = try Player(media: CommandLine.arguments[1], positions: Positions())
player.playWhenReady = true

for resource in [camera, motion, player] as [any Resource] { try scene.bind(resource) }
scene.resume()  // somebody looks: all three are acquired, at the same time
try await Task.sleep(for: .seconds(5))
scene.pause()  // nobody looks: everything is given back
for receipt in await scene.released { print(receipt) }
await broker.close()
