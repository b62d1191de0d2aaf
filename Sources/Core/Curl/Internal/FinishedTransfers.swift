internal import CCurl

/// Calls `body` with every transfer of the multi handle that has ended since the last time: the object that the easy
/// handle's `CURLOPT_PRIVATE` names, and libcurl's result.
func forEachFinished<Transfer: AnyObject>(
  in multi: UnsafeMutableRawPointer, _ body: (Transfer, CURLcode) -> Void
) {
  var left: Int32 = 0
  while let message = curl_multi_info_read(multi, &left) {
    guard message.pointee.msg == CURLMSG_DONE, let easy = message.pointee.easy_handle else { continue }
    // Read first: the message is gone as soon as the handle is removed.
    let code = swiftwater_curl_message_result(message)
    var context: UnsafeMutableRawPointer?
    swiftwater_curl_get_pointer(easy, CURLINFO_PRIVATE, &context)
    guard let context else { continue }
    body(Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue(), code)
  }
}
