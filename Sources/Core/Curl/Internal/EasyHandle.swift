internal import CCurl

/// One of libcurl's easy handles with the memory that it points into. Lives on the engine's thread.
final class EasyHandle {
  let pointer: UnsafeMutableRawPointer
  private let errorText: UnsafeMutablePointer<CChar>
  private var headerList: UnsafeMutablePointer<curl_slist>?
  /// Why libcurl has refused an option; nil if it has not.
  private(set) var refusal: CURLcode?

  /// Nil when memory is short.
  init?() {
    guard let pointer = curl_easy_init() else { return nil }
    self.pointer = pointer
    errorText = .allocate(capacity: Int(CURL_ERROR_SIZE))
    errorText.initialize(repeating: 0, count: Int(CURL_ERROR_SIZE))
  }

  deinit {
    curl_easy_cleanup(pointer)
    curl_slist_free_all(headerList)
    errorText.deallocate()
  }

  /// libcurl's words about the last failure.
  var errorMessage: String { String(cString: errorText) }

  /// Forgets every option, so that the handle can serve the next transfer.
  func reset() {
    curl_easy_reset(pointer)
    curl_slist_free_all(headerList)
    headerList = nil
    refusal = nil
    errorText.pointee = 0
  }

  /// Whether a connection stood, proxy and TLS included, on which the request could be sent.
  var hasBegunTransfer: Bool {
    var microseconds = curl_off_t(0)
    swiftwater_curl_get_offset(pointer, CURLINFO_PRETRANSFER_TIME_T, &microseconds)
    return microseconds > 0
  }

  /// Whether the transfer ran on a connection that an earlier one had opened.
  var hasReusedConnection: Bool {
    var opened = 0
    swiftwater_curl_get_long(pointer, CURLINFO_NUM_CONNECTS, &opened)
    return opened == 0
  }

  /// The connection's socket, for transfers that only connect.
  var socket: curl_socket_t? {
    var socket = curl_socket_t(-1)
    guard swiftwater_curl_get_socket(pointer, &socket) == CURLE_OK, socket >= 0 else { return nil }
    return socket
  }

  /// Whether the response came in HTTP/1.1 or an older version; false as long as there is none.
  var hasSpokenHTTP1: Bool {
    var version = 0
    swiftwater_curl_get_long(pointer, CURLINFO_HTTP_VERSION, &version)
    return version == Int(CURL_HTTP_VERSION_1_0) || version == Int(CURL_HTTP_VERSION_1_1)
  }

  func collectErrorText() {
    swiftwater_curl_set_pointer(pointer, CURLOPT_ERRORBUFFER, errorText)
  }

  func set(_ option: CURLoption, _ value: Int) { note(swiftwater_curl_set_long(pointer, option, value)) }
  /// Sets what does not matter if it is refused: a handle that still has a buffer refuses another size for it.
  func suggest(_ option: CURLoption, _ value: Int) { swiftwater_curl_set_long(pointer, option, value) }
  func set(_ option: CURLoption, _ value: Int64) {
    note(swiftwater_curl_set_offset(pointer, option, curl_off_t(value)))
  }
  /// - Parameter value: nil undoes a value that libcurl was built with.
  func set(_ option: CURLoption, _ value: String?) { note(swiftwater_curl_set_string(pointer, option, value)) }
  func set(_ option: CURLoption, copying bytes: [UInt8]) {
    note(bytes.withUnsafeBytes { swiftwater_curl_set_blob(pointer, option, $0.baseAddress, $0.count) })
  }
  func set(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
    note(swiftwater_curl_set_pointer(pointer, option, value))
  }
  func set(_ option: CURLoption, _ value: swiftwater_curl_data_callback) {
    note(swiftwater_curl_set_callback(pointer, option, value))
  }

  func set(headerLines: [String]) {
    for line in headerLines {
      // Nil means that memory is short; the list so far stays valid.
      headerList = curl_slist_append(headerList, line) ?? headerList
    }
    swiftwater_curl_set_pointer(pointer, CURLOPT_HTTPHEADER, headerList)
  }

  private func note(_ code: CURLcode) {
    if code != CURLE_OK { refusal = refusal ?? code }
  }
}
