internal import SwiftwaterHTTP
internal import SwiftwaterPostgres
internal import SwiftwaterStreams

/// What requests of one form have in common: how they are read, and their plans by what their payloads set.
final class CachedRequest: Sendable {
  /// What of a payload decides on a plan.
  struct Shape: Hashable {
    var keys: [ExactText]
    var isArray: Bool

    private static let maximumBytes = 2048

    /// Nil for payloads whose plans are not kept.
    init?(_ payload: Payload?) {
      switch payload {
      case nil: (keys, isArray) = ([], false)
      case .json(_, let keys, let isArray)?:
        // A function of one JSON value takes any number of keys of any length.
        guard keys.reduce(0, { $0 + $1.utf8.count }) <= Self.maximumBytes else { return nil }
        (self.keys, self.isArray) = (keys.map(ExactText.init), isArray)
      case .arguments?, .raw?: return nil
      }
    }
  }

  /// A plan, and which of the statement's parameters is which of the request's values.
  struct CachedPlan: Sendable {
    private var plan: Plan
    private let places: [(parameter: Int, value: Int)]

    init(_ plan: Plan, words: [String]) {
      self.plan = plan
      if plan.isBrief { self.plan.brevity = Brevity() }
      places = plan.statement.parameters.enumerated().compactMap { index, parameter in
        guard case .text(let text) = parameter, let value = words.firstIndex(of: text) else { return nil }
        return (index, value)
      }
    }

    func filled(_ values: [String]) -> Plan {
      var plan = plan
      for place in places { plan.statement.parameters[place.parameter] = .text(values[place.value]) }
      return plan
    }
  }

  private static let maximumPlans = 16

  /// As the first request of the form had it, but for the words that stand for values.
  private let request: RESTRequest
  /// The canonical query around the values, and which value follows each part.
  private let query: [(part: String, value: Int?)]
  private let plans = LockIsolated<[Shape: CachedPlan]>([:])

  fileprivate init(_ request: RESTRequest, words: [String]) {
    self.request = request
    query = Self.split(request.canonicalQuery, at: words)
  }

  /// The request with these values, to be answered by a plan from here only: its own filters are not filled in.
  func request(_ values: [String]) -> RESTRequest {
    var request = request
    if !values.isEmpty {
      request.canonicalQuery = query.reduce(into: "") { text, piece in
        text += piece.part
        if let value = piece.value { text += values[value].percentEncodedForQuery }
      }
    }
    return request
  }

  func plan(_ values: [String], _ payload: Payload?) -> Plan? {
    guard let shape = Shape(payload), let cached = plans.withLock({ $0[shape] }) else { return nil }
    return cached.filled(payload.values(behind: values))
  }

  fileprivate func keep(_ plan: CachedPlan, for shape: Shape) {
    plans.withLock { if $0.count < Self.maximumPlans { $0[shape] = plan } }
  }

  private static func split(_ text: String, at words: [String]) -> [(part: String, value: Int?)] {
    var parts: [(part: String, value: Int?)] = []
    var rest = text[...]
    // The canonical order need not be the request's.
    while let next = words.indices.compactMap({ index in rest.firstRange(of: words[index]).map { (index, $0) } })
      .min(by: { $0.1.lowerBound < $1.1.lowerBound })
    {
      parts.append((String(rest[..<next.1.lowerBound]), next.0))
      rest = rest[next.1.upperBound...]
    }
    return parts + [(String(rest), nil)]
  }
}

extension Catalog {
  /// What is known of requests of that form.
  func cachedRequest(of form: RequestForm) -> CachedRequest? { requests.withLock { $0[form.key] } ?? nil }

  /// Keeps a plan for later requests of the same form.
  ///
  /// The request is planned a second time with words in place of its values, which shows where in the statement each goes.
  /// With the values filled in it must be the very statement of `plan`, or else no request of the form is kept.
  func remember(_ plan: Plan, _ payload: Payload?, _ form: RequestForm, _ head: HTTPRequest) {
    guard plan.estimate == nil, plan.statement.isPrepared, let shape = CachedRequest.Shape(payload) else { return }
    let isUnfit = requests.withLock { requests in requests[form.key].map { $0 == nil } ?? false }
    if isUnfit { return }
    let words = form.values.indices.map { CachedRequest.word($0) }
    let patternPayload = payload?.replacingText(with: CachedRequest.word(words.count))
    guard let request = try? RESTRequest(head, target: form.target(with: words), configuration),
      let pattern = try? Plan(request, patternPayload, self)
    else { return }
    let cached = CachedRequest.CachedPlan(pattern, words: patternPayload.values(behind: words))
    let isFit = cached.filled(payload.values(behind: form.values)).statement == plan.statement
    let known = requests.withLock { requests -> CachedRequest? in
      if !isFit { requests[form.key] = .some(nil) }
      if let known = requests[form.key] { return known }
      let known = CachedRequest(request, words: words)
      requests[form.key] = known
      return known
    }
    known?.keep(cached, for: shape)
  }
}

extension CachedRequest {
  /// Nothing that anybody would write into a request by chance, and the same in every encoding.
  private static let mark = "swiftwater" + String(UInt64.random(in: .min ... .max), radix: 36)

  fileprivate static func word(_ index: Int) -> String { "\(mark)n\(index)n" }
}

extension Payload? {
  /// A payload's text is the last of a request's values.
  fileprivate func values(behind values: [String]) -> [String] {
    if case .json(let text, _, _)? = self { values + [text] } else { values }
  }
}

extension Payload {
  fileprivate func replacingText(with word: String) -> Payload {
    if case .json(_, let keys, let isArray) = self { .json(word, keys: keys, isArray: isArray) } else { self }
  }
}
