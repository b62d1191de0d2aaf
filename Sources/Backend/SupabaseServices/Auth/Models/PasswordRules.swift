/// What passwords must be like.
public struct PasswordRules: Sendable {
  /// The fewest characters.
  public var minimumLength = 6
  /// Sets of characters; a password needs at least one of each. Supabase projects choose among lower-case letters,
  /// upper-case letters, digits and symbols.
  public var requiredCharacters: [String] = []

  /// At least six characters of any kind.
  public init() {}

  /// bcrypt hears no more of a password (in bytes).
  static let maximumLength = 72

  /// What is wrong with a password, in GoTrue's names of the reasons and in words; nil if nothing is.
  func fault(of password: String) -> Fault? {
    var reasons: [String] = []
    var messages: [String] = []
    if password.unicodeScalars.count < minimumLength {
      reasons.append("length")
      messages.append("Password should be at least \(minimumLength) characters.")
    }
    if let missing = requiredCharacters.first(where: { set in !set.contains { password.contains($0) } }),
      !missing.isEmpty
    {
      reasons.append("characters")
      messages.append(
        "Password should contain at least one character of each: \(requiredCharacters.joined(separator: ", ")).")
    }
    return reasons.isEmpty ? nil : Fault(reasons: reasons, message: messages.joined(separator: " "))
  }

  /// Why a password is too weak.
  struct Fault: Equatable {
    var reasons: [String]
    var message: String
  }
}
