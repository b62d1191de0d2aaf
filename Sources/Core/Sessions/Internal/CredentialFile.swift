#if canImport(Darwin)
  internal import Darwin
#elseif canImport(Musl)
  internal import Musl
#else
  internal import Glibc
#endif

/// A small file that only its owner may read, replaced as a whole. Its calls block for as long as the disk does.
struct CredentialFile: Sendable {
  /// More is no credential.
  private static let maximumBytes = 1 << 20

  let folder: String
  let path: String

  /// The content, or nil where there is no such file.
  func read() throws(FileFailure) -> [UInt8]? {
    // What is no file, such as a pipe, must not hold this up.
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)
    guard descriptor >= 0 else {
      if errno == ENOENT { return nil }
      throw FileFailure("open", path)
    }
    defer { close(descriptor) }
    var status = stat()
    guard fstat(descriptor, &status) == 0 else { throw FileFailure("look at", path) }
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw FileFailure("read", path, number: EINVAL, words: "It is no regular file")
    }
    guard status.st_size <= Self.maximumBytes else { throw FileFailure("read", path, number: EFBIG) }
    // A copy that a user has put there may be open to others.
    if status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
    var content: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 16 << 10)
    while content.count <= Self.maximumBytes {
      let count = systemRead(descriptor, &buffer, buffer.count)
      if count == 0 { return content }
      if count > 0 { content += buffer[..<count] } else if errno != EINTR { throw FileFailure("read", path) }
    }
    throw FileFailure("read", path, number: EFBIG)
  }

  /// Replaces the content so that a reader, and the disk after a crash, has the old one or the new one. Callers take
  /// turns.
  func write(_ content: [UInt8]) throws(FileFailure) {
    let new = "\(path).new"
    // What a crash has left.
    unlink(new)
    let descriptor = open(new, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard descriptor >= 0 else { throw FileFailure("create", new) }
    do throws(FileFailure) {
      do throws(FileFailure) {
        try fill(descriptor, with: content, path: new)
      } catch {
        close(descriptor)
        throw error
      }
      guard close(descriptor) == 0 else { throw FileFailure("close", new) }
      guard rename(new, path) == 0 else { throw FileFailure("replace", path) }
    } catch {
      unlink(new)
      throw error
    }
    synchronizeFolder()
  }

  /// Removes the file, if it is there.
  func remove() throws(FileFailure) {
    guard unlink(path) == 0 || errno == ENOENT else { throw FileFailure("remove", path) }
    synchronizeFolder()
  }

  /// Makes the folder, and those above it, where they are missing.
  func makeFolder() throws(FileFailure) {
    var missing: [String] = []
    var path = folder
    while mkdir(path, 0o700) != 0, errno != EEXIST {
      guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
        throw FileFailure("make", path)
      }
      missing.append(path)
      path = String(path[..<slash])
    }
    for path in missing.reversed() where mkdir(path, 0o700) != 0 && errno != EEXIST {
      throw FileFailure("make", path)
    }
  }

  private func fill(_ descriptor: Int32, with content: [UInt8], path: String) throws(FileFailure) {
    // Whatever the mask of the process is.
    guard fchmod(descriptor, 0o600) == 0 else { throw FileFailure("protect", path) }
    var written = 0
    while written < content.count {
      let count = content[written...].withUnsafeBytes { systemWrite(descriptor, $0.baseAddress, $0.count) }
      if count > 0 { written += count } else if count < 0, errno != EINTR { throw FileFailure("write", path) }
    }
    guard fsync(descriptor) == 0 else { throw FileFailure("write", path) }
  }

  /// Makes a changed name survive a crash; where the file system cannot, it is no failure of the change.
  private func synchronizeFolder() {
    let descriptor = open(folder, O_RDONLY | O_CLOEXEC | O_DIRECTORY)
    guard descriptor >= 0 else { return }
    fsync(descriptor)
    close(descriptor)
  }
}

private func systemRead(_ descriptor: Int32, _ buffer: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(descriptor, buffer, count)
}

private func systemWrite(_ descriptor: Int32, _ buffer: UnsafeRawPointer?, _ count: Int) -> Int {
  write(descriptor, buffer, count)
}
