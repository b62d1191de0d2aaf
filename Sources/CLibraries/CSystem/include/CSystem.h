// System calls and constants that Swift's importer leaves out or types differently on each system.
#pragma once
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

/// accept(2) that returns a non-blocking, close-on-exec descriptor, or -1 with errno set.
int swiftwater_accept(int listener);

/// Runs `body(context)` on a new detached thread of that name (at most 15 bytes) with every signal blocked but those of
/// faults, so that signals stay the program's own affair. Returns 0 or an error number.
int swiftwater_start_thread(const char *name, void (*body)(void *context), void *context);

/// Marks the calling thread, and tells its mark, which is null at first.
void swiftwater_mark_thread(void *mark);
void *swiftwater_thread_mark(void);

/// Catches SIGINT and SIGTERM: each writes its number as one byte to `descriptor`; the second one ends the process at
/// once. Returns 0 or an error number.
int swiftwater_catch_termination(int descriptor);
/// pipe(2) with both ends close-on-exec. `ends[0]` is for reading. Returns 0 or an error number.
int swiftwater_pipe(int ends[2]);

/// Takes the exclusive flock(2) of an open file or folder without waiting. Returns 0 or an error number, which is
/// EWOULDBLOCK where another open file holds it.
int swiftwater_lock_file(int descriptor);

/// Gives the lock back, also when a child that is just being started holds a copy of the descriptor: closing ours alone
/// would leave the lock with it for a moment.
void swiftwater_unlock_file(int descriptor);

/// Starts the program at `arguments[0]` with default signal handling and with no descriptor but these three (with Musl, and
/// glibc before 2.34, also those that the host program has opened without close-on-exec), which become its standard ones; in a session of its own, or in the caller's process group, where Ctrl-C reaches it. Returns 0 or an
/// error number.
int swiftwater_spawn(
  pid_t *process, char *const arguments[], char *const environment[], int input, int output, int error,
  int has_own_session);
