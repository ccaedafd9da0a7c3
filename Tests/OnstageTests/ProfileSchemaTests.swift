import OnstageCore
import OnstageTestSupport
import Testing

@testable import Onstage

/// hw-profiles/schema.json and the decoder say the same of every document.
@Suite struct ProfileSchemaTests {
    private static let hasValidator = shell("python3 -c 'import jsonschema' 2>&1") != nil

    @Test(.enabled(if: hasValidator, "python3-jsonschema is not installed"))
    func schemaAndDecoderAgree() throws {
        let seed = UInt64.random(in: 0 ... .max)
        var chance = SplitMix64(seed: seed)
        let texts =
            ProfileBuiltIn.texts.map(\.text) + Array(repeating: ProfileTexts.full, count: 5)
            + Array(repeating: ProfileTexts.routed, count: 3)
        let good = try texts.map { try JSONReader.read(Array($0.utf8)) }
        var documents = good
        for _ in 0..<3_000 {
            var document = chance.pick(good)
            for _ in 0...chance.below(2) { document = Self.mutated(document, &chance) }
            documents.append(document)
        }
        let folder = Scratch()
        let file = folder.file("documents", documents.map(\.line).joined(separator: "\n"))
        let script = folder.file(
            "judge.py",
            """
            import json, sys, jsonschema
            schema = json.load(open(sys.argv[1]))
            jsonschema.Draft202012Validator.check_schema(schema)
            judge = jsonschema.Draft202012Validator(schema)
            for line in open(sys.argv[2], encoding='utf-8', newline='\\n'):
                print(1 if judge.is_valid(json.loads(line)) else 0)
            """)
        let answer = shell("python3 '\(script)' '\(checkout)/hw-profiles/schema.json' '\(file)'")
        let verdicts = try #require(answer).split(separator: "\n").map { $0 == "1" }
        #expect(verdicts.count == documents.count)
        var (accepted, refused) = (0, 0)
        for (document, verdict) in zip(documents, verdicts) {
            let ours = (try? ProfileDecoder.profile(Array(document.line.utf8), path: "")) != nil
            #expect(ours == verdict, "seed \(seed): the schema says \(verdict), the decoder \(ours): \(document.line)")
            if verdict { accepted += 1 } else { refused += 1 }
        }
        #expect(accepted > 200 && refused > 200, "seed \(seed): \(accepted) good, \(refused) bad")
    }

    private static let values: [JSONValue] = [
        .null, true, false, .text(""), "any", "synthetic", "x", " x", "x ", "name a", "name ", "names", "driver vivid",
        [],
        [:], [1, 2, 3], [[1, 0, 0], [0, 1, 0], [0, 0, 1]], "YUYV", "Y16 ", " Y16", "ÿ", "YUYV2", "exact", "fast", "1s",
        "game", "a\u{7}", "a\n", "any\n", "full\n", "YUY\n", "Bench", "-a", "a-1", "é",
        .text(String(repeating: "a", count: 64)),
        .text(String(repeating: "a", count: 65)), .text(String(repeating: "é", count: 512)),
        .text(String(repeating: "é", count: 513)), "copy", "blank", "hw:0", "pcm", [true, "50%"], [100, 100, 100],
        [49, 100, 100], "1",
    ]
    private static let numbers: [JSONValue] =
        [
            -2, -1, -0.5, 0, 0.5, 1, 1.5, 2, 3, 4, 10, 19.999, 20, 32, 33, 49, 50, 51, 99, 100, 101, 200, 201, 500, 501,
            1_000, 1_001, 2_000, 2_001, 5_000, 5_001, 10_000, 10_001, 60_000, 60_001, 65_535, 65_536, 86_400, 86_401,
            100_000, 100_001, 1e18, 1e300,
        ].map { (number: Double) in
            number == number.rounded() && abs(number) < 1e9 && Int(number) % 2 == 0
                ? .integer(Int64(number)) : .number(number)
        }

    /// `value` with something in it changed.
    private static func mutated(_ value: JSONValue, _ chance: inout SplitMix64) -> JSONValue {
        switch value {
        case .object(var members) where !members.isEmpty && chance.below(8) > 0:
            let index = chance.below(members.count)
            switch chance.below(10) {
            case 0: members.remove(at: index)
            case 1: members[index].name += "s"
            case 2:
                members.append(.init(chance.pick(["extra", "device", "rate", "exact", "width"]), chance.pick(values)))
            default: members[index].value = mutated(members[index].value, &chance)
            }
            // A key that stands twice is seen by us and not by Python: not a matter of the schema.
            var names: Set<String> = []
            return .object(members.filter { names.insert($0.name).inserted })
        case .list(var elements) where !elements.isEmpty && chance.below(4) > 0:
            let index = chance.below(elements.count)
            switch chance.below(5) {
            case 0: elements.remove(at: index)
            case 1: elements.append(elements[index])
            default: elements[index] = mutated(elements[index], &chance)
            }
            return .list(elements)
        case .integer where chance.below(4) > 0, .number where chance.below(4) > 0: return chance.pick(numbers)
        default: return chance.below(3) == 0 ? chance.pick(numbers) : chance.pick(values)
        }
    }
}
