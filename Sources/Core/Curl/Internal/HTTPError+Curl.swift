internal import CCurl
internal import SwiftwaterHTTP

extension HTTPError {
  /// Translates libcurl's result.
  ///
  /// - Parameters:
  ///   - detail: libcurl's own words about this transfer, empty if it had none.
  ///   - hasBegun: whether the request can have been sent.
  init(_ code: CURLcode, detail: String, hasBegun: Bool) {
    // libcurl quotes a proxy's address that it cannot read, with its password, and might quote a query.
    let isTellable = !detail.isEmpty && !detail.contains { $0 == "@" || $0 == "?" }
    // libcurl says "out of memory" where a line of the head, or what a piece of a coded body becomes, exceeds its limits.
    guard code != CURLE_OUT_OF_MEMORY || !hasBegun else {
      self.init(
        kind: .invalidResponse,
        message: "A part of the response is larger than libcurl can hold (libcurl error \(code.rawValue)).")
      return
    }
    let words = isTellable ? detail : String(cString: curl_easy_strerror(code))
    let kind = Self.kind(of: code, detail: detail)
    self.init(
      kind: kind == .connectionLost && !hasBegun ? .connectionFailed : kind,
      message: "\(words) (libcurl error \(code.rawValue)).")
  }

  private static func kind(of code: CURLcode, detail: String) -> Kind {
    switch code {
    case CURLE_URL_MALFORMAT:
      .invalidRequest
    // The only time limit that libcurl is given is the one for connecting.
    case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT, CURLE_OPERATION_TIMEDOUT, CURLE_FAILED_INIT,
      CURLE_INTERFACE_FAILED, CURLE_COULDNT_RESOLVE_PROXY, CURLE_PROXY, CURLE_NO_CONNECTION_AVAILABLE,
      CURLE_NOT_BUILT_IN:
      .connectionFailed
    // A connection that breaks during the handshake says nothing about certificates, and nothing was sent on it.
    case CURLE_SSL_CONNECT_ERROR:
      ["reset", "SSL_ERROR_SYSCALL", "unexpected eof"].contains(where: detail.contains) ? .connectionFailed : .tls
    case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_CERTPROBLEM,
      CURLE_SSL_CIPHER, CURLE_SSL_ISSUER_ERROR, CURLE_SSL_CRL_BADFILE, CURLE_SSL_INVALIDCERTSTATUS,
      CURLE_SSL_PINNEDPUBKEYNOTMATCH, CURLE_SSL_CLIENTCERT, CURLE_SSL_ENGINE_INITFAILED, CURLE_SSL_ENGINE_NOTFOUND,
      CURLE_SSL_ENGINE_SETFAILED, CURLE_USE_SSL_FAILED:
      .tls
    // A server refuses a client's certificate only after TLS 1.3's handshake is over for the client.
    case CURLE_RECV_ERROR, CURLE_SEND_ERROR:
      detail.contains(" alert ") ? .tls : .connectionLost
    // "Unsupported protocol" is what libcurl says of an answer without a status line, "bad argument" of a head that
    // begins with a folded line.
    case CURLE_WEIRD_SERVER_REPLY, CURLE_UNSUPPORTED_PROTOCOL, CURLE_BAD_FUNCTION_ARGUMENT,
      CURLE_BAD_CONTENT_ENCODING, CURLE_HTTP2:
      .invalidResponse
    // Whatever else happens, the server may have seen the request.
    default:
      .connectionLost
    }
  }
}
