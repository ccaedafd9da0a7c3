import CV4L2
import OnstageCore

@testable import OnstageCamera

/// A control of a played camera. As USB cameras do, it refuses what its automatic decides about.
struct PlayedControl {
    var id: UInt32
    var title: String
    var type = V4L2_CTRL_TYPE_INTEGER
    var range: ClosedRange<Int64> = 0...255
    var step: UInt64 = 1
    var value: Int64 = 128
    var flags: UInt32 = 0
    var items: [Int64: String] = [:]
    /// The automatic, which decides while it is 1.
    var automatic: UInt32?
    var refusal: Int32?

    static let exposure = [
        PlayedControl(
            id: 0x009a_0902, title: "Exposure Time, Absolute", range: 1...5000, value: 250, automatic: 0x009a_0901),
        PlayedControl(
            id: 0x009a_0901, title: "Auto Exposure", type: V4L2_CTRL_TYPE_MENU, range: 0...3, value: 3,
            items: [1: "Manual Mode", 3: "Aperture Priority Mode"]),
        PlayedControl(id: 0x0098_0900, title: "Brightness"),
        PlayedControl(id: 0x0098_0912, title: "Gain, Automatic", type: V4L2_CTRL_TYPE_BOOLEAN, range: 0...1, value: 1),
        PlayedControl(id: 0x0098_0913, title: "Gain", range: 0...100, value: 10, automatic: 0x0098_0912),
    ]

    private func isInactive(_ state: PlayedKernel.State) -> Bool {
        guard let automatic, let master = state.controls.first(where: { $0.id == automatic }) else { return false }
        return master.items.isEmpty ? master.value == 1 : master.value != 1
    }

    static func query(_ state: inout PlayedKernel.State, _ query: UnsafeMutablePointer<v4l2_query_ext_ctrl>) -> Int32 {
        let next = UInt32(V4L2_CTRL_FLAG_NEXT_CTRL) | UInt32(V4L2_CTRL_FLAG_NEXT_COMPOUND)
        let id = query.pointee.id
        let sorted = state.controls.sorted { $0.id < $1.id }
        let found = id & next != 0 ? sorted.first { $0.id > id & ~next } : sorted.first { $0.id == id }
        guard let found else { return -Errno.EINVAL }
        query.pointee = v4l2_query_ext_ctrl()
        query.pointee.id = found.id
        query.pointee.type = found.type.rawValue
        PlayedKernel.copy(found.title, &query.pointee.name)
        query.pointee.minimum = found.range.lowerBound
        query.pointee.maximum = found.range.upperBound
        query.pointee.step = found.step
        query.pointee.default_value = found.range.lowerBound
        query.pointee.flags = found.flags | (found.isInactive(state) ? UInt32(V4L2_CTRL_FLAG_INACTIVE) : 0)
        return 0
    }

    static func item(_ state: inout PlayedKernel.State, _ item: UnsafeMutablePointer<cv4l2_item>) -> Int32 {
        guard let control = state.controls.first(where: { $0.id == item.pointee.control }),
            let name = control.items[Int64(item.pointee.index)]
        else { return -Errno.EINVAL }
        PlayedKernel.copy(name, &item.pointee.text)
        return 0
    }

    static func get(_ state: inout PlayedKernel.State, _ value: UnsafeMutablePointer<cv4l2_value>) -> Int32 {
        guard let control = state.controls.first(where: { $0.id == value.pointee.control }) else {
            return -Errno.EINVAL
        }
        value.pointee.number = control.value
        return 0
    }

    static func set(_ state: inout PlayedKernel.State, _ value: UnsafeMutablePointer<cv4l2_value>) -> Int32 {
        guard let index = state.controls.firstIndex(where: { $0.id == value.pointee.control }) else {
            return -Errno.EINVAL
        }
        let control = state.controls[index]
        if let refusal = control.refusal { return -refusal }
        if control.isInactive(state) { return -Errno.EACCES }
        state.controls[index].value = value.pointee.number / Int64(control.step) * Int64(control.step)
        state.writes.append("\(ControlName.normal(control.title))=\(value.pointee.number)")
        return 0
    }
}
