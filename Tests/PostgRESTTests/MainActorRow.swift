/// A row that is neither Sendable nor usable off the main actor.
@MainActor
final class MainActorRow: @MainActor Decodable {
  var id = 0
  private enum CodingKeys: CodingKey { case id }
  init(from decoder: any Decoder) throws {
    id = try decoder.container(keyedBy: CodingKeys.self).decode(Int.self, forKey: .id)
  }
}
