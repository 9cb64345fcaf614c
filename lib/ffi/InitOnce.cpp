/// Handles that are made on first use, by one thread, however many ask.
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "Boundary.h"
#include "tvm/ffi/function.h"

using namespace tvm::ffi;

namespace {

/// The handles being made, and the threads that make them. One lock for all would not do: making a
/// handle may need another one.
struct InitRegistry {
  std::mutex mutex;
  std::condition_variable done;
  std::map<void **, std::thread::id> running;

  static InitRegistry &get() {
    static auto *registry = new InitRegistry;
    return *registry;
  }
};

/// Marks a handle as no longer being made.
struct RunningGuard {
  InitRegistry &registry;
  void **address;
  ~RunningGuard() {
    std::lock_guard lock(registry.mutex);
    registry.running.erase(address);
    registry.done.notify_all();
  }
};

void *load(void **address) { return __atomic_load_n(address, __ATOMIC_ACQUIRE); }

} // namespace

int TVMFFIHandleInitOnce(void **handle_addr, int (*init_func)(void **result)) {
  if (handle_addr && load(handle_addr))
    return 0;
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(handle_addr, "TVMFFIHandleInitOnce", "handle_addr");
  requireArgument(reinterpret_cast<const void *>(init_func), "TVMFFIHandleInitOnce", "init_func");
  InitRegistry &registry = InitRegistry::get();
  {
    std::unique_lock lock(registry.mutex);
    auto running = registry.running.find(handle_addr);
    if (running != registry.running.end() && running->second == std::this_thread::get_id())
      TVM_FFI_THROW(RuntimeError) << "TVMFFIHandleInitOnce: init_func asks for its own handle";
    registry.done.wait(lock, [&] { return !registry.running.count(handle_addr); });
    if (load(handle_addr))
      return 0;
    registry.running.emplace(handle_addr, std::this_thread::get_id());
  }
  RunningGuard guard{registry, handle_addr};
  void *handle = nullptr;
  if (int status = init_func(&handle))
    return status;
  if (!handle)
    TVM_FFI_THROW(RuntimeError) << "init_func must return a non-NULL handle";
  __atomic_store_n(handle_addr, handle, __ATOMIC_RELEASE);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIHandleDeinitOnce(void **handle_addr, int (*deinit_func)(void *handle)) {
  TVM_FFI_SAFE_CALL_BEGIN();
  requireArgument(handle_addr, "TVMFFIHandleDeinitOnce", "handle_addr");
  requireArgument(reinterpret_cast<const void *>(deinit_func), "TVMFFIHandleDeinitOnce",
                  "deinit_func");
  if (void *handle = __atomic_exchange_n(handle_addr, nullptr, __ATOMIC_ACQ_REL))
    return deinit_func(handle);
  TVM_FFI_SAFE_CALL_END();
}
