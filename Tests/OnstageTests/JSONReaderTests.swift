import OnstageCore
import OnstageTestSupport
import Testing

@testable import Onstage

@Suite struct JSONReaderTests {
    @Test(
        arguments: [
            ("null", .null), (" true ", true), ("-0", 0), ("12", 12), ("9223372036854775807", .integer(.max)),
            ("9223372036854775808", .number(9_223_372_036_854_775_808)), ("1.5e3", .number(1_500)),
            ("1E-2", .number(0.01)),
            ("\"a\\u00e9\\n\\ud83c\\udfad\\/\"", "aé\n🎭/"), ("[1,[2,{}]]", [1, [2, [:]]]),
            ("{\"a\":{\"b\":[]}}", ["a": ["b": []]]), ("\"\u{7F}é\"", "\u{7F}é"),
        ] as [(String, JSONValue)])
    func whatIsRead(text: String, value: JSONValue) throws {
        #expect(try JSONReader.read(Array(text.utf8)) == value)
        #expect(try JSONReader.read(Array(value.text.utf8)).text == value.text)
    }

    @Test(arguments: [
        "", " ", "nul", "nulls", "True", "01", "+1", "1.", ".5", "1e", "1e999", "-", "--1", "0x1", "NaN", "Infinity",
        "[1,]",
        "[,1]",
        "[1 2]", "{\"a\":1,}", "{a:1}", "{\"a\" 1}", "{1:1}", "\"a", "\"\\x\"", "\"\\u12\"", "\"\\ud800\"",
        "\"\\ud800\\u0041\"",
        "\"\\udc00\"", "\"\u{1}\"", "\"a\nb\"", "// c\n1", "1 2", "{\"a\":1,\"a\":2}", "{\"\\u0061\":1,\"a\":2}", "'a'",
        "\u{FEFF}1",
    ])
    func whatIsRefused(text: String) {
        #expect(throws: JSONReader.Fault.self) { try JSONReader.read(Array(text.utf8)) }
    }

    @Test func bytesThatAreNoTextAreRefused() {
        for bytes in [[0x22, 0xFF, 0x22], [0x22, 0xC0, 0x80, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22], [0xFF]] as [[UInt8]]
        {
            #expect(throws: JSONReader.Fault.self) { try JSONReader.read(bytes) }
        }
    }

    @Test func depthHasAnEnd() throws {
        let nested = { (count: Int) in
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        _ = try JSONReader.read(nested(JSONReader.depth))
        #expect(throws: JSONReader.Fault.self) { try JSONReader.read(nested(JSONReader.depth + 1)) }
        #expect(throws: JSONReader.Fault.self) { try JSONReader.read(nested(1_000_000)) }
    }

    @Test func theKeysKeepTheirOrder() throws {
        let text = "{\"z\": 1, \"a\": 2, \"m\": {\"y\": null, \"b\": 0.1}}"
        #expect(try JSONReader.read(Array(text.utf8)).line == text)
    }

    /// Bytes changed at random: never a crash, and what is read is what Python reads.
    @Test(.enabled(if: shell("python3 -c 1") != nil, "python3 is not installed"))
    func pythonReadsTheSame() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix64(seed: seed)
        let start = Array(ProfileTexts.full.utf8)
        let pieces = Array("{}[]\",:\\u0e-+.1 tn".utf8)
        var texts: [[UInt8]] = []
        for _ in 0..<3_000 {
            var bytes = Array(start[chance.below(start.count)...].prefix(chance.below(80)))
            if chance.below(3) == 0 { bytes = start.filter { $0 != 0x0A } }
            for _ in 0..<chance.below(3) where !bytes.isEmpty {
                let place = chance.below(bytes.count)
                switch chance.below(3) {
                case 0: bytes.remove(at: place)
                case 1: bytes.insert(chance.pick(pieces), at: place)
                default: bytes[place] = chance.pick(pieces)
                }
            }
            texts.append(bytes.filter { $0 != 0x0A && $0 != 0x0D })
        }
        let folder = Scratch()
        let file = folder.file(
            "texts", texts.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "\n") + "\n")
        let script = folder.file(
            "read.py",
            """
            import json, sys
            def pairs(p):
                if len(set(k for k, _ in p)) < len(p): raise ValueError()
                return dict(p)
            def refuse(w): raise ValueError()
            for line in open(sys.argv[1], encoding='utf-8', newline='\\n'):
                try: v = json.loads(line.rstrip('\\n'), object_pairs_hook=pairs, parse_constant=refuse)
                except ValueError: print('-'); continue
                s = json.dumps(v)
                if 'Infinity' in s: print('-'); continue
                print('-' if any('\\\\u%x' % c in s for c in range(0xd800, 0xe000)) and not s.isascii() else s)
            """)
        let lines = try #require(shell("python3 '\(script)' '\(file)'")).split(separator: "\n")
        #expect(lines.count == texts.count)
        var read = 0
        for (text, line) in zip(texts, lines) {
            let shown = String(decoding: text, as: UTF8.self)
            let ours = try? JSONReader.read(text)
            let theirs = line == "-" ? nil : try JSONReader.read(Array(line.utf8))
            #expect(ours == theirs, "seed \(seed): \(shown)")
            if ours != nil { read += 1 }
        }
        #expect(read > 100, "seed \(seed)")
    }
}
