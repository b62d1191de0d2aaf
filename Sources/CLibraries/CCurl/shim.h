// libcurl's option setters are variadic, which Swift cannot call: one inline function per argument type.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <sys/socket.h>

#if LIBCURL_VERSION_NUM < 0x075100
#error "libcurl 7.81 or later is needed"
#endif

typedef size_t (*swiftwater_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);

typedef int (*swiftwater_curl_seek_callback)(void *context, curl_off_t offset, int origin);
typedef int (*swiftwater_curl_progress_callback)(
    void *context, curl_off_t expected_down, curl_off_t down, curl_off_t expected_up, curl_off_t up);

static inline CURLcode swiftwater_curl_set_long(CURL *easy, CURLoption option, long value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode swiftwater_curl_set_offset(CURL *easy, CURLoption option, curl_off_t value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode swiftwater_curl_set_string(CURL *easy, CURLoption option, const char *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode swiftwater_curl_set_pointer(CURL *easy, CURLoption option, void *value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode swiftwater_curl_set_callback(CURL *easy, CURLoption option, swiftwater_curl_data_callback value) {
  return curl_easy_setopt(easy, option, value);
}
static inline CURLcode swiftwater_curl_set_seek_callback(CURL *easy, swiftwater_curl_seek_callback value) {
  return curl_easy_setopt(easy, CURLOPT_SEEKFUNCTION, value);
}
static inline CURLcode swiftwater_curl_set_progress_callback(CURL *easy, swiftwater_curl_progress_callback value) {
  return curl_easy_setopt(easy, CURLOPT_XFERINFOFUNCTION, value);
}
static inline curl_socket_t swiftwater_curl_open_socket(
    void *context, curlsocktype purpose, struct curl_sockaddr *address) {
  (void)context;
  (void)purpose;
#if defined(SOCK_CLOEXEC)
  return socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
#else
  curl_socket_t descriptor = socket(address->family, address->socktype, address->protocol);
  if (descriptor != CURL_SOCKET_BAD) fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  return descriptor;
#endif
}
/// Keeps the connections' sockets from the programs that the host program starts: a copy there would hold a connection
/// open that has been closed here.
static inline void swiftwater_curl_set_close_on_exec(CURL *easy) {
  curl_easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, swiftwater_curl_open_socket);
}
/// Lets a handle be removed while its host name is being resolved without waiting for the resolver.
static inline void swiftwater_curl_set_quick_exit(CURL *easy) {
#if LIBCURL_VERSION_NUM >= 0x075700
  curl_easy_setopt(easy, CURLOPT_QUICK_EXIT, 1L);
#else
  (void)easy;
#endif
}
/// The library copies the bytes.
static inline CURLcode swiftwater_curl_set_blob(CURL *easy, CURLoption option, const void *bytes, size_t length) {
  struct curl_blob blob = {(void *)bytes, length, CURL_BLOB_COPY};
  return curl_easy_setopt(easy, option, &blob);
}
static inline CURLcode swiftwater_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode swiftwater_curl_get_offset(CURL *easy, CURLINFO info, curl_off_t *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode swiftwater_curl_get_socket(CURL *easy, curl_socket_t *socket) {
  return curl_easy_getinfo(easy, CURLINFO_ACTIVESOCKET, socket);
}
/// Whether something can be read from the socket, if only its end. Nothing can if it is not the one with that port any
/// more.
static inline bool swiftwater_has_unread(curl_socket_t descriptor, int local_port) {
  struct sockaddr_storage address;
  socklen_t size = sizeof address;
  if (getsockname(descriptor, (struct sockaddr *)&address, &size) != 0) return false;
  // The port stands at the same place in both kinds of address.
  if (ntohs(((struct sockaddr_in *)&address)->sin_port) != local_port) return false;
  char byte;
  return recv(descriptor, &byte, 1, MSG_PEEK | MSG_DONTWAIT) >= 0;
}
/// Calls `value` when a connection is there and the request is about to go out on it; zero lets it go, one aborts.
static inline void swiftwater_curl_set_request_callback(
    CURL *easy, int (*value)(void *context, char *, char *, int, int), void *context) {
  curl_easy_setopt(easy, CURLOPT_PREREQFUNCTION, value);
  curl_easy_setopt(easy, CURLOPT_PREREQDATA, context);
}
static inline CURLcode swiftwater_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}
static inline CURLMcode swiftwater_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLcode swiftwater_curl_message_result(CURLMsg *message) { return message->data.result; }
