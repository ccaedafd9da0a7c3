internal import CLinux
package import OnstageCore

/// An open folder whose names are read one by one; closed with its owner.
package struct Folder: ~Copyable {
    private let stream: OpaquePointer

    /// Opens `path`, relative to the open folder `base` when it is given.
    /// - Throws: the errno of the call, by the one table. *C: `openat`, `fdopendir`.*
    package init(_ path: String, at base: Int32? = nil) throws(DeviceError) {
        var fault: Int32 = 0
        guard let stream = clinux_folder(base ?? AT_FDCWD, path, &fault) else {
            throw DeviceError(errno: -fault, operation: "open", device: path)
        }
        self.stream = stream
    }

    /// The folder's descriptor, for the calls that start from it.
    package var descriptor: Int32 { dirfd(stream) }

    /// The next name but "." and "..", valid until the next call; nil at the end. *C: `readdir`.*
    package func next() -> UnsafePointer<CChar>? {
        clinux_folder_next(stream)
    }

    /// The file number of the next entry but "." and ".."; nil at the end. *C: `readdir`.*
    package func nextNumber() -> UInt64? {
        let number = clinux_folder_next_number(stream)
        return number == 0 ? nil : number
    }

    /// All names, sorted. *C: `readdir`.*
    package static func names(in path: String) -> [String] {
        guard let folder = try? Folder(path) else { return [] }  // an absent folder has no names
        var names: [String] = []
        while let name = folder.next() { names.append(String(cString: name)) }
        return names.sorted()
    }

    deinit {
        closedir(stream)
    }
}
