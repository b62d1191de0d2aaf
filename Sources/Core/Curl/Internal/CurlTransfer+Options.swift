internal import CCurl
internal import SwiftwaterHTTP

// libcurl passes back the transfer itself as the context of every callback. It is alive: the loop holds it until the
// handle has been removed.
private func transfer(_ context: UnsafeMutableRawPointer?) -> CurlTransfer? {
  context.map { Unmanaged<CurlTransfer>.fromOpaque($0).takeUnretainedValue() }
}

extension CurlTransfer {
  /// Sets every option of the handle, which is as good as new.
  func configure(_ configuration: CurlTransport.Configuration) {
    handle.collectErrorText()
    // Resolver time-outs must not use signals, which belong to the program.
    handle.set(CURLOPT_NOSIGNAL, 1)
    swiftwater_curl_set_quick_exit(handle.pointer)
    swiftwater_curl_set_close_on_exec(handle.pointer)
    handle.set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
    if let file = configuration.certificateAuthorityFile { handle.set(CURLOPT_CAINFO, file) }
    // An empty name keeps libcurl from taking a proxy out of the environment.
    handle.set(CURLOPT_PROXY, "")
    handle.set(CURLOPT_HTTP_VERSION, Int(CURL_HTTP_VERSION_1_1))
    handle.set(CURLOPT_BUFFERSIZE, 65_536)
    configureRequest(exchange.request)
    configureCallbacks()
  }

  private func configureRequest(_ request: PreparedRequest) {
    handle.set(CURLOPT_URL, request.url)
    handle.set(CURLOPT_REQUEST_TARGET, request.target)
    // Every coding that this libcurl can undo.
    if request.decodesContent { handle.set(CURLOPT_ACCEPT_ENCODING, "") }
    if request.isHead { handle.set(CURLOPT_NOBODY, 1) } else { handle.set(CURLOPT_CUSTOMREQUEST, request.method) }
    switch request.content {
    case .none: break
    case .bytes(let bytes): configureUpload(length: Int64(bytes.count))
    case .stream(let length): configureUpload(length: length)
    }
    handle.set(headerLines: request.headerLines)
  }

  private func configureUpload(length: Int64?) {
    handle.set(CURLOPT_UPLOAD, 1)
    handle.set(CURLOPT_INFILESIZE_LARGE, length ?? -1)
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_READDATA, context)
    handle.set(CURLOPT_READFUNCTION) { bytes, size, count, context in
      transfer(context)?.send(into: UnsafeMutableRawBufferPointer(start: bytes, count: size * count)) ?? 0
    }
    handle.set(CURLOPT_SEEKDATA, context)
    swiftwater_curl_set_seek_callback(handle.pointer) { context, offset, _ in
      let isPossible = transfer(context)?.seek(to: Int(offset)) ?? false
      return isPossible ? CURL_SEEKFUNC_OK : CURL_SEEKFUNC_FAIL
    }
  }

  private func configureCallbacks() {
    let context = Unmanaged.passUnretained(self).toOpaque()
    handle.set(CURLOPT_PRIVATE, context)
    handle.set(CURLOPT_HEADERDATA, context)
    handle.set(CURLOPT_HEADERFUNCTION) { bytes, size, count, context in
      let line = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return transfer(context)?.receive(line: line) == true ? line.count : Int(CURL_WRITEFUNC_ERROR)
    }
    handle.set(CURLOPT_WRITEDATA, context)
    handle.set(CURLOPT_WRITEFUNCTION) { bytes, size, count, context in
      let body = UnsafeRawBufferPointer(start: bytes, count: size * count)
      return transfer(context)?.receive(body: body) ?? Int(CURL_WRITEFUNC_ERROR)
    }
    // Not called while the transfer waits for a connection, which is what makes it useful here.
    handle.set(CURLOPT_NOPROGRESS, 0)
    handle.set(CURLOPT_XFERINFODATA, context)
    swiftwater_curl_set_progress_callback(handle.pointer) { context, _, _, _, _ in
      transfer(context)?.connecting()
      return 0
    }
  }
}
