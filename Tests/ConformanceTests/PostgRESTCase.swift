import FoundationEssentials
import SwiftwaterHTTP

/// One outside case: a request and what a PostgREST server answers.
struct PostgRESTCase: Decodable {
  struct Request: Decodable {
    var method: String
    var path: String
    var headers: [String: JSONValue]
    var body: String?
    var body_base64: String?
  }

  struct Expectation: Decodable {
    var status: Int?
    var headers: [String: JSONValue]
    var match: String
    var body_json: JSONValue?
    var body_text: String?
    var body_base64: String?
  }

  var id: String
  var feature: String
  var config: String
  var requires: [String]?
  var request: Request
  var expect: Expectation
}

extension PostgRESTCase.Expectation {
  private enum CodingKeys: String, CodingKey {
    case status, headers, match, body_json, body_text, body_base64
  }

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    status = try container.decodeIfPresent(Int.self, forKey: .status)
    headers = try container.decode([String: JSONValue].self, forKey: .headers)
    match = try container.decode(String.self, forKey: .match)
    // A body of `null` is one.
    if container.contains(.body_json) { body_json = try container.decode(JSONValue.self, forKey: .body_json) }
    body_text = try container.decodeIfPresent(String.self, forKey: .body_text)
    body_base64 = try container.decodeIfPresent(String.self, forKey: .body_base64)
  }

  /// What of an answer is not as expected; empty when all is.
  func faults(status: Int, fields: HTTPFields, body: [UInt8]) -> [String] {
    var faults: [String] = []
    if let expected = self.status, expected != status { faults.append("status \(status), not \(expected)") }
    for (name, condition) in headers {
      guard let name = HTTPField.Name(name) else { continue }
      let conditions: [JSONValue] = if case .array(let all) = condition { all } else { [condition] }
      for condition in conditions {
        guard let fault = Self.fault(fields[values: name], condition) else { continue }
        faults.append("\(name): \(fault)")
      }
    }
    if match == "exact" { faults += bodyFaults(body) }
    return faults
  }

  private static func fault(_ values: [String], _ condition: JSONValue) -> String? {
    switch condition {
    case .null: return values.isEmpty ? nil : "\(values) although there should be none"
    case .string(let text): return values.contains(text) ? nil : "\(values), not \(text)"
    case .object(let members):
      let value = values.first ?? ""
      if case .string(let part)? = members["contains"] {
        return value.contains(part) ? nil : "\(value) without \(part)"
      }
      guard case .string(let pattern)? = members["regex"] else { return "unknown condition" }
      guard let regex = try? Regex(pattern) else { return "unreadable pattern \(pattern)" }
      return values.first != nil && value.firstMatch(of: regex) != nil ? nil : "\(values) does not match \(pattern)"
    default: return "unknown condition"
    }
  }

  private func bodyFaults(_ body: [UInt8]) -> [String] {
    let text = String(decoding: body, as: UTF8.self)
    if let body_json {
      guard let value = try? JSONDecoder().decode(JSONValue.self, from: Data(body)) else {
        return ["body is no JSON: \(text.prefix(300))"]
      }
      return value.isSame(as: body_json) ? [] : ["body \(text.prefix(600))"]
    }
    if let body_text { return text == body_text ? [] : ["body \(text.prefix(600)), not \(body_text.prefix(300))"] }
    if let body_base64 {
      return Data(body).base64EncodedString() == body_base64 ? [] : ["body of \(body.count) other bytes"]
    }
    return body.isEmpty ? [] : ["body \(text.prefix(300)) although there should be none"]
  }
}

extension JSONValue {
  /// Whether both are the same value: members in any order, 1 equal to 1.0.
  func isSame(as other: JSONValue) -> Bool {
    switch (self, other) {
    case (.array(let left), .array(let right)):
      left.count == right.count && zip(left, right).allSatisfy { $0.isSame(as: $1) }
    case (.object(let left), .object(let right)):
      left.count == right.count && left.allSatisfy { name, value in right[name]?.isSame(as: value) ?? false }
    default: self == other
    }
  }
}
