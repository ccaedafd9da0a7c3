internal import Onstage
internal import OnstageCore

extension CameraText {
    static func json(_ entries: [DeviceList.CameraEntry]) -> JSONValue {
        ["version": 1, "cameras": .list(entries.map(DeviceListText.json))]
    }

    static func json(_ info: CameraInfo, _ formats: [CameraFormat]?, _ controls: [CameraControl]?) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("version", 1), .init("identity", .text(info.identity)), .init("node", .text(info.node)),
            .init("name", .text(info.name)), .init("driver", .text(info.driver)), .init("bus", .text(info.busInfo)),
            .init("serial", .text(or: info.serial)),
            .init("identities", .list(info.identities.map(JSONValue.text))),
        ]
        if let formats { members.append(.init("formats", .list(formats.map(json)))) }
        if let controls { members.append(.init("controls", .list(controls.map(json)))) }
        return .object(members)
    }

    private static func json(_ format: CameraFormat) -> JSONValue {
        [
            "pixelFormat": .text(format.pixelFormat.description), "title": .text(format.title),
            "compressed": .flag(format.isCompressed), "convertible": .flag(format.isConvertible),
            "sizes": .list(format.sizes.map(json)),
        ]
    }

    private static func json(_ size: CameraFormat.Size) -> JSONValue {
        var members: [JSONValue.Member] = [
            .init("width", .integer(Int64(size.width.upperBound))),
            .init("height", .integer(Int64(size.height.upperBound))),
        ]
        if size.width.count > 1 || size.height.count > 1 {
            members += [
                .init("minimalWidth", .integer(Int64(size.width.lowerBound))),
                .init("minimalHeight", .integer(Int64(size.height.lowerBound))),
                .init("widthStep", .integer(Int64(size.widthStep))),
                .init("heightStep", .integer(Int64(size.heightStep))),
            ]
        }
        members.append(.init("rates", .list(size.rates.map { .number($0.value) })))
        if let range = size.rateRange {
            members.append(.init("rateRange", .list([.number(range.lowerBound), .number(range.upperBound)])))
        }
        return .object(members)
    }

    private static func json(_ control: CameraControl) -> JSONValue {
        [
            "name": .text(control.name), "title": .text(control.title), "id": .integer(Int64(control.id)),
            "kind": .text(control.kind.rawValue), "minimum": .integer(control.minimum),
            "maximum": .integer(control.maximum), "step": .integer(control.step),
            "default": .integer(control.defaultValue), "value": json(control.value),
            "items": .list(control.items.map { ["index": .integer($0.index), "name": .text($0.name)] }),
            "readOnly": .flag(control.isReadOnly), "inactive": .flag(control.isInactive),
            "grabbed": .flag(control.isGrabbed), "automatic": .text(or: control.automatic),
        ]
    }

    private static func json(_ value: ControlValue?) -> JSONValue {
        switch value {
        case .number(let number): .integer(number)
        case .text(let text): .text(text)
        case .automatic, .manual, nil: .null
        }
    }
}
