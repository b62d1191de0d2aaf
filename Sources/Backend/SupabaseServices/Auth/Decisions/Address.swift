/// Email addresses and phone numbers as they are stored.
enum Address {
  /// An email address in lower case.
  static func email(_ text: String) throws(AuthError) -> String {
    let email = text.lowercased()
    guard !email.isEmpty else { throw .invalid("An email address is required") }
    guard email.utf8.count <= 255 else { throw .invalid("An email address is too long") }
    let parts = email.split(separator: "@", omittingEmptySubsequences: false)
    let isWellFormed =
      parts.count == 2 && !parts[0].isEmpty && parts[0].utf8.count <= 64 && !parts[1].isEmpty
      && !parts[1].hasPrefix(".") && !parts[1].hasSuffix(".") && !parts[1].contains("..")
      && email.unicodeScalars.allSatisfy { scalar in
        scalar.isVisible && !"\"(),:;<>[\\]".unicodeScalars.contains(scalar)
      }
      && parts[1].unicodeScalars.allSatisfy { $0.value >= 0x80 || $0 == "-" || $0 == "." || $0.isLetterOrDigit }
    guard isWellFormed else { throw .invalid("Unable to validate email address: invalid format") }
    return email
  }

  /// The digits of a phone number with its country's code (ITU-T E.164).
  static func phone(_ text: String) throws(AuthError) -> String {
    let digits = text.filter { $0 != "+" && $0 != " " }
    guard (2...15).contains(digits.utf8.count), digits.first != "0",
      digits.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { throw .invalid("Invalid phone number format (E.164 required)") }
    return digits
  }
}

extension Unicode.Scalar {
  /// Two addresses that look alike are one.
  fileprivate var isVisible: Bool {
    switch properties.generalCategory {
    case .control, .format, .spaceSeparator, .lineSeparator, .paragraphSeparator: false
    default: true
    }
  }

  fileprivate var isLetterOrDigit: Bool {
    ("a"..."z").contains(self) || ("A"..."Z").contains(self) || ("0"..."9").contains(self)
  }
}
