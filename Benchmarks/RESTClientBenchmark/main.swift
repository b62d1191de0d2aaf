// What the client of PostgREST adds to decoding 1000 rows, beside the floor: a bare JSONDecoder on the same bytes.
import BenchmarkSupport
import FoundationEssentials
import PostgREST

struct Row: Codable {
  var id: Int
  var name: String
  var note: String?
  var price: Double
  var isOpen: Bool
  var tags: [String]
}

struct DatedRow: Codable {
  var id: Int
  var createdAt: Date
  var updatedAt: Date
}

/// Answers every request with the same bytes.
struct Memory: ClientTransport {
  let body: [UInt8]

  func send(_ request: HTTPRequest, body: HTTPBody?) async throws -> (HTTPResponse, HTTPBody) {
    (HTTPResponse(status: .ok, headerFields: [.contentType: "application/json"]), HTTPBody(self.body))
  }
}

/// The medians of both ways, which take turns so that neither has the warmer machine. Processor time, because other
/// programs do not disturb it as much.
func measure<Rows: Codable>(_ name: String, _ rows: [Rows]) async throws -> Figure {
  let bytes = try PostgrestClient.Configuration.jsonEncoder.encode(rows)
  let decoder = PostgrestClient.Configuration.jsonDecoder
  guard let url = URL(string: "http://localhost/rest/v1") else { preconditionFailure("The address is none.") }
  let client = PostgrestClient(configuration: .init(url: url, http: .init(transport: Memory(body: Array(bytes)))))
  var (bare, whole): ([Double], [Double]) = ([], [])
  for round in 0..<440 {
    let isFloor = round.isMultiple(of: 2)
    let start = Machine.processorTime()
    let decoded =
      if isFloor {
        try decoder.decode([Rows].self, from: bytes)
      } else {
        try await client.from("rows").select().order("id").execute(as: [Rows].self).value
      }
    let time = Machine.processorTime() - start
    precondition(decoded.count == rows.count)
    // The first rounds warm up.
    guard round >= 40 else { continue }
    if isFloor { bare.append(time) } else { whole.append(time) }
  }
  return Figure(name, median(whole) / 1e3, "us CPU", ratio: median(whole) / median(bare), .ratioAtMost(1.1))
}

let rows = (0..<1000).map { id in
  Row(
    id: id, name: "Row \(id) of \"many\"", note: id % 3 == 0 ? nil : "a note that is a little longer than the name",
    price: Double(id) / 7, isOpen: id % 2 == 0, tags: ["a", "tag \(id)"])
}
let dated = (0..<1000).map { id in
  DatedRow(
    id: id, createdAt: Date(timeIntervalSince1970: Double(id) * 1000.123456),
    updatedAt: Date(timeIntervalSince1970: Double(id) * 2000.654321))
}
let figures = [
  try await measure("1000 rows through execute()", rows),
  try await measure("1000 rows with dates through execute()", dated),
]
Report("restclient", floor: "JSONDecoder", figures).print()
