// The snippets of the streams' guide and page, with just enough around them to compile. What they do is proven in
// StreamsTests.
import SwiftwaterStreams
import Testing

private enum NavigationState: Sendable, Equatable {
  case idle
  case navigating(Route)
}

private struct Route: Sendable, Equatable {}
private struct Message: Sendable {
  init(_ text: String) {}
}
private struct Document: Sendable {}
private typealias Path = String
private struct DatabaseError: Error {}
private struct ConnectionError: Error {}
private struct Frame: Sendable {}

private struct FakeDatabase: Sendable {
  func listen(at path: Path, _ body: @escaping @Sendable (Result<Int, DatabaseError>) -> Void) -> Int { 0 }
  func removeListener(_ handle: Int) {}
}

private struct Thermometer: Sendable {
  func addListener(_ body: @escaping @Sendable (Double) -> Void) -> Int { 0 }
  func removeListener(_ id: Int) {}
}

private struct Socket: Sendable {
  var frames: AsyncThrowingStream<Frame, any Error> { AsyncThrowingStream { nil } }
}

private final class Navigation: Sendable {
  private let source = StateSource<NavigationState, Never>(.idle)
  var state: StateStream<NavigationState, Never> { source.values }

  func start(_ route: Route) { source.send(.navigating(route)) }
}

@MainActor
private final class Cart {
  var items: [Int] = []
  var price = 0
}

@MainActor
private final class Label {
  var text = ""
}

private struct Snippets {
  func render(_ state: NavigationState) {}

  func state(_ navigation: Navigation) async {
    for await state in navigation.state { render(state) }
  }

  func events() async throws {
    let messages = EventSource<Message, ConnectionError>()
    let inbox = messages.events().subscribe()  // registered: nothing after this line is missed
    messages.send(Message("hello"))
    let first = try await inbox.next()
    _ = first
  }

  func upstream(_ database: FakeDatabase) -> StateSource<Int, DatabaseError> {
    let score = StateSource<Int, DatabaseError> { sink in
      let handle = database.listen(at: "score") { result in
        switch result {
        case .success(let value): sink.send(value)
        case .failure(let error): sink.finish(throwing: error)  // the next consumer starts anew
        }
      }
      return ListenerRemoval { database.removeListener(handle) }
    }
    return score
  }

  func thermometers() {
    let thermometer = Thermometer()
    let temperature = StateSource<Double, Never> { sink in
      let id = thermometer.addListener { sink.send($0) }
      return ListenerRemoval { thermometer.removeListener(id) }
    }

    let display = Task {
      for await degrees in temperature.values { print(degrees) }
    }
    let alarm = Task {
      for await degrees in temperature.values where degrees > 30 { print("too warm") }
    }
    // The thermometer has one listener now; when both tasks are cancelled it has none.
    display.cancel()
    alarm.cancel()
  }

  func loopAsListener(_ socket: Socket) -> EventSource<Frame, any Error> {
    EventSource<Frame, any Error> { sink in
      let task = Task {
        do {
          for try await frame in socket.frames { try await sink.send(suspendingUntilBuffered: frame) }
          sink.finish()
        } catch is CancellationError {
          // Removed.
        } catch {
          sink.finish(throwing: error)
        }
      }
      return ListenerRemoval { task.cancel() }
    }
  }

  @MainActor
  func observed(_ cart: Cart, _ label: Label) async {
    for await total in ObservedValues({ cart.items.count * cart.price }) { label.text = "\(total)" }
  }
}

private struct Documents: Sendable {
  let documents = SharedSources<Path, StateSource<Document, DatabaseError>>()

  func document(at path: Path) -> StateStream<Document, DatabaseError> {
    documents.source(for: path) { sink in listen(at: path, sink) }.values
  }

  func listen(at path: Path, _ sink: StateSource<Document, DatabaseError>.Sink) -> ListenerRemoval {
    ListenerRemoval {}
  }
}

private struct Adapted {
  let source = StateSource<Document, DatabaseError>(Document())
  let inbox = EventSource<Message, Never>()

  var snapshots: AsyncThrowingStream<Document, any Error> { source.values.asyncThrowingStream() }
  var messages: AsyncStream<Message> { inbox.events().asyncStream() }
}

#if canImport(SwiftUI)
  import SwiftUI

  private struct StateView: View {
    init(_ state: NavigationState) {}
    var body: some View { EmptyView() }
  }

  private struct ErrorView: View {
    init(_ error: any Error) {}
    var body: some View { EmptyView() }
  }

  private struct NavigationView: View {
    @State private var navigation: ObservedState<NavigationState>

    init(_ core: Navigation) { _navigation = State(initialValue: ObservedState(core.state)) }

    var body: some View {
      if let state = navigation.value { StateView(state) }
      if let error = navigation.error { ErrorView(error) }
    }
  }
#endif
