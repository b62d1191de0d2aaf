#include "CSystem.h"
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t termination_descriptor = -1;
static volatile sig_atomic_t termination_count = 0;

// Only async-signal-safe calls.
static void on_termination(int number) {
  int saved = errno;
  if (termination_count++) _exit(128 + number);
  unsigned char byte = (unsigned char)number;
  ssize_t written = write(termination_descriptor, &byte, 1);
  (void)written;
  errno = saved;
}

int swiftwater_catch_termination(int descriptor) {
  termination_descriptor = descriptor;
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_handler = on_termination;
  action.sa_flags = SA_RESTART;
  sigemptyset(&action.sa_mask);
  if (sigaction(SIGINT, &action, 0) || sigaction(SIGTERM, &action, 0)) return errno;
  return 0;
}
