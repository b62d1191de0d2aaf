#if canImport(Darwin)
  internal import Foundation
  internal import SwiftwaterHTTP

  extension HTTPError {
    /// Translates what a task of `URLSession` has ended with.
    init(_ error: any Error) {
      let code = (error as? URLError)?.code ?? .unknown
      self.init(kind: Self.kind(of: code), message: "\(error.localizedDescription) (URLError \(code.rawValue)).")
    }

    private static func kind(of code: URLError.Code) -> Kind {
      switch code {
      case .timedOut: .timeout
      case .badURL, .unsupportedURL: .invalidRequest
      case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed, .notConnectedToInternet, .dataNotAllowed,
        .internationalRoamingOff, .callIsActive, .appTransportSecurityRequiresSecureConnection:
        .connectionFailed
      case .secureConnectionFailed, .serverCertificateUntrusted, .serverCertificateHasBadDate,
        .serverCertificateHasUnknownRoot, .serverCertificateNotYetValid, .clientCertificateRejected,
        .clientCertificateRequired:
        .tls
      case .badServerResponse, .cannotParseResponse, .cannotDecodeRawData, .cannotDecodeContentData: .invalidResponse
      // Whatever else happens, the server may have seen the request.
      default: .connectionLost
      }
    }
  }
#endif
