// OpenSSL's TLS: many of its functions are macros, which Swift cannot call.
#pragma once
#include <errno.h>
#include <limits.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>

#ifndef MSG_NOSIGNAL
#define MSG_NOSIGNAL 0  // Darwin: SO_NOSIGPIPE is set on the socket.
#endif

// A transport over a non-blocking socket. OpenSSL's own writes with write(2), which raises SIGPIPE.

enum { swiftwater_tls_saw_end = 0x800 };

static inline int swiftwater_tls_bio_retries(void) {
  return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR;
}
static inline int swiftwater_tls_bio_write(BIO *bio, const char *bytes, int count) {
  BIO_clear_retry_flags(bio);
  ssize_t sent = send((int)(intptr_t)BIO_get_data(bio), bytes, (size_t)count, MSG_NOSIGNAL);
  if (sent < 0 && swiftwater_tls_bio_retries()) BIO_set_retry_write(bio);
  return (int)sent;
}
static inline int swiftwater_tls_bio_read(BIO *bio, char *bytes, int count) {
  BIO_clear_retry_flags(bio);
  ssize_t received = recv((int)(intptr_t)BIO_get_data(bio), bytes, (size_t)count, 0);
  if (received < 0 && swiftwater_tls_bio_retries()) BIO_set_retry_read(bio);
  if (received == 0) BIO_set_flags(bio, swiftwater_tls_saw_end);
  return (int)received;
}
static inline long swiftwater_tls_bio_control(BIO *bio, int command, long number, void *pointer) {
  (void)number;
  (void)pointer;
  if (command == BIO_CTRL_FLUSH) return 1;
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, swiftwater_tls_saw_end) != 0;
  return 0;
}
static inline BIO_METHOD *swiftwater_tls_transport(void) {
  BIO_METHOD *method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "non-blocking socket");
  if (!method) return 0;
  BIO_meth_set_write(method, swiftwater_tls_bio_write);
  BIO_meth_set_read(method, swiftwater_tls_bio_read);
  BIO_meth_set_ctrl(method, swiftwater_tls_bio_control);
  return method;
}

/// A server's side of a connection over `descriptor`, which stays the caller's. Null when memory is out.
static inline SSL *swiftwater_tls_accepting(SSL_CTX *context, BIO_METHOD *transport, int descriptor) {
  SSL *session = SSL_new(context);
  BIO *bio = BIO_new(transport);
  if (!session || !bio) {
    SSL_free(session);
    BIO_free(bio);
    return 0;
  }
  BIO_set_data(bio, (void *)(intptr_t)descriptor);
  BIO_set_init(bio, 1);
  SSL_set_bio(session, bio, bio);
  SSL_set_accept_state(session);
  return session;
}

static inline int swiftwater_tls_select_http11(
    SSL *session, const unsigned char **selected, unsigned char *length, const unsigned char *offered,
    unsigned int offered_length, void *context) {
  (void)session;
  (void)context;
  static const unsigned char own[] = "\x08http/1.1";
  if (SSL_select_next_proto((unsigned char **)selected, length, own, sizeof own - 1, offered, offered_length)
      != OPENSSL_NPN_NEGOTIATED)
    return SSL_TLSEXT_ERR_ALERT_FATAL;
  return SSL_TLSEXT_ERR_OK;
}

/// A server's context: TLS 1.2 or newer, HTTP/1.1 by ALPN, no renegotiation, no buffers for idle connections, and
/// writes that may take a part of what they are given.
static inline SSL_CTX *swiftwater_tls_server_context(void) {
  SSL_CTX *context = SSL_CTX_new(TLS_server_method());
  if (!context) return 0;
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  SSL_CTX_set_options(context, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_CIPHER_SERVER_PREFERENCE);
#ifdef SSL_OP_IGNORE_UNEXPECTED_EOF
  // Many clients end without a word. Nothing is lost: HTTP's own framing tells where a request ends.
  SSL_CTX_set_options(context, SSL_OP_IGNORE_UNEXPECTED_EOF);
#endif
  SSL_CTX_set_mode(
      context, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER | SSL_MODE_RELEASE_BUFFERS);
  // Sessions of this process only: without a context, resuming fails where clients show certificates.
  static const unsigned char name[] = "swiftwater";
  SSL_CTX_set_session_id_context(context, name, sizeof name - 1);
  SSL_CTX_set_alpn_select_cb(context, swiftwater_tls_select_http11, 0);
  return context;
}

/// Adds a further certificate of the chain, which the context then owns. 1 when it did.
static inline int swiftwater_tls_add_to_chain(SSL_CTX *context, X509 *certificate) {
  return (int)SSL_CTX_add0_chain_cert(context, certificate);
}

/// Refuses to ask for a passphrase, which OpenSSL would do on the terminal.
static inline int swiftwater_tls_no_passphrase(char *buffer, int size, int is_writing, void *context) {
  (void)buffer;
  (void)size;
  (void)is_writing;
  (void)context;
  return -1;
}
