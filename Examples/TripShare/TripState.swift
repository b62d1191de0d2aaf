/// How far the trip has come: all that its observers need.
///
/// Observers of a state may miss values in between. None is lost on the uploader, because the number of places reached
/// says which it has not written yet.
struct TripState: Sendable, Equatable {
  /// The number of places reached, the start among them.
  var reached = 1
  var isFinished = false
}
