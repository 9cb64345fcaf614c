/// Values that a thread has for itself, and that stay usable while it ends.
#pragma once

#include <new>

namespace tvm::ffi {

/// The thread's T, made on first use. It is destroyed with the thread; code that asks still later
/// (the destructors of other thread values, and in the main thread everything that runs at exit)
/// gets a new one, which is leaked, instead of a dead one.
template <typename T> class ThreadValue {
public:
  static T &get() {
    if (__builtin_expect(!value, false))
      make();
    return *value;
  }
  /// Returns the thread's T, or null.
  static T *find() { return value; }

private:
  struct Cleanup {
    bool armed = false;
    ~Cleanup() {
      T *old = value;
      value = nullptr;
      if (old == reinterpret_cast<T *>(reserve))
        old->~T();
      else
        delete old;
    }
  };

  [[gnu::noinline]] static void make() {
    // Even an error about memory needs its slot.
    T *made = new (std::nothrow) T;
    value = made ? made : new (reserve) T;
    cleanup.armed = true; // the first use makes the destructor run
  }

  // Neither needs code to exist, so both can be used at any time.
  static constinit inline thread_local T *value = nullptr;
  static inline thread_local Cleanup cleanup;
  alignas(T) static constinit inline thread_local unsigned char reserve[sizeof(T)] = {};
};

} // namespace tvm::ffi
