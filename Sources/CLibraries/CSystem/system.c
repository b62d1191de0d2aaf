#define _GNU_SOURCE
#include "CSystem.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

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

struct thread_start {
  char name[16];
  void (*body)(void *);
  void *context;
};

static void *run_thread(void *argument) {
  struct thread_start start = *(struct thread_start *)argument;
  free(argument);
#if defined(__APPLE__)
  pthread_setname_np(start.name);
#else
  pthread_setname_np(pthread_self(), start.name);
#endif
  start.body(start.context);
  return 0;
}

int swiftwater_start_thread(const char *name, void (*body)(void *), void *context) {
  struct thread_start *start = calloc(1, sizeof *start);
  if (!start) return ENOMEM;
  strncpy(start->name, name, sizeof start->name - 1);
  start->body = body;
  start->context = context;

  sigset_t all, previous;
  sigfillset(&all);
  // Faults of the thread itself belong to it: blocked, they would pass by the host program's crash handler.
  int faults[] = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGABRT, SIGSYS};
  for (unsigned i = 0; i < sizeof faults / sizeof *faults; i++) sigdelset(&all, faults[i]);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  pthread_t thread;
  int error = pthread_create(&thread, 0, run_thread, start);
  pthread_sigmask(SIG_SETMASK, &previous, 0);
  if (error) {
    free(start);
    return error;
  }
  return pthread_detach(thread);
}

static _Thread_local void *thread_mark;

void swiftwater_mark_thread(void *mark) { thread_mark = mark; }

void *swiftwater_thread_mark(void) { return thread_mark; }

int swiftwater_pipe(int ends[2]) {
#if defined(__linux__)
  return pipe2(ends, O_CLOEXEC) ? errno : 0;
#else
  if (pipe(ends)) return errno;
  fcntl(ends[0], F_SETFD, FD_CLOEXEC);
  fcntl(ends[1], F_SETFD, FD_CLOEXEC);
  return 0;
#endif
}

int swiftwater_lock_file(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) ? errno : 0; }

void swiftwater_unlock_file(int descriptor) { flock(descriptor, LOCK_UN); }

// The host program may have opened descriptors without close-on-exec: they must not reach a long-lived child.
static int close_all_but_standard(posix_spawn_file_actions_t *actions, short *flags) {
#if defined(__APPLE__)
  (void)actions;
  *flags |= POSIX_SPAWN_CLOEXEC_DEFAULT;
  return 0;
#elif defined(__GLIBC__) && __GLIBC_PREREQ(2, 34)
  (void)flags;
  return posix_spawn_file_actions_addclosefrom_np(actions, 3);
#else
  (void)actions;
  (void)flags;
  return 0;
#endif
}

static int spawn(
    pid_t *process, char *const arguments[], char *const environment[], int input, int output, int error,
    int has_own_session) {
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  int result = posix_spawn_file_actions_init(&actions);
  if (result) return result;
  result = posix_spawnattr_init(&attributes);
  if (result) {
    posix_spawn_file_actions_destroy(&actions);
    return result;
  }

  // The calling thread may block every signal and the host program may ignore some: a child inherits both.
  short flags = POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF;
  if (has_own_session) flags |= POSIX_SPAWN_SETSID;
  sigset_t none, all;
  sigemptyset(&none);
  sigfillset(&all);
  result = posix_spawn_file_actions_adddup2(&actions, input, 0);
  if (!result) result = posix_spawn_file_actions_adddup2(&actions, output, 1);
  if (!result) result = posix_spawn_file_actions_adddup2(&actions, error, 2);
  if (!result) result = close_all_but_standard(&actions, &flags);
  if (!result) result = posix_spawnattr_setsigmask(&attributes, &none);
  if (!result) result = posix_spawnattr_setsigdefault(&attributes, &all);
  if (!result) result = posix_spawnattr_setflags(&attributes, flags);
  if (!result) result = posix_spawn(process, arguments[0], &actions, &attributes, arguments, environment);

  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return result;
}

int swiftwater_spawn(
    pid_t *process, char *const arguments[], char *const environment[], int input, int output, int error,
    int has_own_session) {
  // A host program with closed standard descriptors has given us their numbers: making one would overwrite another.
  int high[3] = {fcntl(input, F_DUPFD_CLOEXEC, 3), fcntl(output, F_DUPFD_CLOEXEC, 3), fcntl(error, F_DUPFD_CLOEXEC, 3)};
  int result = high[0] < 0 || high[1] < 0 || high[2] < 0 ? errno : 0;
  if (!result) result = spawn(process, arguments, environment, high[0], high[1], high[2], has_own_session);
  for (int i = 0; i < 3; i++)
    if (high[i] >= 0) close(high[i]);
  return result;
}
