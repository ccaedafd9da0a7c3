import Glibc

/// The files of Resources, found beside the test bundle or in the checkout.
enum Fixture {
    static func path(_ name: String) -> String {
        let source = String(#filePath)
        let folder = source[..<(source.lastIndex(of: "/") ?? source.endIndex)]
        return "\(folder)/Resources/\(name)"
    }

    static func bytes(_ path: String) -> [UInt8]? {
        guard let file = fopen(path, "r") else { return nil }
        defer { fclose(file) }
        var all: [UInt8] = []
        var page = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = fread(&page, 1, page.count, file)
            if count <= 0 { return all }
            all += page[..<count]
        }
    }

    static func write(_ bytes: [UInt8], to path: String) {
        guard let file = fopen(path, "w") else { return }
        fwrite(bytes, 1, bytes.count, file)
        fclose(file)
    }

    static func text(_ name: String) -> String? {
        bytes(path(name)).map { String(decoding: $0, as: UTF8.self) }
    }
}
