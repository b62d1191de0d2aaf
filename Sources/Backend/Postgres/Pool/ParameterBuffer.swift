/// Lays parameters out as the four arrays that libpq takes. Reused, so that a statement costs no allocation.
struct ParameterBuffer {
  private var bytes: [UInt8] = []
  private var offsets: [Int] = []
  private var lengths: [Int32] = []
  private var formats: [Int32] = []
  private var values: [UnsafePointer<CChar>?] = []

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
    lengths.removeAll(keepingCapacity: true)
    formats.removeAll(keepingCapacity: true)
    values.removeAll(keepingCapacity: true)
    for parameter in parameters { append(parameter) }
    return bytes.withUnsafeBytes { bytes in
      let start = bytes.assumingMemoryBound(to: CChar.self).baseAddress
      for offset in offsets { values.append(offset < 0 ? nil : start.map { $0 + offset }) }
      return body(Int32(parameters.count), values, lengths, formats)
    }
  }

  private mutating func append(_ parameter: PostgresParameter) {
    let start = bytes.count
    switch parameter {
    case .null:
      offsets.append(-1)
      lengths.append(0)
      formats.append(0)
    case .text(let text):
      bytes.append(contentsOf: text.utf8)
      offsets.append(start)
      lengths.append(0)
      formats.append(0)
      bytes.append(0)
    case .binary(let value):
      bytes.append(contentsOf: value)
      offsets.append(start)
      lengths.append(Int32(clamping: value.count))
      formats.append(1)
      bytes.append(0)
    }
  }
}
