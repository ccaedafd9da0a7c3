internal import Glibc

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.starts(with: ["bench", "imu"]) {
    exit(BenchIMU.run(Array(arguments.dropFirst(2))))
}
print("onstage")
