#define _GNU_SOURCE
#include "CSystem.h"
#include <fcntl.h>

int swiftwater_accept(int listener) {
#if defined(__linux__)
  return accept4(listener, 0, 0, SOCK_NONBLOCK | SOCK_CLOEXEC);
#else
  int descriptor = accept(listener, 0, 0);
  if (descriptor >= 0) {
    fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK);
    fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  }
  return descriptor;
#endif
}
