/// A token's provider failed. Each module makes its own error of it.
package struct AccessTokenError: Error {
  /// What the provider threw.
  package let underlyingError: any Error

  /// The message of each module's error.
  package var message: String { "No access token: the provider failed. Its error is the underlying one." }
}
