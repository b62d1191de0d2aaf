// libcurl's option setters are variadic, which Swift cannot call: one inline function per argument type.
#pragma once
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

typedef size_t (*swiftwater_curl_data_callback)(char *bytes, size_t size, size_t count, void *context);

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
static inline CURLcode swiftwater_curl_get_long(CURL *easy, CURLINFO info, long *value) {
  return curl_easy_getinfo(easy, info, value);
}
static inline CURLcode swiftwater_curl_get_pointer(CURL *easy, CURLINFO info, void **value) {
  return curl_easy_getinfo(easy, info, (char **)value);
}
static inline CURLMcode swiftwater_curl_multi_set_long(CURLM *multi, CURLMoption option, long value) {
  return curl_multi_setopt(multi, option, value);
}
static inline CURLcode swiftwater_curl_message_result(CURLMsg *message) { return message->data.result; }
