internal import FoundationEssentials
internal import Helpers
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// The server's public keys, which are kept for a while.
final class VerificationKeys: Sendable {
  /// For so long keys are taken to be the server's. A key that is not among them is asked for before.
  static let lifetime = Duration.seconds(600)

  private struct Kept: Sendable {
    let text: String
    let at: ContinuousClock.Instant
  }

  private let kept = LockIsolated<Kept?>(nil)

  /// The keys, as the text of a set.
  ///
  /// - Parameter isFresh: Whether the server is to be asked in any case.
  func keys(from api: AuthAPI, isFresh: Bool) async throws -> String {
    if !isFresh, let kept = kept.value, ContinuousClock.now - kept.at < Self.lifetime { return kept.text }
    let keys: JWKS = try await api.value(AuthRequest(.get, ".well-known", "jwks.json"))
    let text = Self.text(of: keys)
    kept.withLock { $0 = Kept(text: text, at: .now) }
    return text
  }

  static func text(of keys: JWKS) -> String {
    // Texts and lists of texts can always be written.
    (try? JSONEncoder().encode(keys)).map { String(decoding: $0, as: UTF8.self) } ?? ""
  }
}
