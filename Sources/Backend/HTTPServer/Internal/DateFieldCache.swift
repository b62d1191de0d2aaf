internal import SwiftwaterHTTP
internal import SwiftwaterStreams

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The value of the `Date` field, which is made once a second.
final class DateFieldCache: Sendable {
  private let latest = LockIsolated((second: -1, text: ""))

  /// "Sun, 06 Nov 1994 08:49:37 GMT", for this moment.
  var now: String {
    let second = Int(time(nil))
    return latest.withLock { latest in
      if latest.second != second { latest = (second, HTTPDate.string(secondsSince1970: second)) }
      return latest.text
    }
  }
}
