internal import Synchronization

/// Memory for converted frames that nobody reads now, of all sizes that are in use.
final class ConversionPool: Sendable {
    private let free = Mutex<[ConvertedPixels]>([])
    /// More are of sizes that nobody asks for any longer.
    private static let limit = 32

    func take(width: Int, height: Int) -> ConvertedPixels {
        let found = free.withLock { free -> ConvertedPixels? in
            var index = free.count
            while index > 0 {
                index -= 1
                if free[index].width == width, free[index].height == height { return free.remove(at: index) }
            }
            return nil
        }
        return found ?? ConvertedPixels(width: width, height: height)
    }

    func put(_ pixels: ConvertedPixels) {
        free.withLock { free in
            if free.count == Self.limit { free.removeFirst() }
            free.append(pixels)
        }
    }

    /// Nothing of the pictures that were in it stays in memory.
    func blank() {
        free.withLock { free in
            for pixels in free { pixels.blank() }
        }
    }

    func removeAll() {
        free.withLock { $0.removeAll() }
    }
}
