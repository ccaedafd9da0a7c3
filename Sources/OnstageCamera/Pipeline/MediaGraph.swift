internal import CV4L2
internal import Glibc
internal import OnstageCore
internal import OnstageLinux

/// One open media device: its entities and the links between them. Closed by ``close()``.
struct MediaGraph {
    struct Entity: Hashable {
        var id: UInt32
        var name: String
        /// Its device node's number; nil where it has none.
        var number: String?
    }

    /// "/dev/media0"
    let node: String
    let entities: [Entity]
    private let kernel: any VideoKernel
    private let descriptor: Int32

    /// Opens a media device and reads its entities. *C: `open`, `MEDIA_IOC_ENUM_ENTITIES`.*
    /// - Throws: what the calls do; `configuration` for a node of another kind.
    init(_ kernel: any VideoKernel, node: String) throws(DeviceError) {
        let descriptor = kernel.open(node)
        guard descriptor >= 0 else { throw CaptureFault.error(-descriptor, operation: "open", node: node) }
        var entities: [Entity] = []
        var entity = cv4l2_entity()
        while entities.count < Self.limit {
            let answer = kernel.call(descriptor, .nextEntity, &entity)
            if answer == -Errno.EINVAL { break }
            guard answer >= 0 else {
                kernel.close(descriptor)
                guard answer != -Errno.ENOTTY else {
                    throw DeviceError(
                        .configuration, operation: VideoCall.nextEntity.rawValue, device: node, errno: -answer,
                        reason: "it is no media device", advice: "`media-ctl -p` lists one, /dev/media0 perhaps")
                }
                throw CaptureFault.error(-answer, operation: VideoCall.nextEntity.rawValue, node: node)
            }
            let number = entity.major == 0 ? nil : "\(entity.major):\(entity.minor)"
            entities.append(Entity(id: entity.id, name: String(fixed: entity.name), number: number))
        }
        (self.kernel, self.node, self.descriptor, self.entities) = (kernel, node, descriptor, entities)
    }

    /// No device has as many; one that never ends its list is ended.
    private static let limit = 1024

    func close() { kernel.close(descriptor) }

    func entity(_ wanted: MediaPipeline.Entity) throws(DeviceError) -> Entity {
        let found = entities.first { entity in
            switch wanted {
            case .name(let name): entity.name == name
            case .number(let number): entity.id == number
            }
        }
        if let found { return found }
        throw DeviceError(
            .configuration, operation: VideoCall.nextEntity.rawValue, device: node,
            reason: "it has no entity \(wanted)",
            advice: "it has \(entities.map { "\"\($0.name)\"" }.joined(separator: ", "))")
    }

    /// The links that begin at an entity, and which of its pads feed others, a bit for each. *C: `MEDIA_IOC_ENUM_LINKS`.*
    func links(from entity: Entity) throws(DeviceError) -> (all: [cv4l2_link], sources: UInt64) {
        var all = cv4l2_links()
        all.entity = entity.id
        let answer = kernel.call(descriptor, .getLinks, &all)
        guard answer >= 0 else {
            throw CaptureFault.error(-answer, operation: VideoCall.getLinks.rawValue, node: node)
        }
        let count = Int(all.count)
        let links = withUnsafeBytes(of: all.links) { Array($0.bindMemory(to: cv4l2_link.self).prefix(count)) }
        return (links, all.sources)
    }

    /// The names of the entities that a link joins, the source first.
    func ends(of link: cv4l2_link) -> [String] {
        [link.source, link.sink].compactMap { id in entities.first { $0.id == id }?.name }
    }

    /// *C: `MEDIA_IOC_SETUP_LINK`.*
    func set(_ link: cv4l2_link) -> Int32 {
        var link = link
        return kernel.call(descriptor, .setLink, &link)
    }

    /// What a media device says of itself. *C: `MEDIA_IOC_DEVICE_INFO`.*
    var names: [String] {
        var info = media_device_info()
        guard kernel.call(descriptor, .mediaInfo, &info) >= 0 else { return [] }
        return [
            String(fixed: info.bus_info), String(fixed: info.model), String(fixed: info.driver),
            String(fixed: info.serial),
        ].filter { !$0.isEmpty }
    }
}

extension cv4l2_link {
    var isEnabled: Bool { flags & UInt32(MEDIA_LNK_FL_ENABLED) != 0 }

    /// The same, on or off.
    func enabled(_ isEnabled: Bool) -> cv4l2_link {
        var link = self
        link.flags = isEnabled ? flags | UInt32(MEDIA_LNK_FL_ENABLED) : flags & ~UInt32(MEDIA_LNK_FL_ENABLED)
        return link
    }
}
