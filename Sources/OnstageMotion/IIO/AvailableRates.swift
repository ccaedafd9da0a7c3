/// The rates that a device says it has.
package enum AvailableRates: Hashable, Sendable {
    case list([Double])
    case range(least: Double, step: Double, most: Double)
    /// It does not say.
    case unknown

    /// From a `sampling_frequency_available` attribute: "12.5 25 50" or "[1 1 400]"; nil or nonsense is unknown.
    package init(_ text: String?) {
        guard let text else {
            self = .unknown
            return
        }
        let isRange = text.first == "[" && text.last == "]"
        let words = (isRange ? text.dropFirst().dropLast() : text[...]).split { $0.isWhitespace }
        let numbers = words.compactMap { Double($0) }.filter { $0 > 0 && $0.isFinite }
        if isRange, numbers.count == 3, words.count == 3, numbers[0] <= numbers[2] {
            self = .range(least: numbers[0], step: numbers[1], most: numbers[2])
        } else if !isRange, !numbers.isEmpty {
            self = .list(numbers.sorted())
        } else {
            self = .unknown
        }
    }

    /// The rates to try one after another: the nearest that is not lower than `asked`, else the highest there is.
    ///
    /// - Parameter asked: in Hz; infinite for the fastest.
    package func choices(_ asked: Double) -> [Double] {
        switch self {
        case .list(let rates):
            // A device writes 66.67 for 200/3 and 99.999 for 100: what is that near counts as not lower.
            return [rates.first { $0 >= asked * 0.999 } ?? rates[rates.count - 1]]
        case .range(let least, let step, let most):
            guard asked < most else { return [most] }
            guard asked > least else { return [least] }
            let steps = ((asked - least) / step * (1 - 1e-9)).rounded(.up)
            return [min(most, least + steps * step)]
        case .unknown:
            return asked.isFinite ? [asked] : [1_000, 500, 400, 200, 100]
        }
    }
}
