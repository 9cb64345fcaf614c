/* What glibc 2.28 lacks of the functions that the compiled code calls, for libraries that are
 * linked against its old symbols (cmake/link_stubs.py). Each library has its own copy. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <malloc.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <time.h>

#define FAIRLEAD_HIDDEN __attribute__((visibility("hidden")))

/* Until 2.33 the headers called these, with the version of struct stat. */
int __xstat(int version, const char *path, struct stat *status);
int __lxstat(int version, const char *path, struct stat *status);
int __fxstat(int version, int file, struct stat *status);
#ifdef __x86_64__
enum { kStatVersion = 1 };
#else
enum { kStatVersion = 0 };
#endif

FAIRLEAD_HIDDEN int stat(const char *path, struct stat *status) {
  return __xstat(kStatVersion, path, status);
}
FAIRLEAD_HIDDEN int lstat(const char *path, struct stat *status) {
  return __lxstat(kStatVersion, path, status);
}
FAIRLEAD_HIDDEN int fstat(int file, struct stat *status) {
  return __fxstat(kStatVersion, file, status);
}

/* "Perhaps not": reference counts are changed atomically. */
FAIRLEAD_HIDDEN char __libc_single_threaded = 0;

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
/* The numbers of mallinfo wrap at 4 GiB; LLVM reports them in statistics alone. */
FAIRLEAD_HIDDEN struct mallinfo2 mallinfo2(void) {
  struct mallinfo info = mallinfo();
  struct mallinfo2 wide = {.arena = (unsigned)info.arena,
                           .ordblks = (unsigned)info.ordblks,
                           .smblks = (unsigned)info.smblks,
                           .hblks = (unsigned)info.hblks,
                           .hblkhd = (unsigned)info.hblkhd,
                           .usmblks = (unsigned)info.usmblks,
                           .fsmblks = (unsigned)info.fsmblks,
                           .uordblks = (unsigned)info.uordblks,
                           .fordblks = (unsigned)info.fordblks,
                           .keepcost = (unsigned)info.keepcost};
  return wide;
}
#pragma GCC diagnostic pop

FAIRLEAD_HIDDEN uint32_t arc4random(void) {
  uint32_t number;
  while (getrandom(&number, sizeof number, 0) != sizeof number)
    if (errno != EINTR)
      abort();
  return number;
}

static struct timespec sumOf(struct timespec a, int64_t nanoseconds) {
  const int64_t kSecond = 1000000000;
  int64_t rest = a.tv_nsec + nanoseconds % kSecond;
  a.tv_sec += nanoseconds / kSecond + rest / kSecond;
  a.tv_nsec = rest % kSecond;
  return a;
}

/* By a wait on the realtime clock, of a second at most: the clock may be set meanwhile. A wait that
 * ends early is a spurious wakeup, which callers expect. */
FAIRLEAD_HIDDEN int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                           clockid_t clock, const struct timespec *until) {
  enum { kLongest = 1000000000 };
  if (clock == CLOCK_REALTIME)
    return pthread_cond_timedwait(condition, mutex, until);
  if (clock != CLOCK_MONOTONIC)
    return EINVAL;
  struct timespec now, realtime;
  clock_gettime(CLOCK_MONOTONIC, &now);
  clock_gettime(CLOCK_REALTIME, &realtime);
  int64_t seconds = (int64_t)until->tv_sec - now.tv_sec;
  if (seconds < 0)
    return ETIMEDOUT;
  int64_t left = seconds > 1 ? kLongest : seconds * kLongest + until->tv_nsec - now.tv_nsec;
  if (left <= 0)
    return ETIMEDOUT;
  const int isWhole = left <= kLongest;
  struct timespec end = sumOf(realtime, isWhole ? left : kLongest);
  int result = pthread_cond_timedwait(condition, mutex, &end);
  return result == ETIMEDOUT && (seconds > 1 || !isWhole) ? 0 : result;
}
