/// A QR code of bytes (ISO/IEC 18004) with the error correction level M, as authenticators scan it.
struct QRCode: Equatable {
  /// Rows of modules, true where dark.
  private(set) var modules: [[Bool]]
  /// Which modules are not data.
  private var isFixed: [[Bool]]
  private let version: Int
  private var size: Int { modules.count }

  // Of the versions 1 to 20: codewords of error correction in each block, and blocks.
  private static let correction = [
    10, 16, 26, 18, 24, 16, 18, 22, 22, 26, 30, 22, 22, 24, 24, 28, 28, 26, 26, 26,
  ]
  private static let blocks = [1, 1, 1, 2, 2, 4, 4, 4, 5, 5, 5, 8, 9, 9, 10, 10, 11, 13, 14, 16]

  /// The smallest code that holds the bytes; nil where they are more than 666.
  init?(_ bytes: [UInt8]) {
    func room(_ version: Int) -> Int {
      Self.codewords(version) - Self.correction[version - 1] * Self.blocks[version - 1]
    }
    func needed(_ version: Int) -> Int { (4 + (version < 10 ? 8 : 16) + 8 * bytes.count + 7) / 8 }
    guard let version = (1...20).first(where: { needed($0) <= room($0) }) else { return nil }
    self.version = version
    let size = 17 + 4 * version
    modules = Array(repeating: Array(repeating: false, count: size), count: size)
    isFixed = modules
    drawFunctionPatterns()
    drawFormat()
    draw(Self.interleaved(Self.data(bytes, version: version, room: room(version)), version: version))
    applyMask()
  }

  /// The picture, with its quiet zone.
  var svg: String {
    let side = size + 8
    var path = ""
    for (y, row) in modules.enumerated() {
      for (x, isDark) in row.enumerated() where isDark { path += "M\(x + 4) \(y + 4)h1v1h-1z" }
    }
    return #"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \#(side) \#(side)" shape-rendering="crispEdges">"#
      + #"<path fill="white" d="M0 0h\#(side)v\#(side)H0z"/><path d="\#(path)"/></svg>"#
  }

  // MARK: Codewords

  private static func codewords(_ version: Int) -> Int {
    var modules = (16 * version + 128) * version + 64
    if version >= 2 {
      let marks = version / 7 + 2
      modules -= (25 * marks - 10) * marks - 55
      if version >= 7 { modules -= 36 }
    }
    return modules / 8
  }

  /// Mode, length, bytes and padding.
  private static func data(_ bytes: [UInt8], version: Int, room: Int) -> [UInt8] {
    var bits: [Bool] = []
    func append(_ value: Int, _ count: Int) {
      for bit in (0..<count).reversed() { bits.append(value >> bit & 1 == 1) }
    }
    append(0b0100, 4)
    append(bytes.count, version < 10 ? 8 : 16)
    for byte in bytes { append(Int(byte), 8) }
    append(0, min(4, 8 * room - bits.count))
    append(0, (8 - bits.count % 8) % 8)
    var words = stride(from: 0, to: bits.count, by: 8).map { start in
      bits[start..<(start + 8)].reduce(UInt8(0)) { $0 << 1 | ($1 ? 1 : 0) }
    }
    var padding: UInt8 = 0xEC
    while words.count < room {
      words.append(padding)
      padding ^= 0xEC ^ 0x11
    }
    return words
  }

  /// Blocks with their error correction, a word of each in turn.
  private static func interleaved(_ data: [UInt8], version: Int) -> [UInt8] {
    let (count, extra) = (blocks[version - 1], correction[version - 1])
    let total = codewords(version)
    let short = total / count - extra
    let longBlocks = total % count
    var parts: [(data: [UInt8], correction: [UInt8])] = []
    var rest = data[...]
    for block in 0..<count {
      let part = Array(rest.prefix(short + (block >= count - longBlocks ? 1 : 0)))
      rest = rest.dropFirst(part.count)
      parts.append((part, remainder(part, degree: extra)))
    }
    var words: [UInt8] = []
    for index in 0...short {
      for part in parts where index < part.data.count { words.append(part.data[index]) }
    }
    for index in 0..<extra {
      for part in parts { words.append(part.correction[index]) }
    }
    return words
  }

  /// Reed and Solomon's code over the field of 256 elements.
  private static func remainder(_ data: [UInt8], degree: Int) -> [UInt8] {
    var divisor = [UInt8](repeating: 0, count: degree)
    divisor[degree - 1] = 1
    var root: UInt8 = 1
    for _ in 0..<degree {
      for index in divisor.indices {
        divisor[index] = product(divisor[index], root)
        if index + 1 < degree { divisor[index] ^= divisor[index + 1] }
      }
      root = product(root, 2)
    }
    var result = [UInt8](repeating: 0, count: degree)
    for byte in data {
      let factor = byte ^ result.removeFirst()
      result.append(0)
      for index in result.indices { result[index] ^= product(divisor[index], factor) }
    }
    return result
  }

  private static func product(_ left: UInt8, _ right: UInt8) -> UInt8 {
    var result = 0
    for bit in (0..<8).reversed() {
      result = result << 1 ^ (result >> 7 & 1) * 0x11D
      if right >> bit & 1 == 1 { result ^= Int(left) }
    }
    return UInt8(truncatingIfNeeded: result)
  }

  // MARK: Modules

  private mutating func set(_ x: Int, _ y: Int, _ isDark: Bool) {
    modules[y][x] = isDark
    isFixed[y][x] = true
  }

  private mutating func drawFunctionPatterns() {
    for index in 0..<size {
      set(6, index, index % 2 == 0)
      set(index, 6, index % 2 == 0)
    }
    for (x, y) in [(3, 3), (size - 4, 3), (3, size - 4)] {
      for dy in -4...4 {
        for dx in -4...4 where (0..<size).contains(x + dx) && (0..<size).contains(y + dy) {
          let distance = max(abs(dx), abs(dy))
          set(x + dx, y + dy, distance != 2 && distance != 4)
        }
      }
    }
    let marks = Self.marks(version, size: size)
    for (i, y) in marks.enumerated() {
      for (j, x) in marks.enumerated() {
        let last = marks.count - 1
        if (i, j) == (0, 0) || (i, j) == (0, last) || (i, j) == (last, 0) { continue }
        for dy in -2...2 {
          for dx in -2...2 { set(x + dx, y + dy, max(abs(dx), abs(dy)) != 1) }
        }
      }
    }
    if version >= 7 {
      var remainder = version
      for _ in 0..<12 { remainder = remainder << 1 ^ (remainder >> 11) * 0x1F25 }
      let bits = version << 12 | remainder
      for index in 0..<18 {
        let (near, far) = (index / 3, size - 11 + index % 3)
        set(far, near, bits >> index & 1 == 1)
        set(near, far, bits >> index & 1 == 1)
      }
    }
  }

  private static func marks(_ version: Int, size: Int) -> [Int] {
    guard version > 1 else { return [] }
    let count = version / 7 + 2
    let step = (version * 4 + count * 2 + 1) / (count * 2 - 2) * 2
    return [6] + (0..<(count - 1)).map { size - 7 - $0 * step }.reversed()
  }

  /// Level M is 0, and so is the mask.
  private mutating func drawFormat() {
    let bits = 0x5412
    func bit(_ index: Int) -> Bool { bits >> index & 1 == 1 }
    for index in 0...5 { set(8, index, bit(index)) }
    set(8, 7, bit(6))
    set(8, 8, bit(7))
    set(7, 8, bit(8))
    for index in 9..<15 { set(14 - index, 8, bit(index)) }
    for index in 0..<8 { set(size - 1 - index, 8, bit(index)) }
    for index in 8..<15 { set(8, size - 15 + index, bit(index)) }
    set(8, size - 8, true)
  }

  /// Puts the words into what is free, in columns of two from the right, up and down by turns.
  private mutating func draw(_ words: [UInt8]) {
    var index = 0
    var right = size - 1
    while right >= 1 {
      if right == 6 { right = 5 }
      for vertical in 0..<size {
        for x in [right, right - 1] {
          let y = (right + 1) & 2 == 0 ? size - 1 - vertical : vertical
          guard !isFixed[y][x], index < words.count * 8 else { continue }
          modules[y][x] = words[index / 8] >> (7 - index % 8) & 1 == 1
          index += 1
        }
      }
      right -= 2
    }
  }

  private mutating func applyMask() {
    for y in 0..<size {
      for x in 0..<size where !isFixed[y][x] && (x + y) % 2 == 0 { modules[y][x].toggle() }
    }
  }
}
