#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The unprivileged user that runs PostgreSQL when the backend runs as root, which PostgreSQL refuses to.
struct ServerUser: Sendable {
  let name: String
  let userID: uid_t
  let groupID: gid_t
  private let setpriv: String

  /// `postgres`, else `nobody`; `nil` when the backend is not root and PostgreSQL runs as the same user.
  static func needed() throws(PostgresError) -> ServerUser? {
    guard geteuid() == 0 else { return nil }
    guard let setpriv = ["/usr/bin/setpriv", "/bin/setpriv"].first(where: Files.isExecutable) else {
      throw PostgresError(
        .startFailed,
        "PostgreSQL does not run as root and \"setpriv\" (util-linux) is not installed: start as another user")
    }
    for name in ["postgres", "nobody"] {
      if let user = ServerUser(name: name, setpriv: setpriv) { return user }
    }
    throw PostgresError(.startFailed, "PostgreSQL does not run as root and no user \"postgres\" or \"nobody\" exists")
  }

  private init?(name: String, setpriv: String) {
    var entry = passwd()
    var buffer = [CChar](repeating: 0, count: 16_384)
    var found: UnsafeMutablePointer<passwd>?
    guard getpwnam_r(name, &entry, &buffer, buffer.count, &found) == 0, found != nil else { return nil }
    self.name = name
    self.setpriv = setpriv
    userID = entry.pw_uid
    groupID = entry.pw_gid
  }

  /// The command line that runs `command` as this user.
  func running(_ command: [String]) -> [String] {
    [setpriv, "--reuid=\(userID)", "--regid=\(groupID)", "--init-groups"] + command
  }
}

extension ServerUser? {
  /// The command line that runs `command` as this user, or as ourselves.
  func running(_ command: [String]) -> [String] {
    map { $0.running(command) } ?? command
  }

  /// Fails with the first folder on the way to one of `paths` that this user may not enter.
  func checkAccess(to paths: [String]) throws(PostgresError) {
    guard let user = self else { return }
    let script = #"for folder; do [ -x "$folder" ] || { printf '%s' "$folder"; exit 1; }; done"#
    let folders = paths.flatMap(Self.ancestors)
    let answer = try ChildProcess.output(of: user.running(["/bin/sh", "-c", script, "sh"] + folders))
    guard answer.status != 0 else { return }
    throw PostgresError(
      .folderNotAccessible,
      """
      the user "\(user.name)", who runs PostgreSQL for root, may not enter \(answer.text): choose another data folder
      """
    )
  }

  /// "/", "/a", "/a/b" for "/a/b".
  private static func ancestors(of path: String) -> [String] {
    var paths = ["/"]
    for part in path.split(separator: "/") {
      paths.append(paths.count == 1 ? "/\(part)" : "\(paths[paths.count - 1])/\(part)")
    }
    return paths
  }
}
