#define _GNU_SOURCE
#include "CSystem.h"
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

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
