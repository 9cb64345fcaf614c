/// The runtime while a process ends: errors, backtraces, streams, functions and types from the
/// destructors of thread values and of static objects. Succeeds by ending with code 0.
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "tvm/ffi/extra/c_env_api.h"
#include "tvm/ffi/tvm_ffi.h"

using namespace tvm::ffi;

namespace {

int uses = 0;

void require(bool condition, const char *what) {
  if (condition)
    return;
  std::fprintf(stderr, "at exit: %s\n", what);
  std::_Exit(1);
}

void useEverything() {
  ++uses;
  try {
    TVM_FFI_THROW(ValueError) << "late";
  } catch (const Error &error) {
    require(error.kind() == "ValueError" && !error.backtrace().empty(), "an error");
  }
  TVMFFIErrorSetRaisedFromCStr("TypeError", "later");
  require(detail::MoveFromSafeCallRaised().message() == "later", "the error slot");
  TVMFFIStreamHandle stream = &uses;
  require(TVMFFIEnvSetStream(kDLCUDA, 0, stream, nullptr) == 0, "setting a stream");
  require(TVMFFIEnvGetStream(kDLCUDA, 0) == stream, "a stream");
  require(Function::GetGlobalRequired("test.at_exit")(1).cast<int>() == 2, "a global function");
  require(TypeKeyToIndex("ffi.Tensor") == kTVMFFITensor, "the type table");
}

struct UsesWhenDestroyed {
  const char *name;
  int touched = 0;
  ~UsesWhenDestroyed() { useEverything(); }
};

// Destroyed after the runtime's own thread values: it is made first.
thread_local UsesWhenDestroyed threadValue{"thread"};
// Destroyed after the thread values of the main thread.
UsesWhenDestroyed staticValue{"static"};
// Holds objects until the end.
Any heldValue;
Function heldFunction;

} // namespace

int main() {
  Function::SetGlobal("test.at_exit", Function::FromTyped([](int x) { return x + 1; }));
  threadValue.touched = 1;
  heldValue =
      Array<Any>{1, String("some text of its own"), Function::GetGlobalRequired("ffi.Shape")};
  heldFunction = Function::GetGlobalRequired("test.at_exit");
  useEverything();
  std::thread([] {
    threadValue.touched = 1;
    useEverything();
  }).join();
  require(uses == 3, "the thread's end");
  std::atexit(useEverything);
  return 0;
}
