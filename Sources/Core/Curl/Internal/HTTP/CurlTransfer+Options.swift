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
    handle.configure(configuration)
    configureVersion(configuration.httpVersion, isSecure: exchange.request.isSecure)
    handle.suggest(CURLOPT_BUFFERSIZE, 65_536)
    configureRequest(exchange.request)
    configureCallbacks()
  }

  private func configureVersion(_ version: CurlTransport.HTTPVersion, isSecure: Bool) {
    switch version {
    case .automatic where isSecure && Self.canSpeakHTTP2:
      handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS)
      // Rather wait for the connection that is being opened, which will carry many requests, than open another.
      handle.set(CURLOPT_PIPEWAIT, 1)
    case .automatic, .http1Only:
      handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_1_1)
    case .http2PriorKnowledge:
      handle.set(CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2_PRIOR_KNOWLEDGE)
      if isSecure || Self.canReusePlainHTTP2 {
        handle.set(CURLOPT_PIPEWAIT, 1)
      } else {
        handle.set(CURLOPT_FRESH_CONNECT, 1)
        handle.set(CURLOPT_FORBID_REUSE, 1)
      }
    }
  }

  private static let canSpeakHTTP2 =
    (curl_version_info(CURLVERSION_FIRST)?.pointee.features ?? 0) & CURL_VERSION_HTTP2 != 0

  /// From 7.87 until 8.0, libcurl begins HTTP/2 anew on a plain connection that speaks it already.
  private static let canReusePlainHTTP2 =
    !(0x075700..<0x080000).contains(curl_version_info(CURLVERSION_FIRST)?.pointee.version_num ?? 0)

  private func configureRequest(_ request: PreparedRequest) {
    handle.set(CURLOPT_URL, request.url)
    handle.set(CURLOPT_PATH_AS_IS, 1)
    if let target = request.target { handle.set(CURLOPT_REQUEST_TARGET, target) }
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
    let begins:
      @convention(c) (UnsafeMutableRawPointer?, UnsafeMutablePointer<CChar>?, UnsafeMutablePointer<CChar>?, CInt, CInt)
        -> CInt =
        { context, remoteAddress, _, remotePort, localPort in
          let endpoints = KeptConnections.Endpoints(
            localPort: localPort, remoteAddress: remoteAddress.map { String(cString: $0) } ?? "", remotePort: remotePort
          )
          return transfer(context)?.beginsRequest(on: endpoints) == true ? 0 : 1
        }
    swiftwater_curl_set_request_callback(handle.pointer, begins, context)
    // Not called while the transfer waits for a connection, which is what makes it useful here.
    handle.set(CURLOPT_NOPROGRESS, 0)
    handle.set(CURLOPT_XFERINFODATA, context)
    swiftwater_curl_set_progress_callback(handle.pointer) { context, _, _, _, _ in
      transfer(context)?.connecting()
      return 0
    }
  }
}
