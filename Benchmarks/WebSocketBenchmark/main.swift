// What WebSocket messages cost the client, beside bare sockets in the same run. The peer is an echo server of a few
// lines in a process of its own.
let arguments = CommandLine.arguments.dropFirst()
if arguments.first == "serve" {
  try EchoServer().run()
} else {
  let report = try await WebSocketBenchmark().run()
  print(arguments.contains("--json") ? report.json : report.table)
}
