let wantsJSON = CommandLine.arguments.contains("--json")
let report = await StreamsBenchmark(rounds: 7).run()
print(wantsJSON ? report.json : report.table)
