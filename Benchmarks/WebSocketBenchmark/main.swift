// What WebSocket messages cost the client, beside bare sockets in the same run. The peer is an echo server of a few
// lines in a process of its own.
import BenchmarkSupport

let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "serve" {
  try EchoServer().run()
} else {
  try await WebSocketBenchmark().run()?.print()
}
