// What the client of PostgREST adds to decoding 1000 rows, beside the floor: a bare JSONDecoder on the same bytes.
import FoundationEssentials
import PostgREST

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

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

struct Figure {
  let name: String
  let bare: Double
  let client: Double

  var ratio: Double { client / bare }

  var line: String {
    let met = ratio <= 1.1 ? "yes" : "NO"
    return "\(name): \(Int(client)) µs, \(ratio.formatted3) x JSONDecoder (<= 1.1 x JSONDecoder: \(met))"
  }

  var json: String {
    """
    {"benchmark":"restclient","figure":"\(name)","value":\(Int(client)),"unit":"µs","ratio":\(ratio.formatted3),\
    "target":"<= 1.1 x JSONDecoder","met":\(ratio <= 1.1)}
    """
  }
}

extension Double {
  var formatted3: Double { (self * 1000).rounded() / 1000 }
}

/// Processor time of this process in microseconds, which other programs on the machine do not disturb.
func processorTime() -> Double {
  var time = timespec()
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
  return Double(time.tv_sec) * 1e6 + Double(time.tv_nsec) / 1e3
}

/// The medians of both ways, taken in turns so that neither has the warmer machine.
func measure<Rows: Codable>(_ name: String, _ rows: [Rows]) async throws -> Figure {
  let bytes = try PostgrestClient.Configuration.jsonEncoder.encode(rows)
  let decoder = PostgrestClient.Configuration.jsonDecoder
  guard let url = URL(string: "http://localhost/rest/v1") else { throw CancellationError() }
  let client = PostgrestClient(configuration: .init(url: url, http: .init(transport: Memory(body: Array(bytes)))))
  var (bare, whole): ([Double], [Double]) = ([], [])
  for round in 0..<440 {
    let isFloor = round.isMultiple(of: 2)
    let start = processorTime()
    let decoded =
      if isFloor {
        try decoder.decode([Rows].self, from: bytes)
      } else {
        try await client.from("rows").select().order("id").execute(as: [Rows].self).value
      }
    let time = processorTime() - start
    precondition(decoded.count == rows.count)
    // The first rounds warm up.
    guard round >= 40 else { continue }
    if isFloor { bare.append(time) } else { whole.append(time) }
  }
  return Figure(name: name, bare: bare.sorted()[bare.count / 2], client: whole.sorted()[whole.count / 2])
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
for figure in [
  try await measure("1000 rows through execute()", rows),
  try await measure("1000 rows with dates through execute()", dated),
] {
  print(CommandLine.arguments.contains("--json") ? figure.json : figure.line)
}
