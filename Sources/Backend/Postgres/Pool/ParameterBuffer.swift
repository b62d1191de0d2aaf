/// Lays parameters out as the four arrays that libpq takes. Reused, so that a statement costs no allocation.
struct ParameterBuffer {
  private var bytes: [UInt8] = []
  private var offsets: [Int] = []
  private var values: [UnsafePointer<CChar>?] = []
  /// Empty unless one of the parameters is binary.
  private var lengths: [Int32] = []
  private var formats: [Int32] = []

  /// Calls `body` with pointers that are valid during the call.
  mutating func withEncoded<Result>(
    _ parameters: [PostgresParameter],
    _ body: (
      _ count: Int32, _ values: UnsafePointer<UnsafePointer<CChar>?>?, _ lengths: UnsafePointer<Int32>?,
      _ formats: UnsafePointer<Int32>?
    ) -> Result
  ) -> Result {
    if parameters.isEmpty { return body(0, nil, nil, nil) }
    bytes.removeAll(keepingCapacity: bytes.capacity < 65_536)
    offsets.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    if !formats.isEmpty { (lengths, formats) = ([], []) }
    for parameter in parameters {
      if case .binary = parameter {
        lengths = Array(repeating: 0, count: parameters.count)
        formats = lengths
        break
      }
    }
    for index in parameters.indices { append(parameters[index], at: index) }
    return bytes.withUnsafeBytes { bytes in
      let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
      for offset in offsets { values.append(offset < 0 ? nil : start.map { $0 + offset }) }
      let isText = formats.isEmpty
      return values.withUnsafeBufferPointer { values in
        lengths.withUnsafeBufferPointer { lengths in
          formats.withUnsafeBufferPointer { formats in
            body(
              Int32(parameters.count), values.baseAddress, isText ? nil : lengths.baseAddress,
              isText ? nil : formats.baseAddress)
          }
        }
      }
    }
  }

  private mutating func append(_ parameter: PostgresParameter, at index: Int) {
    switch parameter {
    case .null:
      offsets.append(-1)
    case .text(var text):
      offsets.append(bytes.count)
      text.withUTF8 { bytes.append(contentsOf: $0) }
      bytes.append(0)
    case .binary(let value):
      offsets.append(bytes.count)
      lengths[index] = Int32(clamping: value.count)
      formats[index] = 1
      bytes.append(contentsOf: value)
      bytes.append(0)
    }
  }
}
