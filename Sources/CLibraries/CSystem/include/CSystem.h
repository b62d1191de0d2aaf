// System calls and constants that Swift's importer leaves out or types awkwardly.
#pragma once
#include <stdint.h>
#include <sys/socket.h>
#if defined(__linux__)
#include <sys/epoll.h>
#include <sys/eventfd.h>
#endif

/// accept(2) that returns a non-blocking, close-on-exec descriptor, or -1 with errno set.
int swiftwater_accept(int listener);
