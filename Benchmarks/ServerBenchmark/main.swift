// What a small request costs, beside nginx in the same run, and what an idle WebSocket keeps in memory.
import BenchmarkSupport

/// The body that both servers answer with: 1 KiB of JSON.
let body = Array(#"{"data":"\#(String(repeating: "x", count: 1013))"}"#.utf8)

if CommandLine.arguments.contains("--serve") {
  try await serve()
} else {
  try await Measurement().run().print()
}
