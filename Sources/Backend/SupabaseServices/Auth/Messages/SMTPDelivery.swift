internal import CCurl
internal import FoundationEssentials
internal import SwiftwaterHTTP
internal import SwiftwaterStreams

/// Hands mails to a mail server (RFC 5321) by the system's libcurl. Text messages it cannot deliver.
///
/// A delivery takes half a minute at most, and blocks a thread of the global executor meanwhile.
public struct SMTPDelivery: MessageDelivery {
  /// Why a mail was not handed over.
  public struct Failure: Error, Sendable, CustomStringConvertible {
    /// What libcurl says of it, without secrets.
    public var description: String
  }

  private let url: String
  private let sender: String
  private let user: String?
  private let password: String?
  private let needsTLS: Bool

  /// Describes a mail server.
  ///
  /// - Parameters:
  ///   - url: `smtp://host:587`, where TLS begins by `STARTTLS`, or `smtps://host:465`.
  ///   - sender: the address that mails come from.
  ///   - user: who signs in to the server; nil for nobody.
  ///   - password: the user's password. Never logged.
  ///   - needsTLS: whether nothing is sent to a server that does not encrypt.
  public init(url: String, sender: String, user: String? = nil, password: String? = nil, needsTLS: Bool = true) {
    self.url = url
    self.sender = sender
    self.user = user
    self.password = password
    self.needsTLS = needsTLS
  }

  /// Hands a mail to the server.
  ///
  /// - Throws: `SMTPDelivery.Failure`; `CancellationError` soon after the task is cancelled, when the server may have the
  ///   mail or not.
  public func deliver(_ message: AuthMessage) async throws {
    guard message.channel == .email else { throw Failure(description: "A mail server takes no text messages.") }
    guard url.hasPrefix("smtp://") || url.hasPrefix("smtps://") else {
      throw Failure(description: "A mail server's URL begins with smtp:// or smtps://.")
    }
    let transfer = Transfer(mail(message))
    try await withTaskCancellationHandler {
      try await send(transfer, to: message.recipient)
    } onCancel: {
      transfer.isCancelled.withLock { $0 = true }
    }
  }

  /// The mail as it travels (RFC 5322). Its text is base64, so no line is too long and none begins with a dot.
  private func mail(_ message: AuthMessage) -> [UInt8] {
    let domain = sender.split(separator: "@").last ?? "localhost"
    let text = Data(message.text.utf8).base64EncodedString(options: [
      .lineLength76Characters, .endLineWithCarriageReturn, .endLineWithLineFeed,
    ])
    let lines = [
      "From: <\(sender)>", "To: <\(message.recipient)>", "Subject: \(message.subject)",
      "Date: \(HTTPDate.string(secondsSince1970: Int(Date().timeIntervalSince1970)))",
      "Message-ID: <\(message.id)@\(domain)>", "MIME-Version: 1.0",
      "Content-Type: text/plain; charset=utf-8", "Content-Transfer-Encoding: base64", "", text, "",
    ]
    return Array(lines.joined(separator: "\r\n").utf8)
  }

  @concurrent
  private func send(_ transfer: Transfer, to recipient: String) async throws {
    guard let easy = curl_easy_init() else { throw Failure(description: "libcurl cannot be started.") }
    defer { curl_easy_cleanup(easy) }
    let recipients = curl_slist_append(nil, "<\(recipient)>")
    defer { curl_slist_free_all(recipients) }
    swiftwater_curl_set_string(easy, CURLOPT_URL, url)
    swiftwater_curl_set_string(easy, CURLOPT_MAIL_FROM, "<\(sender)>")
    swiftwater_curl_set_pointer(easy, CURLOPT_MAIL_RCPT, recipients)
    if let user { swiftwater_curl_set_string(easy, CURLOPT_USERNAME, user) }
    if let password { swiftwater_curl_set_string(easy, CURLOPT_PASSWORD, password) }
    let encryption = needsTLS ? CURLUSESSL_ALL : CURLUSESSL_TRY
    swiftwater_curl_set_long(easy, CURLOPT_USE_SSL, Int(encryption.rawValue))
    swiftwater_curl_set_long(easy, CURLOPT_TIMEOUT, 30)
    swiftwater_curl_set_long(easy, CURLOPT_NOSIGNAL, 1)
    swiftwater_curl_set_long(easy, CURLOPT_UPLOAD, 1)
    swiftwater_curl_set_close_on_exec(easy)
    let context = Unmanaged.passUnretained(transfer).toOpaque()
    swiftwater_curl_set_pointer(easy, CURLOPT_READDATA, context)
    swiftwater_curl_set_callback(easy, CURLOPT_READFUNCTION) { buffer, size, count, context in
      guard let buffer, let context else { return 0 }
      return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().read(into: buffer, size * count)
    }
    swiftwater_curl_set_long(easy, CURLOPT_NOPROGRESS, 0)
    swiftwater_curl_set_pointer(easy, CURLOPT_XFERINFODATA, context)
    swiftwater_curl_set_progress_callback(easy) { context, _, _, _, _ in
      guard let context else { return 0 }
      return Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue().isCancelled.value ? 1 : 0
    }
    let code = withExtendedLifetime(transfer) { curl_easy_perform(easy) }
    if code == CURLE_ABORTED_BY_CALLBACK { throw CancellationError() }
    guard code == CURLE_OK else { throw Failure(description: String(cString: curl_easy_strerror(code))) }
  }

  /// A mail on its way.
  private final class Transfer: Sendable {
    let isCancelled = LockIsolated(false)
    private let bytes: [UInt8]
    private let sent = LockIsolated(0)

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Gives libcurl the next bytes.
    func read(into buffer: UnsafeMutablePointer<CChar>, _ capacity: Int) -> Int {
      let part = sent.withLock { sent in
        let part = bytes[sent..<min(bytes.count, sent + capacity)]
        sent = part.endIndex
        return part
      }
      UnsafeMutableRawBufferPointer(start: buffer, count: capacity).copyBytes(from: part)
      return part.count
    }
  }
}
