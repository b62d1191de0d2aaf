/// One measured figure, beside the floor or peer of the same run where it has one.
package struct Figure: Sendable {
  /// What a figure is to reach.
  package enum Target: Sendable {
    case ratioAtLeast(Double)
    case ratioAtMost(Double)
    case valueAtLeast(Double)
    case valueAtMost(Double)
  }

  let name: String
  let value: Double
  let unit: String
  let ratio: Double?
  let target: Target?

  /// Describes a figure.
  ///
  /// - Parameter ratio: the value divided by that of the floor or peer.
  package init(_ name: String, _ value: Double, _ unit: String, ratio: Double? = nil, _ target: Target? = nil) {
    self.name = name
    self.value = value
    self.unit = unit
    self.ratio = ratio
    self.target = target
  }

  /// Whether the target is reached; nil without one. What could not be measured reaches none.
  var isMet: Bool? {
    switch target {
    case .ratioAtLeast(let least): (ratio ?? .nan) >= least
    case .ratioAtMost(let most): (ratio ?? .nan) <= most
    case .valueAtLeast(let least): value >= least
    case .valueAtMost(let most): value <= most
    case nil: nil
    }
  }

  /// The target in words, empty without one.
  func targetText(_ floor: String) -> String {
    switch target {
    case .ratioAtLeast(let least): ">= \(short(least)) x \(floor)"
    case .ratioAtMost(let most): "<= \(short(most)) x \(floor)"
    case .valueAtLeast(let least): ">= \(short(least)) \(unit)"
    case .valueAtMost(let most): "<= \(short(most)) \(unit)"
    case nil: ""
    }
  }
}
