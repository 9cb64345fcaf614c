/// Static objects of libfairlead, most of them LLVM's and MLIR's, are not destroyed when the
/// process ends: a compile that nobody waits for any more may still be running then, on a thread of
/// its own, and would crash. Waiting for it would delay the end by seconds. The library is linked
/// with --wrap=__cxa_atexit, so that they are registered here.
extern "C" int __wrap___cxa_atexit(void (*)(void *), void *, void *) { return 0; }
