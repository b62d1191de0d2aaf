// OpenSSL's TLS: many of its functions are macros, which Swift cannot call.
#pragma once
#include <openssl/err.h>
#include <openssl/ssl.h>
