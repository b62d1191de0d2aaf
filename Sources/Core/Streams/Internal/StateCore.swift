/// One value and its version for everybody; a consumer is the version it has seen. Only waiting consumers cost a send
/// anything.
@usableFromInline
struct StateCore<Element: Sendable, Failure: Error>: HubCore {
  @usableFromInline
  struct Tail: Sendable {
    @usableFromInline let value: Element?
    @usableFromInline let version: Int
  }

  @usableFromInline var value: Element?
  @usableFromInline var version: Int
  /// A consumer's cursor is the version it has seen.
  @usableFromInline var audience: Audience<Int, Tail, Failure>

  init(value: Element?, policy: SharingPolicy?) {
    self.value = value
    version = value == nil ? 0 : 1
    audience = Audience(policy: policy)
  }

  @usableFromInline
  mutating func join(_ joining: Void) -> Int {
    audience.join(0)
  }

  @usableFromInline
  mutating func leave(_ slot: Int) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    effects.ending = audience.leave(slot)
    return effects
  }

  @inlinable
  mutating func send(_ newValue: Element, epoch: Int?) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    guard audience.accepts(epoch: epoch) else { return effects }
    effects.replaced = value
    value = newValue
    version &+= 1
    effects.consumers = audience.parking.takeAll()
    return effects
  }

  @inlinable
  mutating func poll(_ slot: Int, senders: inout WokenTasks) -> HubPoll<Element, Failure> {
    if let ending = audience.ending(of: slot) {
      guard ending.tail.version > audience.cursors[slot], let value = ending.tail.value else {
        return .end(ending.failure)
      }
      audience.cursors[slot] = ending.tail.version
      return .element(value)
    }
    if version > audience.cursors[slot], let value {
      audience.cursors[slot] = version
      return .element(value)
    }
    return .wait(ticket: audience.parking.drawTicket())
  }

  @inlinable
  func isReady(_ slot: Int) -> Bool {
    if case .ended = audience.memberships[slot] { return true }
    return value != nil && version > audience.cursors[slot]
  }

  @inlinable
  mutating func didPark() -> [Element] { [] }

  @usableFromInline
  func droppedCount(_ slot: Int) -> Int { 0 }

  @usableFromInline
  mutating func end(failure: Failure?, epoch: Int?) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    guard audience.accepts(epoch: epoch) else { return effects }
    let isFinal = epoch == nil || !audience.upstream.restartsAfterEnd
    let ending = RunEnding<Tail, Failure>(tail: Tail(value: value, version: version), failure: failure)
    effects.consumers = audience.end(ending, isFinal: isFinal)
    if !isFinal { forget(into: &effects) }
    return effects
  }

  @usableFromInline
  mutating func didStop() -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    if audience.ending == nil { forget(into: &effects) }
    return effects
  }

  private mutating func forget(into effects: inout HubEffects<Element>) {
    guard let policy = audience.upstream.policy, !policy.keepsLatest else { return }
    effects.replaced = value
    value = nil
  }
}
