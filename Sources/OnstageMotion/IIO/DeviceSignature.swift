internal import OnstageLinux

/// Which devices and triggers a machine has: another one as soon as any of them came, went, or was plugged in again.
struct DeviceSignature: Hashable {
    // The kernel makes the links in this folder anew for each device, with numbers that it does not use again.
    private var numbers: [UInt64] = []

    /// nil when it cannot be found out.
    init?(_ tree: IIOTree) {
        guard let folder = try? Folder(tree.devices) else { return nil }  // without IIO there is none to compare
        while let number = folder.nextNumber() { numbers.append(number) }
        numbers.sort()
    }
}
