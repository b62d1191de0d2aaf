#include <openssl/bio.h>
#include <openssl/bn.h>
#include <openssl/crypto.h>
#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/sha.h>
#include <openssl/x509.h>

/// A new P-256 key pair, or 0. OpenSSL's own shortcuts are macros with variable arguments.
static inline EVP_PKEY *swiftwater_generate_p256(void) {
  EVP_PKEY *key = 0;
  EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, 0);
  if (context && EVP_PKEY_keygen_init(context) == 1 &&
      EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1)
    EVP_PKEY_keygen(context, &key);
  EVP_PKEY_CTX_free(context);
  return key;
}
