/// An ioctl of V4L2, by its C name.
package enum VideoCall: String, Hashable, Sendable {
    case queryCapability = "VIDIOC_QUERYCAP"
    case enumerateFormats = "VIDIOC_ENUM_FMT"
    case enumerateSizes = "VIDIOC_ENUM_FRAMESIZES"
    case enumerateIntervals = "VIDIOC_ENUM_FRAMEINTERVALS"
    case getFormat = "VIDIOC_G_FMT"
    case tryFormat = "VIDIOC_TRY_FMT"
    case setFormat = "VIDIOC_S_FMT"
    case getParameters = "VIDIOC_G_PARM"
    case setParameters = "VIDIOC_S_PARM"
    case requestBuffers = "VIDIOC_REQBUFS"
    case queryBuffer = "VIDIOC_QUERYBUF"
    case queue = "VIDIOC_QBUF"
    case dequeue = "VIDIOC_DQBUF"
    case streamOn = "VIDIOC_STREAMON"
    case streamOff = "VIDIOC_STREAMOFF"
    case queryControl = "VIDIOC_QUERY_EXT_CTRL"
    /// The argument is a `struct cv4l2_item`.
    case queryMenu = "VIDIOC_QUERYMENU"
    /// The argument is a `struct cv4l2_value`, here and below.
    case getControl = "VIDIOC_G_EXT_CTRLS"
    case setControl = "VIDIOC_S_EXT_CTRLS"
    case exportBuffer = "VIDIOC_EXPBUF"
    case mediaInfo = "MEDIA_IOC_DEVICE_INFO"
    /// The argument is a `struct cv4l2_entity`.
    case nextEntity = "MEDIA_IOC_ENUM_ENTITIES"
    /// The argument is a `struct cv4l2_links`.
    case getLinks = "MEDIA_IOC_ENUM_LINKS"
    /// The argument is a `struct cv4l2_link`.
    case setLink = "MEDIA_IOC_SETUP_LINK"
    case setPadFormat = "VIDIOC_SUBDEV_S_FMT"
    case setPadSelection = "VIDIOC_SUBDEV_S_SELECTION"
    case setPadInterval = "VIDIOC_SUBDEV_S_FRAME_INTERVAL"
}

/// What the camera driver asks of the kernel. The real one, libv4l2 before it, or one that a test plays.
///
/// Answers are a value or minus errno. *Runs on:* any thread; the driver calls from the device's.
package protocol VideoKernel: Sendable {
    /// Opens a node for reading and writing, non-blocking, close-on-exec. *C: `open`.*
    func open(_ node: String) -> Int32
    /// *C: `close`.*
    func close(_ descriptor: Int32)
    /// One ioctl; `argument` points to what its name in the V4L2 specification says. *C: `ioctl`.*
    func call(_ descriptor: Int32, _ call: VideoCall, _ argument: UnsafeMutableRawPointer) -> Int32
    /// Maps a buffer for reading and writing; nil leaves the errno in `fault`. *C: `mmap`.*
    func map(_ descriptor: Int32, length: Int, offset: Int64, fault: inout Int32) -> UnsafeMutableRawPointer?
    /// *C: `munmap`.*
    func unmap(_ address: UnsafeMutableRawPointer, length: Int) -> Int32
    /// Puts pages of our own in the place of a mapping, under whoever reads it: a copy, or zeros. Afterwards the device's
    /// pages are no longer mapped. *C: `mremap`, `mmap(MAP_FIXED)`.*
    func detach(_ address: UnsafeMutableRawPointer, length: Int, copying: Bool) -> Int32
    /// Whether buffers are memory of a library that converts, which goes with the descriptor whoever reads it.
    var isConverting: Bool { get }
}
