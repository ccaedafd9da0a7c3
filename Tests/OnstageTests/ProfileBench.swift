import Glibc
import OnstageCore
import OnstageLinux
import OnstageTestSupport
import Testing

@testable import Onstage

/// The checkout that these tests were built from.
let checkout = String(#filePath.dropLast("/Tests/OnstageTests/ProfileBench.swift".count))

func fileText(_ path: String) throws -> String {
    String(decoding: try TextFile.bytes(path), as: UTF8.self)
}

/// What a command of the shell prints; nil if it fails.
func shell(_ command: String) -> String? {
    guard let pipe = popen(command, "r") else { return nil }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
        let count = fread(&piece, 1, piece.count, pipe)
        if count == 0 { break }
        bytes += piece[..<count]
    }
    return pclose(pipe) == 0 ? String(decoding: bytes, as: UTF8.self) : nil
}

extension SplitMix64 {
    mutating func below(_ count: Int) -> Int {
        Int(next() % UInt64(max(count, 1)))
    }
    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[below(elements.count)]
    }
}
