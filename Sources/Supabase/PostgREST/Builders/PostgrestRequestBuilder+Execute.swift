internal import FoundationEssentials
internal import Helpers

extension PostgrestRequestBuilder where Phase: PostgrestExecutablePhase {
  /// Runs the request for its effect.
  ///
  /// - Throws: `PostgrestError`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func execute() async throws -> PostgrestResponse<Void> {
    let (response, data) = try await send()
    return PostgrestResponse(value: (), data: data, response: response)
  }

  /// Runs the request and decodes the rows on the caller's actor; the type need not be Sendable.
  ///
  /// - Throws: `PostgrestError`; `CancellationError` when the task is cancelled.
  public func execute<Value: Decodable>(as type: Value.Type = Value.self) async throws -> PostgrestResponse<Value> {
    let (response, data) = try await send()
    do {
      let value = try client.configuration.decoder.decode(Value.self, from: data)
      return PostgrestResponse(value: value, data: data, response: response)
    } catch {
      throw PostgrestError(
        kind: .decoding, message: "The rows do not fit \(Value.self): \(error)", underlyingError: error)
    }
  }

  private func send() async throws -> (HTTPResponse, Data) {
    let head = try request.head(for: client.configuration)
    do {
      let (response, body) = try await client.http.send(head, body: request.body.map { HTTPBody($0) })
      guard response.status.isSuccessful else {
        throw PostgrestError(try await HTTPErrorResponse(response, body: body))
      }
      return (response, Data(try await body.collect(upTo: .max)))
    } catch {
      try Task.checkCancellation()
      throw PostgrestError.wrap(error)
    }
  }
}
