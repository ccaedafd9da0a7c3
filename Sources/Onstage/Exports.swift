// `import Onstage` is enough: the value types of the families come along.
@_exported public import OnstageCamera
@_exported public import OnstageCore
@_exported public import OnstageMotion
@_exported public import OnstagePlayback
