internal import Glibc

/// The variables that this process was started with.
package enum Environment {
    /// One variable's value; nil when it is not set. *C: `getenv`.*
    package static func value(_ name: String) -> String? {
        getenv(name).map { String(cString: $0) }
    }

    /// Those of `names` that are set.
    package static func values(_ names: [String]) -> [String: String] {
        var values: [String: String] = [:]
        for name in names { values[name] = value(name) }
        return values
    }
}
