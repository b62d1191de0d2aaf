internal import Foundation

/// Outside test cases that are data. Tests that need them say so when they are absent.
public enum Conformance {
  /// The folder that `CONFORMANCE_DIR` names, or the one beside the checkout.
  public static let folder: String =
    ProcessInfo.processInfo.environment["CONFORMANCE_DIR"]
    ?? URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../shared/conformance").path
}
