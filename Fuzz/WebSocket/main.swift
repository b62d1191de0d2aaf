// Frames, to both roles, with and without compression: however they are cut, they come to the same, and nothing traps.
import CFuzzer
import SwiftwaterSockets

nonisolated func fuzzFrames(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // The first byte chooses, the others are the frames.
  guard count > 1, let start else { return 0 }
  let (role, isCompressed): (WebSocketRole, Bool) = (start[0] & 1 == 0 ? .server : .client, start[0] & 2 == 0)
  let bytes = Array(UnsafeBufferPointer(start: start + 1, count: count - 1))
  let whole = WebSocketSessionProbe.outcome(of: bytes, role: role, isCompressed: isCompressed)
  for size in [1, 2 + Int(start[0])] {
    let cut = WebSocketSessionProbe.outcome(of: bytes, role: role, isCompressed: isCompressed, pieceSize: size)
    precondition(cut == whole, "pieces of \(size) bytes changed \(whole) to \(cut)")
  }
  return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&count, &arguments, fuzzFrames)
