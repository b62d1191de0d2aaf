// Event streams: however one is cut, its events are the same, and nothing traps.
import CFuzzer
import SwiftwaterHTTP

nonisolated func parse(_ chunks: [Slice<UnsafeBufferPointer<UInt8>>]) -> [ServerSentEvent]? {
  var parser = ServerSentEventParser(maximumEventBytes: 1 << 12)
  var events: [ServerSentEvent] = []
  for chunk in chunks {
    guard let more = try? parser.parse(chunk) else { return nil }
    events += more
  }
  return events
}

nonisolated func fuzzEventStream(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let cut = count == 0 ? 0 : Int(bytes[0]) % count
  precondition(parse([bytes[..<cut], bytes[cut...]]) == parse([bytes[...]]), "the cut changed the events")
  return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&count, &arguments, fuzzEventStream)
