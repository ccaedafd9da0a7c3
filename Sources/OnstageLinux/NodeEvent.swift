/// What happened to a watched node, named by its path as it was given.
package enum NodeEvent: Hashable, Sendable {
    /// Somebody has let go of it. The kernel tells this right *before* the driver's own release runs: try at once, and
    /// once more some 20 ms later if it is still busy.
    case closed(String)
    /// It is there now.
    case appeared(String)
    /// It is gone.
    case removed(String)
    /// Its owner, group or mode has changed.
    case changed(String)
    /// Events were lost: look again at every node.
    case overflow
}
