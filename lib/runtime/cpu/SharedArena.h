/// Dynamic shared memory for the block that a thread runs.
#ifndef FAIRLEAD_LIB_RUNTIME_CPU_SHAREDARENA_H_
#define FAIRLEAD_LIB_RUNTIME_CPU_SHAREDARENA_H_

#include <cstddef>

namespace fairlead::cpu {

/// Lends the calling thread's arena, 1024-byte aligned, for the scope's lifetime. A nested scope (a
/// launch from inside a kernel) gets memory of its own, so the outer block's data stays. Contents
/// are unspecified, as on a GPU.
class SharedArenaScope {
public:
  explicit SharedArenaScope(size_t bytes) {
    if (bytes)
      acquire(bytes);
  }
  ~SharedArenaScope() {
    if (memory)
      release();
  }
  SharedArenaScope(const SharedArenaScope &) = delete;
  SharedArenaScope &operator=(const SharedArenaScope &) = delete;

  /// NULL when 0 bytes were asked, or the system has no memory.
  void *data() const { return memory; }

private:
  void acquire(size_t bytes);
  void release();

  void *memory = nullptr;
  bool isPrivate = false; ///< allocated for this scope alone
};

} // namespace fairlead::cpu
#endif // FAIRLEAD_LIB_RUNTIME_CPU_SHAREDARENA_H_
