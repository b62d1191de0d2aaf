/// How a sign-in comes back from a browser or a mail.
public enum AuthFlowType: Sendable, Hashable {
  /// With the tokens in the address: for servers and tests only, as others may read them there.
  case implicit
  /// With a code that only this client can exchange for tokens (RFC 7636).
  case pkce
}
