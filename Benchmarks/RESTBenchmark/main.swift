// What a request to the REST service costs, beside bare libpq with the very statements that the service sends.
//
// The program starts itself again as the server, so that its processor time and memory are its own.
import BenchmarkSupport

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--serve", arguments.count == 2 {
  try await serve(folder: arguments[1])
} else {
  try await Measurement().run().print()
}
