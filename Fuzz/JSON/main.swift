// JSON texts: whatever is in one, nothing traps, what was read is read again from what is written of it, and reading some
// members finds what reading all of them does.
import CFuzzer
import FoundationEssentials
import SwiftwaterHTTP

nonisolated func fuzzJSON(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let bytes = Array(UnsafeBufferPointer(start: start, count: count))
  guard let value = try? JSONValue(parsing: bytes) else { return 0 }
  guard let written = try? JSONEncoder().encode(value) else { preconditionFailure("what was read cannot be written") }
  precondition((try? JSONValue(parsing: written)) == value, "what was written is read otherwise")
  guard let members = value.objectValue else { return 0 }
  var found: [JSONValue?] = [nil, nil]
  guard (try? JSONValue.members(["a", "exp"], of: bytes) { found[$0] = $1 }) != nil else {
    preconditionFailure("some members cannot be read where all can")
  }
  precondition(found == [members["a"], members["exp"]], "some members are not those of all")
  return 0
}

var count = CommandLine.argc
var arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>? = CommandLine.unsafeArgv
_ = LLVMFuzzerRunDriver(&count, &arguments, fuzzJSON)
