import BenchmarkSupport
import SwiftwaterStreams

extension StreamsBenchmark {
  /// Elements per second through one `AsyncStream`, sending and consuming at the same time.
  func streamThroughput(count: Int) async -> Double {
    let (stream, continuation) = AsyncStream<Int>.makeStream()
    let start = Machine.now()
    let consumer = Task { await sum(stream) }
    for index in 0..<count { continuation.yield(index) }
    continuation.finish()
    check(await consumer.value, count: count)
    return Double(count) / (Machine.now() - start) * 1e9
  }

  /// All events to all consumers, sending and consuming at the same time: deliveries per second, and the sender's
  /// processor nanoseconds per send. (Its wall time would be that of the consumers that compete for its processor.)
  func eventThroughput(consumers: Int, count: Int) async -> (deliveries: Double, sendTime: Double) {
    let source = EventSource<Int, Never>()
    let iterators = (0..<consumers).map { _ in source.events().subscribe() }
    let start = Machine.now()
    let tasks = iterators.map { iterator in
      Task {
        var sum = 0
        while let element = await iterator.next() { sum &+= element }
        return sum
      }
    }
    // No suspension in between, so this is one thread.
    let threadStart = Machine.threadTime()
    for index in 0..<count { source.send(index) }
    let sendTime = (Machine.threadTime() - threadStart) / Double(count)
    source.finish()
    for task in tasks { check(await task.value, count: count) }
    let seconds = (Machine.now() - start) / 1e9
    return (Double(count * consumers) / seconds, sendTime)
  }

  /// Nanoseconds per send while nobody reads.
  func backloggedSendTime(consumers: Int, count: Int) -> Double {
    let source = EventSource<Int, Never>()
    let iterators = (0..<consumers).map { _ in source.events().subscribe() }
    let start = Machine.now()
    for index in 0..<count { source.send(index) }
    let end = Machine.now()
    return withExtendedLifetime(iterators) { (end - start) / Double(count) }
  }

  /// Processor nanoseconds of everybody per send, flat out.
  func stateSendProcessorTime(consumers: Int, count: Int) async -> Double {
    let source = StateSource<Int, Never>(0)
    let tasks = (0..<consumers).map { _ in
      Task {
        var last = -1
        for await value in source.values { last = value }
        return last
      }
    }
    while source.waitingCount < consumers { await Task.yield() }
    let start = Machine.processorTime()
    for index in 1...count { source.send(index) }
    let spent = Machine.processorTime() - start
    source.finish()
    for task in tasks {
      let last = await task.value
      precondition(last == count, "a consumer missed the newest value")
    }
    return spent / Double(count)
  }

  /// Nanoseconds that one send takes when all consumers wait; the median.
  func parkedSendTime(consumers: Int, sends: Int) async -> Double {
    let source = StateSource<Int, Never>(0)
    let tasks = (0..<consumers).map { _ in Task { for await _ in source.values {} } }
    var times: [Double] = []
    for index in 1...sends {
      while source.waitingCount < consumers { await Task.yield() }
      let start = Machine.now()
      source.send(index)
      times.append(Machine.now() - start)
    }
    source.finish()
    for task in tasks { await task.value }
    return median(times)
  }

  /// Nanoseconds from cancelling a waiting consumer until its task has ended; the median.
  func cancelTime(
    cycles: Int, _ make: () -> (StateStream<Int, Never>, isWaiting: () -> Bool)
  ) async -> Double {
    let (stream, isWaiting) = make()
    var times: [Double] = []
    for _ in 0..<cycles {
      let task = Task {
        for await _ in stream {}
        return Machine.now()
      }
      while !isWaiting() { await Task.yield() }
      let start = Machine.now()
      task.cancel()
      times.append(await task.value - start)
    }
    return median(times)
  }

  /// Resident bytes that each of many idle consumers adds, and the consumers: as long as they are kept, the next
  /// measurement cannot reuse their memory.
  func bytesPerConsumer<Consumer>(_ make: () -> Consumer) -> (bytes: Double, consumers: [Consumer]) {
    let count = 50_000
    let before = Machine.residentBytes()
    var consumers: [Consumer] = []
    consumers.reserveCapacity(count)
    for _ in 0..<count { consumers.append(make()) }
    return ((Machine.residentBytes() - before) / Double(count), consumers)
  }

  private func sum(_ stream: AsyncStream<Int>) async -> Int {
    var sum = 0
    for await element in stream { sum &+= element }
    return sum
  }

  private func check(_ sum: Int, count: Int) {
    precondition(sum == count * (count - 1) / 2, "a consumer missed an element")
  }
}
