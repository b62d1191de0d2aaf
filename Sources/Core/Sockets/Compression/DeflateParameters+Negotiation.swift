extension DeflateParameters {
  static let name = "permessage-deflate"

  private enum Key {
    static let serverForgets = "server_no_context_takeover"
    static let clientForgets = "client_no_context_takeover"
    static let serverBits = "server_max_window_bits"
    static let clientBits = "client_max_window_bits"
  }

  // MARK: - The client

  /// What a client offers (RFC 7692 §7.1).
  static func offer(_ configuration: WebSocketConfiguration.Compression) -> String {
    var parts = [name]
    if !configuration.allowsContextTakeover { parts += [Key.serverForgets, Key.clientForgets] }
    if configuration.windowBits < 15 {
      parts += ["\(Key.serverBits)=\(configuration.windowBits)", "\(Key.clientBits)=\(configuration.windowBits)"]
    } else {
      parts.append(Key.clientBits)
    }
    return parts.joined(separator: "; ")
  }

  /// What follows from the server's answer to that offer; nil when it does not fit.
  static func agreement(
    offered configuration: WebSocketConfiguration.Compression, answer: WebSocketExtension
  ) -> DeflateParameters? {
    guard answer.name.lowercased() == name, let values = Values(answer) else { return nil }
    var agreement = DeflateParameters()
    agreement.serverTakesContextOver = !values.serverForgets
    // A client may forget its context also where the server would keep it.
    agreement.clientTakesContextOver = !values.clientForgets && configuration.allowsContextTakeover
    guard configuration.allowsContextTakeover || values.serverForgets else { return nil }
    switch values.serverBits {
    case .bits(let bits):
      guard bits <= configuration.windowBits else { return nil }
      agreement.serverWindowBits = bits
    // What has been asked for has to be granted.
    case .absent: guard configuration.windowBits == 15 else { return nil }
    case .bare: return nil
    }
    switch values.clientBits {
    case .bits(let bits): agreement.clientWindowBits = min(bits, configuration.windowBits)
    case .absent: agreement.clientWindowBits = configuration.windowBits
    case .bare: return nil
    }
    return agreement
  }

  // MARK: - The server

  /// The first offer a server can take, and its answer; nil when it takes none.
  static func accept(
    _ offers: [WebSocketExtension], _ configuration: WebSocketConfiguration.Compression
  ) -> (DeflateParameters, answer: String)? {
    for offer in offers where offer.name.lowercased() == name {
      guard let values = Values(offer), let (agreement, answer) = accept(values, configuration) else { continue }
      return (agreement, answer)
    }
    return nil
  }

  private static func accept(
    _ offer: Values, _ configuration: WebSocketConfiguration.Compression
  ) -> (DeflateParameters, answer: String)? {
    var agreement = DeflateParameters()
    var answer = [name]
    if offer.serverForgets || !configuration.allowsContextTakeover {
      agreement.serverTakesContextOver = false
      answer.append(Key.serverForgets)
    }
    if offer.clientForgets || !configuration.allowsContextTakeover {
      agreement.clientTakesContextOver = false
      answer.append(Key.clientForgets)
    }
    switch offer.serverBits {
    case .bits(let bits):
      agreement.serverWindowBits = min(bits, configuration.windowBits)
      answer.append("\(Key.serverBits)=\(agreement.serverWindowBits)")
    case .absent:
      agreement.serverWindowBits = configuration.windowBits
      if configuration.windowBits < 15 { answer.append("\(Key.serverBits)=\(configuration.windowBits)") }
    case .bare: return nil
    }
    // A client that does not name this parameter cannot be told to use less than the full window.
    switch offer.clientBits {
    case .absent: break
    case .bare: agreement.clientWindowBits = configuration.windowBits
    case .bits(let bits): agreement.clientWindowBits = min(bits, configuration.windowBits)
    }
    if agreement.clientWindowBits < 15 { answer.append("\(Key.clientBits)=\(agreement.clientWindowBits)") }
    return (agreement, answer.joined(separator: "; "))
  }

  // MARK: - Parameters

  private enum WindowBits {
    case absent
    case bare
    case bits(Int)
  }

  /// The parameters as they stand in a field; nil when one is unknown, repeated, or has a value it must not have.
  private struct Values {
    var serverForgets = false
    var clientForgets = false
    var serverBits = WindowBits.absent
    var clientBits = WindowBits.absent

    init?(_ member: WebSocketExtension) {
      guard Set(member.parameters.map(\.name)).count == member.parameters.count else { return nil }
      for parameter in member.parameters {
        switch (parameter.name, parameter.value) {
        case (Key.serverForgets, nil): serverForgets = true
        case (Key.clientForgets, nil): clientForgets = true
        case (Key.serverBits, let value):
          guard let bits = Self.bits(value) else { return nil }
          serverBits = bits
        case (Key.clientBits, let value):
          guard let bits = Self.bits(value) else { return nil }
          clientBits = bits
        default: return nil
        }
      }
    }

    private static func bits(_ value: String?) -> WindowBits? {
      guard let value else { return .bare }
      let allowed = 8...15
      return allowed.first { String($0) == value }.map { .bits($0) }
    }
  }
}
