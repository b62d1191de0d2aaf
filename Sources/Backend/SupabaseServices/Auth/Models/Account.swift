internal import SwiftwaterHTTP

/// A user as decisions need it. `profile` is what clients see.
struct Account: Decodable, Sendable {
  /// Seconds since the last message of each kind.
  struct Sent: Decodable, Sendable {
    var confirmation: Double?
    var recovery: Double?
    var emailChange: Double?
    var phoneChange: Double?
    var reauthentication: Double?
  }

  struct Identity: Decodable, Sendable {
    var id: String
    var provider: String
  }

  struct Factor: Decodable, Sendable {
    var id: String
    var kind: String
    var name: String?
    var phone: String?
    var isVerified: Bool
  }

  var id: String
  var audience: String?
  var role: String?
  var email: String?
  var phone: String?
  var isEmailConfirmed: Bool
  var isPhoneConfirmed: Bool
  var isBanned: Bool
  var isAnonymous: Bool
  var isSSO: Bool
  var isDeleted: Bool
  var hasPassword: Bool
  var emailChange: String?
  var phoneChange: String?
  var emailChangeStatus: Int
  var sent: Sent
  var appMetadata: JSONValue
  var userMetadata: JSONValue
  var identities: [Identity]
  var factors: [Factor]
  var profile: JSONValue

  var hasVerifiedFactor: Bool { factors.contains(where: \.isVerified) }
}
