import Glibc
import Testing

/// The README shows what is built: its program is the example, to the letter.
@Suite("table: README") struct ReadmeTests {
    private func text(_ path: String) throws -> String {
        let root = #filePath.split(separator: "/").dropLast(3).joined(separator: "/")
        let file = try #require(fopen("/" + root + "/" + path, "r"), "\(path) is missing")
        defer { fclose(file) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65536)
        while true {
            let count = fread(&chunk, 1, chunk.count, file)
            if count == 0 { break }
            bytes += chunk[..<count]
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    @Test func theProgramIsTheExample() throws {
        let readme = try text("README.md")
        let parts = readme.split(separator: "```swift\n", maxSplits: 1)
        let block = try #require(parts.last?.split(separator: "```", maxSplits: 1).first)
        #expect(String(block) == (try text("Sources/Examples/Stage/main.swift")))
        #expect(block.split(separator: "\n").count <= 20, "20 lines, blank ones left out")
    }
}
