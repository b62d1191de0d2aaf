// What signing in and believing a token cost: passwords beside bcrypt alone, tokens beside bare OpenSSL.
import BenchmarkSupport

let figures =
  try await SignIns.measure() + [Verification.secret(), .rsa(), .ellipticCurve()].flatMap { try $0.figures() }
  + [BoundClients.figure(), await Waiters.figure()]
Report("auth", floor: "floor", figures).print()
