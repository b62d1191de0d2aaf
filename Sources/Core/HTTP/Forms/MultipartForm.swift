/// A body of named parts: `multipart/form-data` (RFC 7578).
///
/// ```swift
/// var form = MultipartForm()
/// form.append("a walk along the harbour", name: "title")
/// form.append(HTTPBody(bytes), name: "track", filename: "track.gpx", contentType: "application/gpx+xml")
/// request.headerFields[.contentType] = form.contentType
/// let (response, _) = try await client.send(request, body: form.body)
/// ```
public struct MultipartForm: Sendable {
  /// What stands between the parts; no part may contain it.
  public let boundary: String
  private var parts: [(head: [UInt8], content: HTTPBody)] = []

  /// A form without parts. The boundary is random, so that no part contains it but by design.
  public init() {
    let letters = Array("0123456789abcdefghijklmnopqrstuvwxyz")
    self.init(boundary: "swiftwater-" + String((0..<32).map { _ in letters.randomElement() ?? "0" }))
  }

  init(boundary: String) { self.boundary = boundary }

  /// The value of the `Content-Type` field that tells the boundary.
  public var contentType: String { "multipart/form-data; boundary=\(boundary)" }

  /// Adds a part. Line breaks and quotes in names are percent-encoded, as browsers do (WHATWG HTML §4.10.21.8); a
  /// `contentType` with line breaks is left out.
  public mutating func append(
    _ content: HTTPBody, name: String, filename: String? = nil, contentType: String? = nil
  ) {
    var head = "--\(boundary)\r\nContent-Disposition: form-data; name=\"\(Self.quoted(name))\""
    if let filename { head += "; filename=\"\(Self.quoted(filename))\"" }
    // A line break would end the field, and an attacker's file could bring fields of its own.
    if let contentType, HTTPField.isValidValue(contentType) { head += "\r\nContent-Type: \(contentType)" }
    parts.append((Array("\(head)\r\n\r\n".utf8), content))
  }

  /// Adds a text.
  public mutating func append(_ text: String, name: String) { append(HTTPBody(text), name: name) }

  /// The parts as a body. Its length is known, and it can be read again, if that holds for every part.
  public var body: HTTPBody {
    var pieces: [HTTPBody] = []
    for part in parts { pieces += [HTTPBody(part.head), part.content, HTTPBody("\r\n")] }
    pieces.append(HTTPBody("--\(boundary)--\r\n"))
    return HTTPBody(
      ConsecutiveBodies(bodies: pieces), length: Self.length(of: pieces),
      iterationBehavior: pieces.allSatisfy { $0.iterationBehavior == .multiple } ? .multiple : .single)
  }

  private static func length(of bodies: [HTTPBody]) -> HTTPBody.Length {
    var sum: Int64 = 0
    for body in bodies {
      guard case .known(let length) = body.length else { return .unknown }
      let (next, isTooMuch) = sum.addingReportingOverflow(length)
      guard !isTooMuch else { return .unknown }
      sum = next
    }
    return .known(sum)
  }

  private static func quoted(_ name: String) -> String {
    var quoted = String.UnicodeScalarView()
    for scalar in name.unicodeScalars {
      switch scalar {
      case "\n": quoted.append(contentsOf: "%0A".unicodeScalars)
      case "\r": quoted.append(contentsOf: "%0D".unicodeScalars)
      case "\"": quoted.append(contentsOf: "%22".unicodeScalars)
      default: quoted.append(scalar)
      }
    }
    return String(quoted)
  }
}
