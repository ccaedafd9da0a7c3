// swift-tools-version: 6.3
import PackageDescription

// Warnings are made errors by the scripts, not here: unsafe flags would keep others from depending on this package.
let swift: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
]

let package = Package(
    name: "onstage",
    products: [
        .library(name: "Onstage", targets: ["Onstage"]),
        .library(name: "OnstageTestKit", targets: ["OnstageTestKit"]),
        .executable(name: "onstage", targets: ["OnstageCommand"]),
    ],
    targets: [
        // One C library each; the only places with an #include. Only libasound is linked. The others are loaded at first
        // use through a table of function pointers: linking them all would cost 15 ms of CPU before main.
        .target(name: "CALSA", linkerSettings: [.linkedLibrary("asound")]),
        .target(name: "CV4L2", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CIIO", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CSndfile", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CMpg123", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CYuv", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CJPEG", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CPNG", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CUdev", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CSystemd", linkerSettings: [.linkedLibrary("dl")]),
        .target(name: "CLinux"),

        .target(
            name: "OnstageCore", swiftSettings: swift + [.strictMemorySafety()], linkerSettings: [.linkedLibrary("m")]),
        .target(
            name: "OnstageLinux", dependencies: ["OnstageCore", "CLinux", "CSystemd", "CUdev"], swiftSettings: swift),
        .target(
            name: "OnstageStore", dependencies: ["OnstageCore", "OnstageLinux", "CSQLite", "CLinux"],
            swiftSettings: swift),
        .target(
            name: "OnstageCamera", dependencies: ["OnstageCore", "OnstageLinux", "CV4L2", "CYuv", "CJPEG", "CPNG"],
            swiftSettings: swift),
        .target(
            name: "OnstageMotion", dependencies: ["OnstageCore", "OnstageLinux", "CIIO", "CLinux"],
            swiftSettings: swift),
        .target(
            name: "OnstagePlayback",
            dependencies: ["OnstageCore", "OnstageLinux", "CALSA", "CLinux", "CMpg123", "CSndfile"],
            swiftSettings: swift),
        .target(
            name: "Onstage",
            dependencies: [
                "OnstageCore", "OnstageLinux", "OnstageStore", "OnstageCamera", "OnstageMotion", "OnstagePlayback",
            ],
            swiftSettings: swift),
        .target(name: "OnstageTestKit", dependencies: ["Onstage", "OnstageCore"], swiftSettings: swift),
        .executableTarget(
            name: "OnstageCommand",
            dependencies: ["Onstage", "OnstageCore", "OnstageLinux", "OnstageMotion", "CLinux"],
            swiftSettings: swift),

        .executableTarget(
            name: "StageExample", dependencies: ["Onstage"], path: "Sources/Examples/Stage", swiftSettings: swift),

        // What the tests of several modules need: chance with a seed, a folder of a test's own.
        .target(
            name: "OnstageTestSupport", dependencies: ["OnstageLinux", "CLinux"], path: "Tests/Support",
            swiftSettings: swift),
        .testTarget(
            name: "OnstageCoreTests", dependencies: ["OnstageTestSupport", "OnstageCore"], swiftSettings: swift),
        .testTarget(
            name: "OnstageLinuxTests", dependencies: ["OnstageTestSupport", "OnstageLinux", "OnstageCore", "CLinux"],
            swiftSettings: swift),
        .testTarget(
            name: "OnstageStoreTests", dependencies: ["OnstageStore", "OnstageCore", "OnstageLinux", "CSQLite"],
            swiftSettings: swift),
        .testTarget(
            name: "OnstageCameraTests",
            dependencies: [
                "OnstageTestSupport", "OnstageCamera", "OnstageCore", "OnstageLinux", "CV4L2", "CYuv", "CJPEG",
            ],
            swiftSettings: swift),
        .testTarget(
            name: "OnstageMotionTests",
            dependencies: ["OnstageTestSupport", "OnstageMotion", "OnstageCore", "OnstageLinux", "CIIO", "CLinux"],
            swiftSettings: swift),
        .testTarget(
            name: "OnstagePlaybackTests",
            dependencies: [
                "OnstageTestSupport", "OnstagePlayback", "OnstageCore", "OnstageLinux", "CALSA", "CLinux", "CMpg123",
                "CSndfile",
            ],
            exclude: ["Resources"], swiftSettings: swift),
        .testTarget(
            name: "OnstageTests", dependencies: ["OnstageTestSupport", "Onstage", "OnstageTestKit", "OnstageCore"],
            swiftSettings: swift),
        .testTarget(
            name: "OnstageCommandTests",
            dependencies: [
                "OnstageTestSupport", "OnstageCommand", "Onstage", "OnstageCore", "OnstageLinux", "OnstageMotion",
                "CLinux",
            ],
            swiftSettings: swift),
    ],
    swiftLanguageModes: [.v6]
)
