/// A line on the map in Google's encoded polyline format with six decimals, as routing servers send it.
enum Polyline {
  /// Decodes the points; nil when the text is no polyline.
  static func decode(_ text: String) -> [Point]? {
    var points: [Point] = []
    var latitude = 0
    var longitude = 0
    var bytes = text.utf8.makeIterator()
    while let first = bytes.next() {
      guard let north = number(first, &bytes), let second = bytes.next(), let east = number(second, &bytes) else {
        return nil
      }
      latitude += north
      longitude += east
      guard abs(latitude) <= 90_000_000, abs(longitude) <= 180_000_000 else { return nil }
      points.append(Point(latitude: Double(latitude) / 1e6, longitude: Double(longitude) / 1e6))
    }
    return points
  }

  /// One zigzag number in groups of five bits, lowest first.
  private static func number(_ first: UInt8, _ bytes: inout String.UTF8View.Iterator) -> Int? {
    var value = 0
    var shift = 0
    var next: UInt8? = first
    while let byte = next, byte >= 63, byte < 127, shift < 35 {
      let group = Int(byte) - 63
      value |= (group & 0x1F) << shift
      if group < 0x20 { return value & 1 == 0 ? value >> 1 : ~(value >> 1) }
      shift += 5
      next = bytes.next()
    }
    return nil
  }
}
