// What HTTP over the system's libcurl costs, beside Foundation's URLSession in the same run.
//
// The program starts itself again: once as the server, and once for each measurement, so that no figure of memory is
// another one's.
import BenchmarkSupport

let arguments = CommandLine.arguments.dropFirst()
switch arguments.first {
case "serve": try await BenchmarkServer.run()
case "measure":
  guard arguments.count == 3, let port = Int(arguments[3]), let scenario = Scenario(rawValue: arguments[2]) else {
    break
  }
  for reading in try await Measurements(port: port).run(scenario) { print(reading.name, reading.value) }
default:
  HTTPBenchmark().run()?.print()
}
