import CIIO
import OnstageTestSupport
import Testing

@testable import OnstageMotion

/// Tables: what a kernel can write about a layout, and libiio as the judge of what it means.
@Suite struct DecoderTests {
    @Test(arguments: [
        ("le:s12/16>>4", 12, 16, 4, false, true), ("be:u16/16>>0", 16, 16, 0, true, false),
        ("le:s64/64>>0", 64, 64, 0, false, true), ("be:S24/32>>8", 24, 32, 8, true, true),
        ("le:u8/8>>0", 8, 8, 0, false, false),
    ])
    func understood(_ text: String, bits: Int, storage: Int, shift: Int, big: Bool, signed: Bool) throws {
        let element = try #require(ScanElement(type: text, index: 3))
        #expect(element.bits == bits)
        #expect(element.storageBits == storage)
        #expect(element.shift == shift)
        #expect(element.isBigEndian == big)
        #expect(element.isSigned == signed)
        #expect(element.index == 3)
    }

    @Test(arguments: [
        "", "le", "le:", "xe:s16/16>>0", "le:s16", "le:s16/", "le:s16/12>>0", "le:s0/16>>0", "le:s17/16>>0",
        "le:s16/16>>", "le:s16/16>>16", "le:s16/16X0>>0", "le:s16/16>>0 ", "le:s99999999999999999999/16>>0",
    ])
    func refused(_ text: String) {
        #expect(ScanElement(type: text, index: 0) == nil)
    }

    @Test func repeats() throws {
        let element = try #require(ScanElement(type: "le:s16/16X4>>0", index: 0))
        #expect(element.length == 8)
    }

    /// I-14: the cases that were measured with libiio 0.24.
    @Test(
        arguments: [
            ("le:s12/16>>4", [0xF0, 0xFF], -1), ("le:s12/16>>4", [0xFF, 0x7F], 2047),
            ("le:s12/16>>4", [0x0F, 0x80], -2048),
            ("be:S24/32>>0", [0x00, 0xFF, 0xFF, 0xFE], 16_777_214), ("be:s24/32>>0", [0x00, 0xFF, 0xFF, 0xFE], -2),
            ("le:u32/32>>0", [0xFF, 0xFF, 0xFF, 0xFF], 0xFFFF_FFFF), ("le:s32/32>>0", [0xFF, 0xFF, 0xFF, 0xFF], -1),
            ("le:s64/64>>0", [0, 0, 0, 0, 0, 0, 0, 0x80], Int.min),
        ] as [(String, [UInt8], Int)])
    func measured(_ text: String, _ bytes: [UInt8], _ value: Int) throws {
        let element = try #require(ScanElement(type: text, index: 0))
        let field = SampleDecoder.Field(SampleLayout.Field(element: element, offset: 0))
        #expect(bytes.withUnsafeBytes { $0.baseAddress.map { field.load($0) } } == Int64(value))
    }

    /// I-14: any layout, bit by bit as libiio converts it; sizes and alignment too.
    @Test func agreesWithLibiio() throws {
        let seed = UInt64.random(in: .min ... .max)
        print("DecoderTests.agreesWithLibiio: seed \(seed)")
        try #require(ciio_load() == nil)
        var random = SplitMix64(seed: seed)
        for round in 0..<400 {
            // As most sensors have it: all three alike.
            let one = Self.layout(&random)
            let texts = (0..<3).map { _ in round.isMultiple(of: 2) ? one : Self.layout(&random) }
            let order = [0, 1, 2].shuffled(using: &random)
            let hasTime = Bool.random(using: &random)
            try Self.compare(texts, order, hasTime: hasTime, &random, "seed \(seed), round \(round)")
        }
    }

    private static func layout(_ random: inout SplitMix64) -> String {
        let storage = [8, 16, 32, 64].randomElement(using: &random) ?? 8
        let bits = Int.random(in: 1...storage, using: &random)
        let shift = Int.random(in: 0...(storage - bits), using: &random)
        let order = Bool.random(using: &random) ? "le" : "be"
        let sign = ["s", "u", "S", "U"].randomElement(using: &random) ?? "s"
        return "\(order):\(sign)\(bits)/\(storage)>>\(shift)"
    }

    private static func compare(
        _ texts: [String], _ order: [Int], hasTime: Bool, _ random: inout SplitMix64, _ comment: String
    ) throws {
        let names = ["accel_x", "accel_y", "accel_z"]
        // With a document type, or libxml2 complains of each on stderr.
        var xml =
            "<?xml version=\"1.0\"?><!DOCTYPE context [<!ELEMENT context (device)*><!ELEMENT device (channel)*>"
            + "<!ELEMENT channel (scan-element?)><!ELEMENT scan-element EMPTY><!ATTLIST context name CDATA #REQUIRED>"
            + "<!ATTLIST device id CDATA #REQUIRED name CDATA #IMPLIED><!ATTLIST channel id CDATA #REQUIRED "
            + "type CDATA #REQUIRED><!ATTLIST scan-element index CDATA #REQUIRED format CDATA #REQUIRED>]>"
            + "<context name=\"xml\"><device id=\"iio:device0\" name=\"fake\">"
        func channel(_ name: String, _ index: Int, _ type: String) -> String {
            "<channel id=\"\(name)\" type=\"input\"><scan-element index=\"\(index)\" format=\"\(type)\"/></channel>"
        }
        for axis in 0..<3 { xml += channel(names[axis], order[axis], texts[axis]) }
        xml += channel("timestamp", 3, "le:S64/64>>0") + "</device></context>"

        var fault: Int32 = 0
        let context = try #require(ciio_context_from_xml(xml, xml.utf8.count, &fault), "\(comment): \(xml)")
        defer { ciio_context_destroy(context) }
        let device = try #require(ciio_device(context, 0))
        let channels = try names.map { try #require(ciio_find_channel(device, $0)) }
        for channel in channels { ciio_enable(channel) }
        if hasTime { ciio_enable(ciio_find_channel(device, "timestamp")) }

        let elements = try zip(texts, order).map { try #require(ScanElement(type: $0, index: $1)) }
        let layout = SampleLayout(
            axes: elements, timestamp: hasTime ? ScanElement(type: "le:s64/64>>0", index: 3) : nil)
        // libiio 0.24 leaves out the padding that kernels since 5.4 put behind the last channel: it matters only where
        // that is shorter than another.
        let longest = elements.map(\.length).max() ?? 1
        let boundary = hasTime ? max(8, longest) : longest
        let size = (ciio_sample_size(device) + boundary - 1) / boundary * boundary
        #expect(layout.step == size, "\(comment): \(texts) \(order) time \(hasTime)")

        var bytes = (0..<(layout.step * 4)).map { _ in UInt8.random(in: 0...255, using: &random) }
        // Each value by itself, which is what the loops and the bytes themselves are held against.
        let axes = layout.axes.map { SampleDecoder.Field($0) }
        let timestamp = layout.timestamp.map { SampleDecoder.Field($0) }
        // What a listener is given, with only that decoded that it does not take from the bytes themselves.
        let (decoded, stamps) = (
            UnsafeMutablePointer<SIMD3<Int64>>.allocate(capacity: 4), UnsafeMutablePointer<Int64>.allocate(capacity: 4)
        )
        defer {
            decoded.deallocate()
            stamps.deallocate()
        }
        bytes.withUnsafeMutableBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            let decoder = SampleDecoder(layout)
            decoder.decode(start, count: 4, raw: decoded, times: stamps)
            let run = decoder.run(start, decoded: decoded, times: stamps)
            for sample in 0..<4 {
                let place = start + sample * layout.step
                let raw = SIMD3(axes[0].load(place), axes[1].load(place), axes[2].load(place))
                let time = timestamp?.load(place) ?? 0
                #expect(run.raw(sample) == raw && run.time(sample) == time, "\(comment): \(texts)")
                for axis in 0..<3 {
                    let from = place + layout.axes[axis].offset
                    var storage: UInt64 = 0
                    ciio_convert(channels[axis], &storage, from)
                    let bits = UInt64(elements[axis].storageBits)
                    let judge =
                        elements[axis].isSigned
                        ? Int64(bitPattern: storage << (64 - bits)) >> Int64(64 - bits)
                        : Int64(bitPattern: storage)
                    #expect(raw[axis] == judge, "\(comment): \(texts[axis])")
                }
            }
        }
    }
}
