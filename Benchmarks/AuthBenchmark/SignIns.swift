import BenchmarkSupport
import CPostgres
import FoundationEssentials
import SupabaseServices
import SwiftwaterBackend
import SwiftwaterCurl
import SwiftwaterHTTP

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Sign-ins by password, beside the same `crypt()` by bare libpq on the same server.
enum SignIns {
  private static let seconds = 5.0
  private static let callers = 8
  private static let password = "correct horse battery staple"

  enum Failure: Error { case signUp(String), signIn(String), statement }

  static func measure() async throws -> [Figure] {
    var configuration = LocalBackend.Configuration()
    configuration.auth.confirmsEmailAtOnce = true
    return try await LocalBackend.with(configuration) { backend async throws in
      let body = #"{"email":"ada@example.com","password":"\#(password)"}"#
      let signUp = try await post(backend, "signup", body)
      guard signUp.status == 200 else { throw Failure.signUp(signUp.text) }
      // By turns, so that whatever else the machine does meets both.
      var (floors, rates): ([Double], [Double]) = ([], [])
      for round in 0..<3 {
        Machine.progress("sign-ins, round \(round + 1) of 3")
        floors.append(try await floor(backend.databaseConnection))
        rates.append(try await signIns(backend, body))
      }
      let (floor, rate) = (median(floors), median(rates))
      return [
        Figure("crypt() by libpq, cost 10", floor, "/s"),
        Figure("sign-ins by password, cost 10", rate, "/s", ratio: rate / floor, .ratioAtLeast(0.8)),
      ]
    }
  }

  private static func post(_ backend: LocalBackend, _ path: String, _ body: String) async throws -> (
    status: Int, text: String
  ) {
    guard let url = URL(string: "\(backend.authURL.absoluteString)/\(path)") else { throw Failure.statement }
    let request = try HTTPRequest(method: .post, url: url, headerFields: [.contentType: "application/json"])
    let (response, content) = try await CurlTransport.shared.send(request, body: HTTPBody(body))
    return (response.status.code, String(decoding: try await content.collect(upTo: .max), as: UTF8.self))
  }

  private static func signIns(_ backend: LocalBackend, _ body: String) async throws -> Double {
    let start = Machine.now()
    let end = start + seconds * 1e9
    let count = try await withThrowingTaskGroup(of: Int.self) { group in
      for _ in 0..<callers {
        group.addTask {
          var count = 0
          while Machine.now() < end {
            let answer = try await post(backend, "token?grant_type=password", body)
            guard answer.status == 200 else { throw Failure.signIn(answer.text) }
            count += 1
          }
          return count
        }
      }
      return try await group.reduce(0, +)
    }
    return Double(count) / ((Machine.now() - start) / 1e9)
  }

  /// One hash after the other on as many connections as there are callers.
  @concurrent
  private static func floor(_ connection: String) async throws -> Double {
    let open = (0..<callers).compactMap { _ in PQconnectdb(connection) }
    defer { for connection in open { PQfinish(connection) } }
    func send(_ connection: OpaquePointer) {
      password.withCString { value in
        _ = PQsendQueryParams(
          connection, "select extensions.crypt($1, encrypted_password) = encrypted_password from auth.users", 1, nil,
          [value], nil, nil, 0)
      }
      PQflush(connection)
    }
    let start = Machine.now()
    let end = start + seconds * 1e9
    var (pending, count) = (open.count, 0)
    for connection in open { send(connection) }
    var polled = open.map { pollfd(fd: PQsocket($0), events: Int16(POLLIN), revents: 0) }
    while pending > 0 {
      poll(&polled, nfds_t(polled.count), -1)
      for (connection, entry) in zip(open, polled) where entry.revents != 0 {
        PQconsumeInput(connection)
        while PQisBusy(connection) == 0 {
          guard let result = PQgetResult(connection) else {
            pending -= 1
            count += 1
            if Machine.now() < end {
              send(connection)
              pending += 1
            }
            break
          }
          defer { PQclear(result) }
          guard PQresultStatus(result) == PGRES_TUPLES_OK, String(cString: PQgetvalue(result, 0, 0)) == "t" else {
            throw Failure.statement
          }
        }
      }
    }
    return Double(count) / ((Machine.now() - start) / 1e9)
  }
}
