internal import CCurl

extension EasyHandle {
  /// Sets what all connections have in common. The handle is as good as new.
  func configure(_ configuration: CurlTransport.Configuration) {
    collectErrorText()
    // Resolver time-outs must not use signals, which belong to the program.
    set(CURLOPT_NOSIGNAL, 1)
    swiftwater_curl_set_quick_exit(pointer)
    swiftwater_curl_set_close_on_exec(pointer)
    set(CURLOPT_CONNECTTIMEOUT_MS, configuration.connectTimeout.wholeMilliseconds)
    if let path = configuration.unixSocketPath { set(CURLOPT_UNIX_SOCKET_PATH, path) }
    configureTLS(configuration)
    configureProxy(configuration.proxy)
  }

  private func configureTLS(_ configuration: CurlTransport.Configuration) {
    set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2)
    if let certificate = configuration.clientCertificate {
      set(CURLOPT_SSLCERT, certificate.certificateFile)
      set(CURLOPT_SSLKEY, certificate.keyFile)
      if let password = certificate.keyPassword { set(CURLOPT_KEYPASSWD, password) }
    }
    let authorities = configuration.certificateAuthorities
    guard authorities != nil || configuration.certificateAuthorityFile != nil else { return }
    // The folder that libcurl was built with would be trusted besides.
    set(CURLOPT_CAPATH, nil)
    set(CURLOPT_PROXY_CAPATH, nil)
    if let authorities {
      set(CURLOPT_CAINFO_BLOB, copying: authorities)
      set(CURLOPT_PROXY_CAINFO_BLOB, copying: authorities)
    } else {
      set(CURLOPT_CAINFO, configuration.certificateAuthorityFile)
      set(CURLOPT_PROXY_CAINFO, configuration.certificateAuthorityFile)
    }
  }

  private func configureProxy(_ proxy: CurlTransport.Proxy) {
    // The proxy's answer to CONNECT is not the response.
    set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
    switch proxy {
    case .environment: break
    // An empty name keeps libcurl from taking a proxy out of the environment.
    case .none: set(CURLOPT_PROXY, "")
    case .server(let url):
      set(CURLOPT_PROXY, url)
      // And an empty list keeps it from making exceptions of the environment's.
      set(CURLOPT_NOPROXY, "")
    }
  }
}
