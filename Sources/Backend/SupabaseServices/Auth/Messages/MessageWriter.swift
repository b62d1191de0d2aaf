internal import FoundationEssentials
internal import SwiftwaterHTTP

/// Words messages.
struct MessageWriter {
  /// Where `/verify` is found.
  let externalURL: String

  /// The link that a browser follows to `/verify`.
  func link(_ hash: String, kind: AuthMessage.Kind, redirect: String) -> String {
    "\(externalURL)/verify?token=\(hash.percentEncodedForQuery)&type=\(kind.rawValue)"
      + "&redirect_to=\(redirect.percentEncodedForQuery)"
  }

  /// A mail.
  func mail(
    _ kind: AuthMessage.Kind, to recipient: String, code: String, hash: String, redirect: String,
    newAddress: String? = nil
  ) -> AuthMessage {
    let link = kind == .reauthentication ? nil : link(hash, kind: kind, redirect: redirect)
    let (subject, text): (String, String) =
      switch kind {
      case .signUp: ("Confirm Your Signup", "Follow this link to confirm your address")
      case .invite: ("You have been invited", "You have been invited. Follow this link to accept")
      case .magicLink: ("Your Magic Link", "Follow this link to sign in")
      case .recovery: ("Reset Your Password", "Follow this link to choose a new password")
      case .emailChange:
        ("Confirm Email Change", "Follow this link to confirm the change of your address to \(newAddress ?? recipient)")
      default: ("Confirm reauthentication", "Confirm that it is you")
      }
    let body = link.map { "\(text):\n\n\($0)\n\nOr enter the code: \(code)" } ?? "\(text) by entering the code: \(code)"
    return message(.email, kind, recipient, subject, body, code, hash: hash, link: link)
  }

  /// A text message.
  func textMessage(_ kind: AuthMessage.Kind, to recipient: String, code: String) -> AuthMessage {
    message(.sms, kind, recipient, "", "Your code is \(code)", code, hash: nil, link: nil)
  }

  private func message(
    _ channel: AuthMessage.Channel, _ kind: AuthMessage.Kind, _ recipient: String, _ subject: String, _ text: String,
    _ code: String, hash: String?, link: String?
  ) -> AuthMessage {
    AuthMessage(
      id: Secrets.uuid(), date: Date().ISO8601Format(), channel: channel, recipient: recipient, kind: kind,
      subject: subject, text: text, token: code, tokenHash: hash, link: link)
  }
}
