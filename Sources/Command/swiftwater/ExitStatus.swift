import SwiftwaterBackend

/// The conventional exit statuses (sysexits.h).
enum ExitStatus {
  static let ok: Int32 = 0
  static let usage: Int32 = 64
  static let data: Int32 = 65
  static let noInput: Int32 = 66
  static let unavailable: Int32 = 69
  static let software: Int32 = 70
  static let cannotCreate: Int32 = 73
  static let noPermission: Int32 = 77
  static let configuration: Int32 = 78

  /// The status that says what kept a backend from starting.
  static func of(_ error: LocalBackendError) -> Int32 {
    switch error.code {
    case .alreadyInUse: cannotCreate
    case .folderNotAccessible: noPermission
    case .inputMissing: noInput
    case .statementFailed: data
    case .invalidConfiguration: configuration
    default: unavailable
    }
  }
}
