internal import FoundationEssentials
internal import SupabaseServices
internal import SwiftwaterHTTP
internal import SwiftwaterHTTPServer

/// `/inbox`: the mails and text messages that were kept instead of sent.
enum InboxRoute {
  /// `GET` lists them, newest first; `DELETE` throws them away.
  static func respond(to request: ServerRequest, target: String, _ inbox: Inbox) -> ServerResponse {
    guard target.isEmpty || target == "/" || target.hasPrefix("?") else {
      return ServerResponse.failure(.notFound, message: "Messages are listed at /inbox.")
    }
    switch request.head.method {
    case .get, .head:
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
      // Texts always can be written.
      let bytes = (try? encoder.encode(inbox.messages)) ?? Data("[]".utf8)
      return ServerResponse(
        status: .ok, headerFields: [.contentType: "application/json; charset=utf-8", .cacheControl: "no-store"],
        body: HTTPBody(Array(bytes)))
    case .delete:
      inbox.removeAll()
      return ServerResponse(status: .noContent)
    default:
      var response = ServerResponse.failure(.methodNotAllowed, message: "/inbox takes GET and DELETE.")
      response.head.headerFields[.allow] = "GET, HEAD, DELETE"
      return response
    }
  }
}
