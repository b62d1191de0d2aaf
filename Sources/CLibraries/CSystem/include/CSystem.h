// System calls and constants that Swift's importer leaves out or types differently on each system.
#pragma once
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

/// accept(2) that returns a non-blocking, close-on-exec descriptor, or -1 with errno set.
int swiftwater_accept(int listener);

/// Runs `body(context)` on a new detached thread of that name (at most 15 bytes) with every signal blocked, so that
/// signals stay the program's own affair. Returns 0 or an error number.
int swiftwater_start_thread(const char *name, void (*body)(void *context), void *context);

/// Catches SIGINT and SIGTERM: each writes its number as one byte to `descriptor`; the second one ends the process at
/// once. Returns 0 or an error number.
int swiftwater_catch_termination(int descriptor);
