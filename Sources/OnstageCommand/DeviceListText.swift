internal import Onstage
internal import OnstageCore

/// A list of devices, for programs and for people.
enum DeviceListText {
    static func json(_ list: DeviceList) -> JSONValue {
        [
            "version": 1,
            "cameras": .list(list.cameras.map(json)),
            "sensors": .list(list.sensors.map(json)),
            "sound": .list(list.cards.flatMap(json)),
        ]
    }

    static func json(_ entry: DeviceList.CameraEntry) -> JSONValue {
        let info = entry.info
        return [
            "identity": .text(info.identity), "node": .text(info.node), "name": .text(info.name),
            "driver": .text(info.driver), "supported": .flag(info.supported), "reason": .text(or: info.reason),
            "holders": json(entry.holders), "identities": .list(info.identities.map(JSONValue.text)),
        ]
    }

    private static func json(_ sensor: MotionSensor) -> JSONValue {
        [
            "identity": .text(sensor.identity), "node": .text(sensor.node), "name": .text(or: sensor.name),
            "kind": .text(sensor.kind.rawValue), "supported": true, "reason": .null, "holders": json(sensor.holders),
            "label": .text(or: sensor.label), "location": .text(or: sensor.location), "path": .text(sensor.path),
            "polled": .flag(sensor.isPolled), "rate": .number(or: sensor.rate),
        ]
    }

    /// An entry for each thing that can be opened; one for a card that cannot play.
    private static func json(_ card: SoundCard) -> [JSONValue] {
        guard !card.playback.isEmpty else {
            return [
                [
                    "identity": .text("CARD=\(card.id)"), "node": .null, "name": .text(card.name),
                    "driver": .text(card.driver), "supported": false, "reason": "it cannot play", "holders": [],
                    "card": .text(card.id),
                ]
            ]
        }
        return card.playback.map { device in
            [
                "identity": .text(device.identity), "node": .text(card.node(device)),
                "name": .text("\(card.name), \(device.name)"), "driver": .text(card.driver), "supported": true,
                "reason": .null, "holders": json(device.holders), "card": .text(card.id),
                "subdevices": .integer(Int64(device.subdevices)),
            ]
        }
    }

    private static func json(_ holders: [DeviceHolder]) -> JSONValue {
        .list(
            holders.map { holder in
                ["pid": .integer(or: holder.pid.map(Int64.init)), "program": .text(or: holder.program)]
            })
    }

    /// For people: a line for each device, and one below for each thing to know.
    static func table(_ list: DeviceList) -> String {
        var text = ""
        let cameras = list.cameras.map { entry in
            (entry.info.identity, [entry.info.node, entry.info.driver], entry.info.reason, entry.holders)
        }
        section("Cameras", cameras, &text)
        let sensors = list.sensors.map { sensor in
            (sensor.identity, [sensor.kind.rawValue, sensor.node], nil as String?, sensor.holders)
        }
        section("Motion sensors", sensors, &text)
        let sound = list.cards.flatMap { card -> [(String, [String], String?, [DeviceHolder])] in
            guard !card.playback.isEmpty else { return [("CARD=\(card.id)", [card.name], "it cannot play", [])] }
            return card.playback.map { ($0.identity, [card.name, $0.name], nil, $0.holders) }
        }
        section("Sound", sound, &text)
        return text
    }

    private static func section(
        _ title: String, _ rows: [(name: String, facts: [String], reason: String?, holders: [DeviceHolder])],
        _ text: inout String
    ) {
        text += "\(title)\n"
        if rows.isEmpty { text += "  none\n" }
        let width = rows.map(\.name.count).max() ?? 0
        for row in rows {
            text += "  \(row.name.padded(to: width))  \(row.facts.filter { !$0.isEmpty }.joined(separator: ", "))\n"
            if let reason = row.reason { text += "    not usable: \(reason)\n" }
            for holder in row.holders {
                let program = holder.program ?? "a process of another user"
                text += "    held by \(program)" + (holder.pid.map { " (pid \($0))" } ?? "") + "\n"
            }
        }
    }
}
