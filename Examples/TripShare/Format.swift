import Foundation

/// Numbers as people read them.
enum Format {
  static func kilometers(_ meters: Double) -> String { fixed(meters / 1000, 2) + " km" }

  static func fixed(_ number: Double, _ digits: Int) -> String { String(format: "%.\(digits)f", number) }
}
