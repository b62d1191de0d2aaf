import Helpers
import SwiftwaterStreams
import Testing

@Suite("Pages of a list")
struct PageSequenceTests {
  /// Gives 1, 2, … in pages, and keeps where it was asked to begin.
  private struct Numbers: Sendable {
    var pages: [[Int]]
    let asked = LockIsolated<[Int]>([])

    var sequence: PageSequence<Int> {
      PageSequence(startingAt: 0) { index in
        asked.withLock { $0.append(index) }
        return (pages[index], index + 1 < pages.count ? index + 1 : nil)
      }
    }
  }

  private struct Broken: Error {}

  @Test("All elements come in order, and each page is asked for once")
  func elements() async throws {
    let numbers = Numbers(pages: [[1, 2], [3], [4, 5]])
    var found: [Int] = []
    for try await number in numbers.sequence { found.append(number) }
    #expect(found == [1, 2, 3, 4, 5])
    #expect(numbers.asked.value == [0, 1, 2])
  }

  @Test("A page is fetched when its first element is asked for, never ahead")
  func laziness() async throws {
    let numbers = Numbers(pages: [[1, 2], [3], [4, 5]])
    let sequence = numbers.sequence
    #expect(numbers.asked.value == [])
    for try await number in sequence where number == 2 { break }
    #expect(numbers.asked.value == [0])
    #expect(try await numbers.sequence.prefix(3).reduce(0, +) == 6)
    #expect(numbers.asked.value == [0, 0, 1])
  }

  @Test("Pages come as they are, without the empty ones; elements pass over those")
  func pages() async throws {
    let numbers = Numbers(pages: [[], [1, 2], [], [3], []])
    var found: [[Int]] = []
    for try await page in numbers.sequence.pages { found.append(page) }
    #expect(found == [[1, 2], [3]])
    #expect(try await numbers.sequence.reduce(into: []) { $0.append($1) } == [1, 2, 3])
    #expect(try await Numbers(pages: [[]]).sequence.contains { _ in true } == false)
  }

  @Test("Every iteration begins at the first page")
  func again() async throws {
    let sequence = Numbers(pages: [[1], [2]]).sequence
    for _ in 0..<2 { #expect(try await sequence.reduce(0, +) == 3) }
  }

  @Test("An error ends the sequence")
  func failure() async throws {
    let sequence = PageSequence<Int>(startingAt: 0) { index in
      if index == 1 { throw Broken() }
      return ([index], index + 1)
    }
    var iterator = sequence.makeAsyncIterator()
    #expect(try await iterator.next() == 0)
    await #expect(throws: Broken.self) { try await iterator.next() }
    #expect(try await iterator.next() == nil)
  }

  /// Not Sendable.
  private final class Element {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  @Test("Pages are made on the actor that iterates")
  @MainActor
  func isolation() async throws {
    let sequence = PageSequence<Element>(startingAt: 0) { index in
      MainActor.assertIsolated()
      return ([Element(index)], index < 2 ? index + 1 : nil)
    }
    var sum = 0
    for try await element in sequence { sum += element.number }
    #expect(sum == 3)
  }
}
