// zlib's initialisers are macros, which Swift cannot call.
#pragma once
#include <zlib.h>

/// Raw deflate (RFC 1951) with a window of 2^`windowBits` bytes; `memoryLevel` 1…9 trades memory for speed.
static inline int swiftwater_deflate_init(z_stream *stream, int level, int windowBits, int memoryLevel) {
  return deflateInit2(stream, level, Z_DEFLATED, -windowBits, memoryLevel, Z_DEFAULT_STRATEGY);
}
/// Raw inflate (RFC 1951) with a window of 2^`windowBits` bytes.
static inline int swiftwater_inflate_init(z_stream *stream, int windowBits) {
  return inflateInit2(stream, -windowBits);
}
