/// Goes through a text once and leaves the secrets out.
struct SecretScanner {
  private let bytes: [UInt8]
  private var position = 0
  private var output: [UInt8] = []
  /// Whether the word at hand is a URL or a path, whose query is not to be shown.
  private var isInURL = false
  /// Before this place no token begins: one search for its dots is enough for each run of letters.
  private var tokenless = 0

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    output.reserveCapacity(bytes.count)
  }

  mutating func redacted() -> String {
    while position < bytes.count {
      let byte = bytes[position]
      let isWordStart = position == 0 || !bytes[position - 1].isWordByte
      if "esyA".utf8.contains(byte), let end = endOfToken() ?? endOfKey() {
        replace(upTo: end)
        continue
      }
      if isWordStart, byte.isWordByte, keepNameAndReplaceValue() { continue }
      if byte.endsURL { isInURL = false }
      if byte == UInt8(ascii: "/"), enterURL() { continue }
      if isInURL && byte == UInt8(ascii: "#") || byte == UInt8(ascii: "?") && (isInURL || beginsQuery) {
        output.append(byte)
        position += 1
        replace(upTo: end { $0.endsURL })
        isInURL = false
        continue
      }
      output.append(byte)
      position += 1
    }
    return String(decoding: output, as: UTF8.self)
  }

  // MARK: - What stands by its own shape

  /// Behind a JSON web token: three parts in base64url, of which the first begins as `{"` does.
  private mutating func endOfToken() -> Int? {
    guard position >= tokenless, starts(with: "eyJ") else { return nil }
    let header = end { !$0.isBase64URL }
    tokenless = header
    guard header < bytes.count, bytes[header] == UInt8(ascii: ".") else { return nil }
    let claims = end(from: header + 1) { !$0.isBase64URL }
    guard claims > header + 1 else { return nil }
    guard claims < bytes.count, bytes[claims] == UInt8(ascii: ".") else { return claims }
    return end(from: claims + 1) { !$0.isBase64URL }
  }

  /// Behind a key that tells itself by its prefix.
  private func endOfKey() -> Int? {
    for prefix in ["sb_secret_", "sb_publishable_", "sbp_", "AIza", "ya29."] where starts(with: prefix) {
      let end = end(from: position + prefix.utf8.count) { !$0.isBase64URL }
      if end - position >= prefix.utf8.count + 8 { return end }
    }
    return nil
  }

  // MARK: - What stands behind a name

  /// Where a word is a secret's name with its value behind it, keeps the one and leaves out the other.
  private mutating func keepNameAndReplaceValue() -> Bool {
    let nameEnd = end { !$0.isWordByte }
    let name = String(decoding: bytes[position..<nameEnd], as: UTF8.self)
    if name.lowercased() == "bearer" || name.lowercased() == "basic" {
      guard nameEnd < bytes.count, bytes[nameEnd] == UInt8(ascii: " ") else { return false }
      let value = end(from: nameEnd) { $0 != UInt8(ascii: " ") }
      let valueEnd = end(from: value) { !$0.isBase64URL && !"+/=.~".utf8.contains($0) }
      guard valueEnd > value else { return false }
      keep(upTo: value)
      replace(upTo: valueEnd)
      return true
    }
    guard SecretNames.contain(name) else { return false }
    var index = nameEnd
    let isQuoted = skipQuote(&index) != nil
    index = end(from: index) { $0 != UInt8(ascii: " ") }
    guard index < bytes.count else { return false }
    let separator = bytes[index]
    let value = end(from: index + 1) { !$0.isSpace }
    let isText = value < bytes.count && bytes[value].isQuote
    guard
      separator == UInt8(ascii: "=")
        || separator == UInt8(ascii: ":") && (isQuoted || isText || SecretNames.containField(name))
    else { return false }
    keep(upTo: value)
    let isField = separator == UInt8(ascii: ":") && !isQuoted
    replaceValue(isField: isField, ends: separator == UInt8(ascii: "=") ? "&\"'" : ",;&}])\"'")
    return true
  }

  /// - Parameter ends: what ends a value besides white space. In forms and queries a comma or a bracket may belong to it.
  private mutating func replaceValue(isField: Bool, ends: String) {
    var start = position
    let backslashes = end { $0 != UInt8(ascii: "\\") } - position
    if let quote = skipQuote(&start) {
      keep(upTo: start)
      replace(upTo: endOfQuoted(by: quote, backslashes: backslashes))
    } else if isField {
      replace(upTo: end { $0 == UInt8(ascii: "\n") || $0 == UInt8(ascii: "\r") })
    } else if position < bytes.count, bytes[position] != UInt8(ascii: "{"), bytes[position] != UInt8(ascii: "[") {
      replace(upTo: end { $0.isSpace || ends.utf8.contains($0) })
    }
  }

  /// The place of the quote that ends a string. In JSON within JSON quotes have backslashes; those inside have more.
  private func endOfQuoted(by quote: UInt8, backslashes: Int) -> Int {
    var index = position
    var run = 0
    while index < bytes.count {
      if bytes[index] == UInt8(ascii: "\\") {
        run += 1
      } else {
        if bytes[index] == quote, backslashes == 0 ? run.isMultiple(of: 2) : run <= backslashes {
          return index - min(run, backslashes)
        }
        run = 0
      }
      index += 1
    }
    return index
  }

  // MARK: - URLs

  /// A slash at a word's start begins a path, and two there or behind a colon an authority, whose user is not to be shown.
  /// Returns whether it has moved on.
  private mutating func enterURL() -> Bool {
    guard !isInURL else { return false }
    let isPath = position == 0 || bytes[position - 1].endsURL || bytes[position - 1] == UInt8(ascii: "=")
    let isBehindScheme = position > 0 && bytes[position - 1] == UInt8(ascii: ":")
    let isAuthority = (isPath || isBehindScheme) && starts(with: "//")
    guard isPath || isAuthority else { return false }
    isInURL = true
    guard isAuthority else { return false }
    let authority = position + 2
    let authorityEnd = end(from: authority) { $0.endsURL || "/?#".utf8.contains($0) }
    guard let at = bytes[authority..<authorityEnd].lastIndex(of: UInt8(ascii: "@")) else { return false }
    keep(upTo: authority)
    replace(upTo: at)
    return true
  }

  /// Whether a question mark is followed by a name and its value, as in a relative reference.
  private var beginsQuery: Bool {
    let name = end(from: position + 1) { !$0.isWordByte }
    return name > position + 1 && name < bytes.count && bytes[name] == UInt8(ascii: "=")
  }

  // MARK: - Steps

  private func starts(with prefix: String) -> Bool { bytes[position...].starts(with: prefix.utf8) }

  /// The first place from `start`, or from here, whose byte fits; the end if none does.
  private func end(from start: Int? = nil, where isEnd: (UInt8) -> Bool) -> Int {
    bytes[(start ?? position)...].firstIndex(where: isEnd) ?? bytes.count
  }

  /// Steps over a quote and the backslashes before it, and returns the quote.
  private func skipQuote(_ index: inout Int) -> UInt8? {
    let quote = end(from: index) { $0 != UInt8(ascii: "\\") }
    guard quote < bytes.count, bytes[quote].isQuote else { return nil }
    index = quote + 1
    return bytes[quote]
  }

  private mutating func keep(upTo end: Int) {
    output.append(contentsOf: bytes[position..<end])
    position = end
  }

  private mutating func replace(upTo end: Int) {
    if end > position { output.append(contentsOf: Redactor.mark.utf8) }
    position = end
  }
}

extension UInt8 {
  fileprivate var isBase64URL: Bool {
    switch self {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
      true
    default: false
    }
  }

  fileprivate var isWordByte: Bool { isBase64URL }

  fileprivate var isQuote: Bool { self == UInt8(ascii: "\"") || self == UInt8(ascii: "'") }

  fileprivate var isSpace: Bool { self == UInt8(ascii: " ") || (9...13).contains(self) }

  /// Whether the byte stands in no URL.
  fileprivate var endsURL: Bool { isSpace || "\"'<>`\\".utf8.contains(self) }
}
