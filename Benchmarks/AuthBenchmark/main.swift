// What signing in and believing a token cost: passwords beside bare bcrypt, tokens beside bare OpenSSL.
import BenchmarkSupport

let figures =
  try [Verification.secret(), .rsa(), .ellipticCurve()].flatMap { try $0.figures() } + [BoundClients.figure()]
Report("auth", floor: "OpenSSL", figures).print()
