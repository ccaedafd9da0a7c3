extension MediaPipeline.BusFormat: CustomStringConvertible {
    /// "SBGGR8_1X8/640x480"
    public var description: String { "\(MediaBusFormat.name(code))/\(width)x\(height)" }
}
