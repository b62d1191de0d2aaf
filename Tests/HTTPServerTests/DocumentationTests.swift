import SwiftwaterHTTP
import SwiftwaterHTTPServer
import Testing

struct DocumentationTests {
  @Test("the example of the module's page works as written")
  func example() async throws {
    let server = HTTPServer { request in
      switch request.head.path {
      case "/hello":
        return ServerResponse(status: .ok, headerFields: [.contentType: "text/plain"], body: HTTPBody("Hello!"))
      case "/size":
        var size = 0
        for try await chunk in request.body { size += chunk.count }
        return ServerResponse(status: .ok, body: HTTPBody("\(size)"))
      default:
        return .failure(.notFound, message: "There is nothing at \(request.head.path).")
      }
    }
    try await server.start()
    do {
      let client = try await RawClient(port: server.port)
      #expect(try await client.exchange("GET /hello HTTP/1.1\r\nHost: x\r\n\r\n").text == "Hello!")
      let size = try await client.exchange("PUT /size HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\nabcd")
      #expect(size.text == "4")
      let missing = try await client.exchange("GET /? HTTP/1.1\r\nHost: x\r\n\r\n")
      #expect(missing.status == 404)
      #expect(missing.text == #"{"code":"404","message":"There is nothing at /?."}"#)
    }
    await server.stop()
  }
}
