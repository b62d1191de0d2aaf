// Requests: however the bytes are cut, the parser makes the same of them, and nothing traps.
import CFuzzer
import SwiftwaterHTTPServer

nonisolated func fuzzRequests(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  var whole = RequestParserProbe.outcome(of: bytes)
  for size in [1, 1 + Int(bytes.first ?? 0)] {
    var cut = RequestParserProbe.outcome(of: bytes, pieceSize: size)
    if whole.error != nil { (whole.waiting, cut.waiting) = (0, 0) }
    precondition(cut == whole, "pieces of \(size) bytes changed \(whole) to \(cut)")
  }
  return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&count, &arguments, fuzzRequests)
