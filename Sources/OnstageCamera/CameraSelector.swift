/// Which camera is meant.
public struct CameraSelector: Sendable, CustomStringConvertible {
    enum Kind: Sendable {
        case any
        case identity(String)
        case driver(String)
        case matching(String, @Sendable (CameraInfo) -> Bool)
    }
    let kind: Kind

    /// The first camera there is.
    public static let any = CameraSelector(kind: .any)

    /// The first camera whose driver has this name ("uvcvideo", "vivid").
    public static func driver(_ name: String) -> CameraSelector {
        CameraSelector(kind: .driver(name))
    }

    /// The first camera that a predicate accepts.
    public static func matching(
        _ name: String, _ accepts: @escaping @Sendable (CameraInfo) -> Bool
    ) -> CameraSelector {
        CameraSelector(kind: .matching(name, accepts))
    }

    /// The camera that `text` names in any form: what `onstage devices` shows as its identity, a by-id or by-path link
    /// or its last part, the bus info, the name of the card, the serial number, the node; "any"; or "driver NAME".
    ///
    /// A text that fits several cameras is refused when the camera is looked for, with a list of them.
    public init(_ text: String) {
        if text.isEmpty || text == "any" {
            kind = .any
        } else if text.hasPrefix("driver ") {
            kind = .driver(String(text.dropFirst("driver ".count)))
        } else {
            kind = .identity(text)
        }
    }

    private init(kind: Kind) {
        self.kind = kind
    }

    public var description: String {
        switch kind {
        case .any: "any"
        case .identity(let text): text
        case .driver(let name): "driver \(name)"
        case .matching(let name, _): name
        }
    }
}
