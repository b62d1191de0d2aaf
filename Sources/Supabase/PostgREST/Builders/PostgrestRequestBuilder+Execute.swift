public import FoundationEssentials
internal import Helpers

extension PostgrestRequestBuilder where Phase: PostgrestTransformablePhase {
  /// Runs the request for its effect.
  ///
  /// - Parameter options: what is asked for besides the rows.
  /// - Throws: `PostgrestError`; `CancellationError` when the task is cancelled.
  @discardableResult
  public func execute(options: FetchOptions = FetchOptions()) async throws -> PostgrestResponse<Void> {
    let (response, data) = try await send(options)
    return PostgrestResponse(value: (), data: data, response: response)
  }

  /// Runs the request and decodes the rows on the caller's actor; the type need not be Sendable. Text, as `csv()` and
  /// `explain()` answer, is read as `String`.
  ///
  /// - Parameters:
  ///   - type: what the answer is: an array of rows, or with `single()` one of them.
  ///   - options: what is asked for besides the rows.
  ///   - decoder: reads the rows, in place of the configuration's.
  /// - Throws: `PostgrestError`; `CancellationError` when the task is cancelled.
  public func execute<Value: Decodable>(
    as type: Value.Type = Value.self, options: FetchOptions = FetchOptions(), decoder: JSONDecoder? = nil
  ) async throws -> PostgrestResponse<Value> {
    let (response, data) = try await send(options)
    return PostgrestResponse(value: try decode(data, response, decoder), data: data, response: response)
  }
}

extension PostgrestRequestBuilder where Phase == PostgrestPhase.MaybeSingle {
  /// Runs the request and decodes the row, if there is one, on the caller's actor; the type need not be Sendable.
  ///
  /// Where there is none the response is the server's refusal (`406`), and its value nil.
  ///
  /// - Parameters:
  ///   - type: what a row is.
  ///   - options: what is asked for besides the row.
  ///   - decoder: reads the row, in place of the configuration's.
  /// - Throws: `PostgrestError`, also when there is more than one row; `CancellationError` when the task is cancelled.
  public func execute<Value: Decodable>(
    as type: Value.Type = Value.self, options: FetchOptions = FetchOptions(), decoder: JSONDecoder? = nil
  ) async throws -> PostgrestResponse<Value?> {
    do {
      let (response, data) = try await send(options)
      let value: Value = try decode(data, response, decoder)
      return PostgrestResponse(value: value, data: data, response: response)
    } catch let error as PostgrestError where error.meansNoRow {
      let refusal = HTTPResponse(
        status: .init(code: error.status ?? 406), headerFields: error.response?.headers ?? [:])
      return PostgrestResponse(value: nil, data: Data(error.response?.body ?? []), response: refusal)
    }
  }
}

extension PostgrestRequestBuilder {
  private func send(_ options: FetchOptions) async throws -> (HTTPResponse, Data) {
    var request = request
    if options.head, request.method == .get { request.method = .head }
    if let count = options.count { request.prefer("count", count.rawValue) }
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

  private func decode<Value: Decodable>(
    _ data: Data, _ response: HTTPResponse, _ decoder: JSONDecoder?
  ) throws -> Value {
    if request.format.isText, let text = String(decoding: data, as: UTF8.self) as? Value { return text }
    do {
      return try (decoder ?? client.configuration.decoder).decode(Value.self, from: data)
    } catch {
      throw PostgrestError(decoding: Value.self, error, from: data, response)
    }
  }
}
