internal import FoundationEssentials
internal import SwiftwaterStreams

/// The secrets of the flows that have been begun and may come back, each its own, so that two flows at once both
/// succeed.
///
/// A code does not tell which flow it is of, so all secrets are tried, the newest first. They are stored, since a
/// program may end while its user is in a browser or reads a mail.
final class CodeVerifiers: Sendable {
  /// A flow that may come back.
  struct Flow: Sendable, Hashable {
    let verifier: String
    /// Whether it is about a lost password.
    var isRecovery = false
  }

  /// How many flows are kept.
  static let capacity = 5
  private static let recoveryMark = "/PASSWORD_RECOVERY"

  private struct State: Sendable {
    /// The newest last; nil before the storage was read.
    var flows: [Flow]?
    var version = 0
  }

  private let storage: any AuthLocalStorage
  private let key: String
  private let state = LockIsolated(State())

  init(storage: any AuthLocalStorage, key: String) {
    self.storage = storage
    self.key = key
  }

  /// Begins a flow.
  ///
  /// - Throws: `AuthError` of the kind `.storage`; a flow that is not stored could not come back after a restart.
  func begin(isRecovery: Bool = false) throws -> Flow {
    let flow = Flow(verifier: PKCE.verifier(), isRecovery: isRecovery)
    try change { $0 = ($0 + [flow]).suffix(Self.capacity) }
    return flow
  }

  /// The flows that may come back, the newest first.
  func candidates() throws -> [Flow] {
    // Another process, such as an extension, may have begun one.
    let stored = try read()
    let own = state.withLock { $0.flows ?? [] }
    return (stored.filter { !own.contains($0) } + own).reversed()
  }

  /// The flow has come back, and its code was spent.
  func finish(_ flow: Flow) throws {
    try change { $0.removeAll { $0.verifier == flow.verifier } }
  }

  private func change(_ change: (inout [Flow]) -> Void) throws {
    if state.withLock({ $0.flows == nil }) {
      let stored = try read()
      state.withLock { $0.flows = $0.flows ?? stored }
    }
    var version = state.withLock { state in
      var flows = state.flows ?? []
      change(&flows)
      state.flows = flows
      state.version += 1
      return state.version
    }
    // Whoever writes last writes the newest, whatever others do meanwhile.
    while true {
      try write(state.withLock { $0.flows ?? [] })
      let newest = state.withLock { $0.version }
      if newest == version { return }
      version = newest
    }
  }

  private func read() throws -> [Flow] {
    let value: Data?
    do { value = try storage.retrieve(key: key) } catch { throw Self.failure("read", error) }
    guard let value else { return [] }
    // Releases of supabase-swift have stored one, as a text.
    let texts = (try? JSONDecoder().decode([String].self, from: value)) ?? [Self.single(value)]
    return texts.filter { !$0.isEmpty }.map { text in
      text.hasSuffix(Self.recoveryMark)
        ? Flow(verifier: String(text.dropLast(Self.recoveryMark.count)), isRecovery: true) : Flow(verifier: text)
    }
  }

  private static func single(_ value: Data) -> String {
    (try? JSONDecoder().decode(String.self, from: value)) ?? String(decoding: value, as: UTF8.self)
  }

  private func write(_ flows: [Flow]) throws {
    do {
      if flows.isEmpty { return try storage.remove(key: key) }
      let texts = flows.map { $0.isRecovery ? $0.verifier + Self.recoveryMark : $0.verifier }
      try storage.store(key: key, value: JSONEncoder().encode(texts))
    } catch {
      throw Self.failure("written", error)
    }
  }

  private static func failure(_ verb: String, _ cause: any Error) -> AuthError {
    (cause as? AuthError)
      ?? AuthError(
        kind: .storage, message: "The storage of begun sign-ins cannot be \(verb); see underlyingError.",
        underlyingError: cause)
  }
}
