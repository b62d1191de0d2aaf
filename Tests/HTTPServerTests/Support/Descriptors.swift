#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// What this process holds of the system's things. Other tests run beside, so the counts are narrow.
enum Descriptors {
  /// How many sockets stand on that port: the listening one and the accepted ones.
  static func withLocalPort(_ port: Int) -> Int {
    (0..<Int32(10_000)).count { descriptor in
      var address = sockaddr_in()
      var length = socklen_t(MemoryLayout<sockaddr_in>.size)
      let status = withUnsafeMutablePointer(to: &address) {
        $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
      }
      return status == 0 && address.sin_family == sa_family_t(AF_INET)
        && Int(UInt16(bigEndian: address.sin_port)) == port
    }
  }

  /// How many event queues are open, where the system tells.
  static func eventQueues() -> Int {
    entries("/proc/self/fd").count { entry in
      var target = [CChar](repeating: 0, count: 256)
      let count = readlink("/proc/self/fd/\(entry)", &target, target.count - 1)
      return count > 0
        && String(decoding: target.prefix(count).map(UInt8.init(bitPattern:)), as: UTF8.self)
          .contains("eventpoll")
    }
  }

  /// How many threads of servers' loops run, where the system tells.
  static func loopThreads() -> Int {
    entries("/proc/self/task").count { entry in
      guard let file = fopen("/proc/self/task/\(entry)/comm", "r") else { return false }
      defer { fclose(file) }
      var name = [CChar](repeating: 0, count: 32)
      return fgets(&name, 32, file) != nil && name.starts(with: "http-".utf8.map { CChar($0) })
    }
  }

  private static func entries(_ path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var entries: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name.first != "." { entries.append(name) }
    }
    return entries
  }
}
