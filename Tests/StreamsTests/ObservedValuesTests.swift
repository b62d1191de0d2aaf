import Observation
import SwiftwaterStreams
import TestSupport
import Testing

@MainActor
@Observable
private final class Model {
  var left = 0
  var right = 0
}

@Suite("ObservedValues: expressions over observable objects")
@MainActor
struct ObservedValuesTests {
  @Test("each iterator sees the current value first, then the changes")
  func changes() async {
    let model = Model()
    var iterator = ObservedValues { model.left }.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    model.left = 1
    #expect(await iterator.next() == 1)
    model.left = 2
    model.left = 3
    #expect(await iterator.next() == 3)
  }

  @Test("two iterators are independent: neither a busy nor an idle one stays stale or sees a value twice")
  func twoIterators() async {
    for _ in 0..<50 {
      let model = Model()
      let values = ObservedValues { model.left }
      var first = values.makeAsyncIterator()
      var busy = values.makeAsyncIterator()
      #expect(await first.next() == 0)
      #expect(await busy.next() == 0)
      model.left = 1
      #expect(await first.next() == 1)
      model.left = 2
      #expect(await first.next() == 2)
      #expect(await busy.next() == 2)
      model.left = 3
      #expect(await busy.next() == 3)
      #expect(await first.next() == 3)
    }
  }

  @Test("iterating again after a cancelled iteration begins anew")
  func reiteration() async {
    let model = Model()
    let values = ObservedValues { model.left }
    model.left = 1
    for isCancelled in [true, false] {
      let seen = LockIsolated<[Int]>([])
      let task = Task {
        for await value in values { seen.withLock { $0.append(value) } }
      }
      #expect(await eventually { seen.value == [1] })
      if !isCancelled {
        model.left = 2
        #expect(await eventually { seen.value == [1, 2] })
      }
      task.cancel()
      await task.value
    }
  }

  @Test("changes without a suspension between them are never seen half done")
  func tornPair() async {
    let model = Model()
    let task = Task {
      var torn = 0
      for await (left, right) in ObservedValues({ (model.left, model.right) }) {
        if left != right { torn += 1 }
        if left == 500 { break }
      }
      return torn
    }
    for number in 1...500 {
      model.left = number
      model.right = number
      if number % 3 == 0 { await Task.yield() }
    }
    #expect(await task.value == 0)
  }

  @Test("a throwing expression ends with its error, then nil")
  func throwing() async throws {
    let model = Model()
    let values = ObservedValues { () throws(Outage) in
      if model.left > 1 { throw Outage(number: model.left) }
      return model.left
    }
    var iterator = values.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    model.left = 2
    do throws(Outage) {
      _ = try await iterator.next()
      Issue.record("should have thrown")
    } catch {
      #expect(error == Outage(number: 2))
    }
    #expect(try await iterator.next() == nil)
  }

  @Test("untilFinished ends when the expression says so")
  func untilFinished() async {
    let model = Model()
    let values = ObservedValues<Int, Never>.untilFinished { model.left < 2 ? .next(model.left) : .finish }
    var iterator = values.makeAsyncIterator()
    #expect(await iterator.next() == 0)
    model.left = 1
    #expect(await iterator.next() == 1)
    model.left = 2
    #expect(await iterator.next() == nil)
    #expect(await iterator.next() == nil)
  }

  @Test("a cancelled iteration ends while it waits")
  func cancellation() async {
    let model = Model()
    let first = LockIsolated(false)
    let task = Task {
      for await _ in ObservedValues({ model.left }) { first.withLock { $0 = true } }
    }
    #expect(await eventually { first.value })
    task.cancel()
    await task.value
  }

  @Test("iteration releases the model")
  func deinits() async {
    weak var weakModel: Model?
    do {
      let model = Model()
      weakModel = model
      var iterator = ObservedValues { model.left }.makeAsyncIterator()
      #expect(await iterator.next() == 0)
    }
    #expect(weakModel == nil)
  }
}
