extension LocalBackend {
  /// How far a start or reset has come in applying SQL files.
  public struct Progress: Sendable, Hashable {
    /// The file that is applied now.
    public var file: String
    /// Its place among those that are to be applied, from 1.
    public var index: Int
    /// How many are to be applied.
    public var count: Int
  }
}
