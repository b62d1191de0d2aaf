/// The logger that a Supabase module uses unless it is given another.
///
/// It writes to standard error what the environment variable `SWIFTWATER_LOG` asks for; see `ClientLogger`.
///
/// - Parameter label: `io.supabase.` and the module's name in lower case.
public func supabaseDefaultLogger(label: String) -> ClientLogger {
  ClientLogger(label: label, metadata: ["client": "supabase-swift/\(ClientInfo.version)"])
}
