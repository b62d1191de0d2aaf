extension HTTPField.Name {
  /// The project's key.
  public static let apikey = Self(unchecked: "apikey")
  /// Which client sent the request.
  public static let xClientInfo = Self(unchecked: "X-Client-Info")
  /// The server's name for the exchange.
  static let sbRequestID = Self(unchecked: "sb-request-id")
}
