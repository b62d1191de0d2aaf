// How many users sign in in a second, beside what bcrypt alone allows; and how many tokens are verified, beside OpenSSL.
import BenchmarkSupport

let figures = try await SignIns.measure() + Verification.measure()
Report("auth", floor: "floor", figures).print()
