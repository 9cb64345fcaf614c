/// Takes values inside values apart with a bounded stack.
#ifndef TVM_FFI_INNER_TEARDOWN_H_
#define TVM_FFI_INNER_TEARDOWN_H_

#include <tvm/ffi/any.h>

#include <exception>
#include <utility>
#include <vector>

namespace tvm {
namespace ffi {
namespace inner {

/// While a container is destroyed. Inside others that are destroyed, and deep, what it holds waits
/// for the outermost one.
class Teardown {
public:
  Teardown() : outer(current()) {
    if (outer)
      ++outer->depth;
    else
      current() = this;
  }
  ~Teardown() {
    if (outer) {
      --outer->depth;
      return;
    }
    while (!waiting.empty()) {
      Any next = std::move(waiting.back());
      waiting.pop_back();
    }
    current() = nullptr;
  }
  Teardown(const Teardown &) = delete;
  Teardown &operator=(const Teardown &) = delete;

  /// Whether values that may hold others have to wait.
  bool IsDeep() const { return outer && outer->depth >= kMaxDepth; }
  /// Whether a value may hold others.
  static bool MayNest(const Any &value) {
    int32_t type = value.type_index();
    return type >= kTVMFFIDynObjectBegin || type == kTVMFFIArray || type == kTVMFFIList ||
           type == kTVMFFIMap || type == kTVMFFIDict;
  }
  /// To be called with each value before it is destroyed: one that has to wait becomes None.
  void Take(Any &value) {
    if (!IsDeep() || !MayNest(value))
      return;
    try {
      outer->waiting.push_back(std::move(value));
    } catch (const std::exception &) { // no memory: it is destroyed where it stands
    }
  }

private:
  static constexpr int kMaxDepth = 64;

  /// The outermost of this thread.
  static Teardown *&current() {
    static thread_local Teardown *outermost = nullptr;
    return outermost;
  }

  Teardown *outer;
  int depth = 0;
  std::vector<Any> waiting;
};

} // namespace inner
} // namespace ffi
} // namespace tvm
#endif // TVM_FFI_INNER_TEARDOWN_H_
