/// A FairleadCudaModule after loading: one driver library per image in use, one kernel table per
/// device.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "fairlead/Runtime.h"
#include "runtime/cuda/DeviceContext.h"

namespace fairlead::cuda {

struct LoadedKernel {
  driver::CUkernel handle = nullptr;
  driver::CUfunction function = nullptr; ///< the kernel in the device's primary context: launched
                                         ///< without the driver's look-up
  /// Dynamic shared memory that this device lets the kernel have so far, in bytes; -1: not asked
  /// yet.
  std::atomic<int> sharedLimit{-1};
  std::atomic<bool> largeClusters{false}; ///< clusters of more than 8 blocks have been allowed
};

/// The kernels of a module on one device.
struct DeviceKernels {
  const DeviceContext *device = nullptr;
  driver::CUlibrary library = nullptr;
  std::atomic<bool> tellsChecks{false}; ///< its kernels know where messages of checks go
  /// The timeline::generation (runtime/Timeline.h) that its kernels know.
  std::atomic<uint32_t> timeline{0};
  /// A launch was recorded by a capture: a graph may hold the kernels for as long as it likes.
  std::atomic<bool> inGraph{false};
  std::unique_ptr<LoadedKernel[]> kernels;
};

class LoadedModule {
public:
  /// The kernels of `module` on a device, loaded if they are not; NULL with an error raised.
  /// Thread-safe; a load and two compares once loaded.
  static DeviceKernels *get(FairleadCallContext *call, FairleadCudaModule *module, int deviceId) {
    auto *state = static_cast<LoadedModule *>(
        std::atomic_ref<void *>(module->state).load(std::memory_order_acquire));
    if (state && deviceId >= 0 && deviceId < state->numDevices.load(std::memory_order_acquire))
        [[likely]]
      if (auto *loaded = state->devices[deviceId].load(std::memory_order_acquire)) [[likely]]
        return loaded;
    return load(call, module, deviceId);
  }

  ~LoadedModule();

  /// See FairleadCudaModuleHold.
  static void hold(FairleadCudaModule *module, int change);
  /// See FairleadCudaModuleRetire (Unload.h). Calls no function of the driver.
  static void retire(FairleadCudaModule *module);
  /// Unloads the retired modules, if they are `least` or more, once all work of their devices has
  /// ended. Returns how many were unloaded.
  static int unloadRetired(size_t least);
  /// Notes a launch on `stream` if a capture records it.
  static void noteCapture(DeviceKernels &loaded, void *stream) {
    // The legacy stream cannot be captured.
    if (reinterpret_cast<uintptr_t>(stream) > 1 && !loaded.inGraph.load(std::memory_order_relaxed))
      askCapture(loaded, stream);
  }

private:
  /// The reason why an image could not be used: a driver error and the failed action.
  struct Refusal {
    driver::CUresult error = driver::CUDA_SUCCESS;
    std::string action;
  };

  explicit LoadedModule(const FairleadCudaModule &module);
  static LoadedModule *create(FairleadCudaModule *module);
  /// Makes room for the kernels of each device. The list is locked, and the driver usable.
  void addDevices();
  static DeviceKernels *load(FairleadCallContext *call, FairleadCudaModule *module, int deviceId);
  DeviceKernels *loadOn(FairleadCallContext *call, const DeviceContext &device);
  std::unique_ptr<DeviceKernels> tryImage(const DeviceContext &device, int image, Refusal &refusal);
  bool loadImage(int image, Refusal &refusal);
  bool loadKernel(LoadedKernel &kernel, int image, const char *name, Refusal &refusal);
  std::string describeImage(int image) const;

  static void askCapture(DeviceKernels &loaded, void *stream);
  /// Makes the module as if it had not been loaded; its state, which was that. The list is locked.
  static std::unique_ptr<LoadedModule> detach(FairleadCudaModule *module, LoadedModule *present);
  bool isInGraph() const;
  bool synchronize();
  void unload();
  void unloadLibraries();

  static LoadedModule *newest;  ///< head of the list of all, which keeps them reachable
  static LoadedModule *retired; ///< head of the list of those to be unloaded
  static size_t numRetired;
  static LoadedModule *kept;           ///< of those that stay, whose modules are gone
  static std::mutex listMutex;         ///< guards the lists, the counts, and the making of states
  static std::atomic<bool> anyCapture; ///< some launch was recorded by a capture

  LoadedModule *older = nullptr;
  int holders = 0;                  ///< whose last one unloads it
  const FairleadCudaModule &module; ///< not to be used once it is retired
  /// 0 until the module is first loaded: the driver may become usable after the module is held.
  std::atomic<int> numDevices = 0;
  std::unique_ptr<std::atomic<DeviceKernels *>[]> devices;
  std::mutex mutex;                         ///< guards what follows
  std::vector<driver::CUlibrary> libraries; ///< of each image; NULL: not loaded
};

} // namespace fairlead::cuda
