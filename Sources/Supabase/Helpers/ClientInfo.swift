internal import FoundationEssentials

/// What the SDK says of itself in `X-Client-Info`.
package enum ClientInfo {
  /// This release.
  package static let version = "0.1.0"

  /// `supabase-swift/0.1.0; platform=linux; platform-version=6.1.0; runtime=swift; runtime-version=6`
  package static let value: String = {
    let system = ProcessInfo.processInfo.operatingSystemVersion
    let number = "\(system.majorVersion).\(system.minorVersion).\(system.patchVersion)"
    return "supabase-swift/\(version); platform=\(platform); platform-version=\(number); runtime=swift; "
      + "runtime-version=\(language)"
  }()

  #if compiler(>=6.4)
    private static let language = "6.4"
  #elseif compiler(>=6.3)
    private static let language = "6.3"
  #else
    private static let language = "6.2"
  #endif

  #if os(Linux)
    private static let platform = "linux"
  #elseif os(macOS)
    private static let platform = "macos"
  #elseif os(iOS)
    private static let platform = "ios"
  #elseif os(tvOS)
    private static let platform = "tvos"
  #elseif os(watchOS)
    private static let platform = "watchos"
  #elseif os(visionOS)
    private static let platform = "visionos"
  #elseif os(Android)
    private static let platform = "android"
  #else
    private static let platform = "other"
  #endif
}
