/// A cast between a domain and JSON or text, which the service applies on the way in and out.
struct Representation: Equatable, Sendable, Decodable {
  var source: String
  var target: String
  /// The function as SQL writes it.
  var function: String
}
