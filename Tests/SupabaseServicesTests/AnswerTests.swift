import SwiftwaterHTTP
import Testing

@testable import SupabaseServices

@Suite("Statuses, ranges and quoting of answers")
struct AnswerTests {
  @Test(
    "SQLSTATEs have PostgREST's statuses",
    arguments: [
      ("23505", 409), ("23503", 409), ("23514", 400), ("22P02", 400), ("42703", 400), ("42P01", 404), ("42883", 404),
      ("25006", 405), ("P0001", 400), ("P0002", 500), ("PT418", 418), ("PT4x8", 500), ("08006", 503), ("53300", 503),
      ("53400", 500), ("57P01", 503), ("57014", 500), ("21000", 500), ("28000", 403), ("40001", 500), ("XX000", 500),
    ])
  func statuses(sqlState: String, status: Int) {
    #expect(RESTError.status(sqlState: sqlState, isAnonymous: true) == status)
  }

  @Test("A missing privilege is 401 before signing in and 403 after")
  func privileges() {
    #expect(RESTError.status(sqlState: "42501", isAnonymous: true) == 401)
    #expect(RESTError.status(sqlState: "42501", isAnonymous: false) == 403)
  }

  @Test("Content-Range tells rows and total, and partial pages are 206")
  func contentRange() {
    func range(_ offset: Int, _ page: Int, _ total: Int?) -> String {
      let (status, range) = RESTResponse.range(offset: offset, page: page, total: total)
      return "\(status) \(range)"
    }
    #expect(range(0, 0, nil) == "200 */*")
    #expect(range(10, 5, nil) == "200 10-14/*")
    #expect(range(0, 5, 5) == "200 0-4/5")
    #expect(range(0, 5, 6) == "206 0-4/6")
    #expect(range(0, 0, 0) == "200 */0")
    #expect(range(7, 0, 5) == "416 */5")
  }

  @Test("Errors are JSON with four members, whatever the words hold")
  func errorJSON() {
    let error = RESTError(status: 400, code: "X", message: "a \"quoted\"\n\u{1}\\ text", hint: "é")
    #expect(
      String(decoding: error.json(), as: UTF8.self)
        == #"{"code":"X","details":null,"hint":"é","message":"a \"quoted\"\n\u0001\\ text"}"#)
  }

  @Test("Identifiers and array elements cannot break out of their quotes")
  func quoting() {
    #expect(SQLBuilder.quoted(#"a"b; drop"#) == #""a""b; drop""#)
    #expect(SQLBuilder.arrayLiteral([#"a"b\"#, "NULL", ""]) == #"{"a\"b\\","NULL",""}"#)
  }
}
