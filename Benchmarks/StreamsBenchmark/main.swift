// What an element costs, beside one AsyncStream with one consumer in the same run.
import BenchmarkSupport

await StreamsBenchmark(rounds: 7).run().print()
