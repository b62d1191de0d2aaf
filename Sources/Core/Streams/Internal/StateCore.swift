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
  @usableFromInline var audience: Audience<Tail, Void, Failure>

  init(value: Element?, policy: SharingPolicy?) {
    self.value = value
    version = value == nil ? 0 : 1
    audience = Audience(policy: policy)
  }

  @usableFromInline
  mutating func join(_ extra: Void) -> Int {
    audience.join(cursor: 0, extra: ())
  }

  @usableFromInline
  mutating func leave(_ slot: Int) -> HubEffects<Element> {
    var effects = HubEffects<Element>()
    effects.ending = audience.leave(slot)?.ending
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
  mutating func poll(_ slot: Int, effects: inout HubEffects<Element>) -> HubPoll<Element, Failure> {
    let seen = audience.members[slot]?.cursor ?? .max
    if let ending = audience.members[slot]?.ending {
      guard ending.tail.version > seen, let value = ending.tail.value else { return .end(ending.failure) }
      audience.members[slot]?.cursor = ending.tail.version
      return .element(value)
    }
    if version > seen, let value {
      audience.members[slot]?.cursor = version
      return .element(value)
    }
    return .wait(ticket: audience.parking.drawTicket())
  }

  @inlinable
  func isReady(_ slot: Int) -> Bool {
    if audience.members[slot]?.ending != nil { return true }
    return value != nil && version > audience.members[slot]?.cursor ?? .max
  }

  @inlinable
  mutating func willPark(effects: inout HubEffects<Element>) {}

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
