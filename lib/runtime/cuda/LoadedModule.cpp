#include "runtime/cuda/LoadedModule.h"

#include <exception>
#include <utility>

#include "fairlead/PlainC.h"
#include "fairlead/Unload.h"
#include "runtime/Raise.h"

namespace fairlead::cuda {
namespace {

using namespace driver;

/// So many modules of dropped functions stay loaded until the GPUs are waited for.
constexpr size_t kMostRetired = 32;

const Table &table() { return Driver::get().table; }

void raiseCall(FairleadCallContext *call, CUresult error, const std::string &action) {
  runtime::raise(call, Diagnostic::CudaCall,
                 {{"error", describeError(table(), error)}, {"action", action}});
}

std::string describeImages(const FairleadCudaModule &module) {
  std::string text;
  for (int i = 0; i < module.num_images; ++i)
    text += (i ? ", " : "") + std::string(module.images[i].arch);
  return text.empty() ? "no images" : text;
}

/// Explains that the driver is too old for this version of PTX.
std::string explainUnknownPtx(const char *ptx) {
  constexpr std::string_view kDirective = ".version ";
  std::string_view text = ptx;
  size_t at = text.find(kDirective);
  text = at == std::string_view::npos ? "" : text.substr(at + kDirective.size());
  std::string version(text.substr(0, text.find_first_not_of("0123456789.")));
  int cuda = 0;
  if (table().cuDriverGetVersion)
    table().cuDriverGetVersion(&cuda);
  std::string driver =
      cuda ? " of CUDA " + std::to_string(cuda / 1000) + "." + std::to_string(cuda % 1000 / 10)
           : "";
  return " (PTX of version " + version + ", which is newer than the driver" + driver +
         ": update the driver, or export machine code for this GPU)";
}

std::string deviceText(const DeviceContext &device) { return "cuda:" + std::to_string(device.id); }

} // namespace

LoadedModule::LoadedModule(const FairleadCudaModule &module)
    : module(module), libraries(module.num_images) {}

LoadedModule::~LoadedModule() {
  for (int id = 0; id < numDevices; ++id)
    delete devices[id].load(std::memory_order_relaxed);
}

constinit LoadedModule *LoadedModule::newest = nullptr;
constinit LoadedModule *LoadedModule::retired = nullptr;
constinit size_t LoadedModule::numRetired = 0;
constinit LoadedModule *LoadedModule::kept = nullptr;
constinit std::mutex LoadedModule::listMutex;
constinit std::atomic<bool> LoadedModule::anyCapture = false;

/// The module's state, made by whoever comes first. The list is locked.
LoadedModule *LoadedModule::create(FairleadCudaModule *module) {
  std::atomic_ref<void *> state(module->state);
  if (void *present = state.load(std::memory_order_acquire))
    return static_cast<LoadedModule *>(present);
  auto *made = new LoadedModule(*module);
  made->older = newest;
  newest = made;
  state.store(made, std::memory_order_release);
  return made;
}

void LoadedModule::addDevices() {
  if (numDevices.load(std::memory_order_relaxed))
    return;
  const int count = Driver::get().numDevices;
  devices.reset(new std::atomic<DeviceKernels *>[count]());
  numDevices.store(count, std::memory_order_release);
}

void LoadedModule::hold(FairleadCudaModule *module, int change) {
  if (change > 0) {
    std::lock_guard lock(listMutex);
    ++create(module)->holders;
    return;
  }
  std::unique_ptr<LoadedModule> last;
  {
    std::lock_guard lock(listMutex);
    std::atomic_ref<void *> state(module->state);
    auto *present = static_cast<LoadedModule *>(state.load(std::memory_order_acquire));
    if (!present || present->holders == 0 || --present->holders > 0)
      return;
    last = detach(module, present);
  }
  last->unload();
}

std::unique_ptr<LoadedModule> LoadedModule::detach(FairleadCudaModule *module,
                                                   LoadedModule *present) {
  std::atomic_ref<void *>(module->state).store(nullptr, std::memory_order_release);
  LoadedModule **link = &newest;
  while (*link != present)
    link = &(*link)->older;
  *link = present->older;
  return std::unique_ptr<LoadedModule>(present);
}

bool LoadedModule::isInGraph() const {
  for (int id = 0; id < numDevices; ++id)
    if (auto *loaded = devices[id].load(std::memory_order_acquire))
      if (loaded->inGraph.load(std::memory_order_relaxed))
        return true;
  return false;
}

/// Waits for the work of all devices that have the module; whether it has ended.
bool LoadedModule::synchronize() {
  bool ended = true;
  for (int id = 0; id < numDevices; ++id)
    if (auto *loaded = devices[id].load(std::memory_order_acquire)) {
      DeviceGuard guard(table(), *loaded->device);
      ended &= guard.error() == CUDA_SUCCESS && table().cuCtxSynchronize() == CUDA_SUCCESS;
    }
  return ended;
}

void LoadedModule::unloadLibraries() {
  for (CUlibrary library : libraries)
    if (library)
      table().cuLibraryUnload(library);
}

namespace {

/// Keeps waiting out of graphs that other threads capture.
class Relaxed {
public:
  Relaxed() { table().cuThreadExchangeStreamCaptureMode(&mode); }
  ~Relaxed() { table().cuThreadExchangeStreamCaptureMode(&mode); }

private:
  CUstreamCaptureMode mode = CU_STREAM_CAPTURE_MODE_RELAXED;
};

} // namespace

/// Errors are passed over: the driver may be shutting down, or a device have failed for good.
void LoadedModule::unload() {
  if (!Driver::get().usable)
    return;
  Relaxed relaxed;
  synchronize();
  unloadLibraries();
}

void LoadedModule::askCapture(DeviceKernels &loaded, void *stream) {
  // CUstreamCaptureStatus: 0 is none. Who cannot say may be capturing.
  int status = 1;
  if (table().cuStreamIsCapturing &&
      table().cuStreamIsCapturing(static_cast<CUstream>(stream), &status) == CUDA_SUCCESS &&
      status == 0)
    return;
  loaded.inGraph.store(true, std::memory_order_relaxed);
  anyCapture.store(true, std::memory_order_relaxed);
}

void LoadedModule::retire(FairleadCudaModule *module) {
  std::unique_ptr<LoadedModule> gone; // nothing of it was loaded
  std::lock_guard lock(listMutex);
  auto *present = static_cast<LoadedModule *>(
      std::atomic_ref<void *>(module->state).load(std::memory_order_acquire));
  if (!present)
    return;
  gone = detach(module, present);
  bool isLoaded = false;
  for (CUlibrary library : present->libraries)
    isLoaded |= library != nullptr;
  if (!isLoaded)
    return;
  const bool stays = present->isInGraph();
  LoadedModule *&list = stays ? kept : retired;
  numRetired += stays ? 0 : 1;
  present->older = list;
  list = gone.release();
}

int LoadedModule::unloadRetired(size_t least) {
  LoadedModule *first = nullptr;
  {
    std::lock_guard lock(listMutex);
    if (numRetired == 0 || numRetired < least)
      return 0;
    first = std::exchange(retired, nullptr);
    numRetired = 0;
  }
  if (!Driver::get().usable)
    return 0;
  Relaxed relaxed;
  int count = 0;
  while (first) {
    std::unique_ptr<LoadedModule> each(std::exchange(first, first->older));
    // Failed: a graph is being captured, or a device has failed. Keep it for a later call.
    if (each->synchronize()) {
      each->unloadLibraries();
      ++count;
      continue;
    }
    std::lock_guard lock(listMutex);
    each->older = retired;
    retired = each.release();
    ++numRetired;
  }
  return count;
}

DeviceKernels *LoadedModule::load(FairleadCallContext *call, FairleadCudaModule *module,
                                  int deviceId) {
  try {
    const DeviceContext *device = DeviceContext::get(call, deviceId);
    if (!device)
      return nullptr;
    LoadedModule *state = [&] {
      std::lock_guard lock(listMutex);
      LoadedModule *made = create(module);
      made->addDevices();
      return made;
    }();
    DeviceKernels *loaded = nullptr;
    {
      std::lock_guard lock(state->mutex);
      loaded = state->devices[deviceId].load(std::memory_order_relaxed);
      if (loaded)
        return loaded;
      loaded = state->loadOn(call, *device);
    }
    // Loading may wait for the device, too. Who captures graphs says when
    // (FairleadCudaUnloadRetired).
    if (loaded && !anyCapture.load(std::memory_order_relaxed))
      unloadRetired(kMostRetired);
    return loaded;
  } catch (const std::exception &failure) { // no memory, or a mutex that the system refuses
    if (call)
      call->status = -1;
    TVMFFIErrorSetRaisedFromCStr("RuntimeError", failure.what());
    return nullptr;
  }
}

DeviceKernels *LoadedModule::loadOn(FairleadCallContext *call, const DeviceContext &device) {
  DeviceGuard guard(table(), device);
  if (guard.error() != CUDA_SUCCESS) {
    raiseCall(call, guard.error(), "selecting " + deviceText(device));
    return nullptr;
  }
  std::vector<std::string> names;
  for (int i = 0; i < module.num_images; ++i)
    names.emplace_back(module.images[i].arch);
  std::vector<int> order = rankImages(names, device.arch);
  if (order.empty()) {
    runtime::raise(call, Diagnostic::CudaImage,
                   {{"module", module.name},
                    {"device", std::to_string(device.id)},
                    {"arch", capabilityName(device.arch)},
                    {"images", describeImages(module)}});
    return nullptr;
  }
  // An image that should run may still be refused (a GPU variant, a driver older than the PTX), so
  // the next one gets its turn.
  std::string actions;
  Refusal refusal;
  for (int image : order) {
    if (auto kernels = tryImage(device, image, refusal)) {
      devices[device.id].store(kernels.get(), std::memory_order_release);
      return kernels.release();
    }
    actions += (actions.empty() ? "" : "; when ") + refusal.action;
  }
  raiseCall(call, refusal.error, actions + " on " + deviceText(device));
  return nullptr;
}

std::unique_ptr<DeviceKernels> LoadedModule::tryImage(const DeviceContext &device, int image,
                                                      Refusal &refusal) {
  if (!libraries[image] && !loadImage(image, refusal))
    return nullptr;
  auto result = std::make_unique<DeviceKernels>();
  result->device = &device;
  result->library = libraries[image];
  result->kernels.reset(new LoadedKernel[module.num_kernels]);
  for (int i = 0; i < module.num_kernels; ++i)
    if (!loadKernel(result->kernels[i], image, module.kernels[i], refusal))
      return nullptr;
  return result;
}

bool LoadedModule::loadImage(int image, Refusal &refusal) {
  char log[2048] = "";
  // PTX without line directives gets no line table.
  CUjit_option options[] = {CU_JIT_ERROR_LOG_BUFFER, CU_JIT_ERROR_LOG_BUFFER_SIZE_BYTES,
                            CU_JIT_GENERATE_LINE_INFO};
  void *values[] = {log, reinterpret_cast<void *>(uintptr_t(sizeof(log) - 1)),
                    reinterpret_cast<void *>(uintptr_t(1))};
  const FairleadCudaImage &source = module.images[image];
  unsigned numOptions = parseImageArch(source.arch)->ptx ? 3 : 0;
  CUlibrary library = nullptr;
  CUresult error = table().cuLibraryLoadData(&library, source.data, options, values, numOptions,
                                             nullptr, nullptr, 0);
  if (error == CUDA_SUCCESS) {
    libraries[image] = library;
    return true;
  }
  refusal = {error, "loading " + describeImage(image)};
  if (log[0])
    refusal.action += " (" + std::string(log) + ")";
  if (error == CUDA_ERROR_UNSUPPORTED_PTX_VERSION && numOptions > 0)
    refusal.action += explainUnknownPtx(static_cast<const char *>(source.data));
  return false;
}

/// Also loads the kernel's code now. The driver would load it at the first launch, which fails
/// inside a graph capture.
bool LoadedModule::loadKernel(LoadedKernel &kernel, int image, const char *name, Refusal &refusal) {
  CUresult error = table().cuLibraryGetKernel(&kernel.handle, libraries[image], name);
  if (error == CUDA_SUCCESS)
    error = table().cuKernelGetFunction(&kernel.function, kernel.handle);
  if (error == CUDA_SUCCESS && table().cuFuncLoad)
    error = table().cuFuncLoad(kernel.function);
  if (error == CUDA_SUCCESS)
    return true;
  refusal = {error, "loading kernel `" + std::string(name) + "` of " + describeImage(image)};
  return false;
}

std::string LoadedModule::describeImage(int image) const {
  return "the " + std::string(module.images[image].arch) + " image of `" + module.name + "`";
}

} // namespace fairlead::cuda

void FairleadCudaModuleHold(FairleadCudaModule *module, int32_t change) {
  try {
    fairlead::cuda::LoadedModule::hold(module, change);
  } catch (const std::exception &) {
    // No memory to count with: it then stays loaded.
  }
}

void FairleadCudaModuleRetire(FairleadCudaModule *module) {
  try {
    fairlead::cuda::LoadedModule::retire(module);
  } catch (const std::exception &) {
    // A mutex that the system refuses: it then stays loaded.
  }
}

int32_t FairleadCudaUnloadRetired(void) {
  try {
    return fairlead::cuda::LoadedModule::unloadRetired(1);
  } catch (const std::exception &) {
    return 0;
  }
}

int32_t FairleadCudaModuleLoad(FairleadCudaModule *module, int32_t device_id) {
  return fairlead::cuda::LoadedModule::get(nullptr, module, device_id) ? 0 : -1;
}

int32_t FairleadCudaKernelAttribute(FairleadCudaModule *module, int32_t device_id, int32_t kernel,
                                    int32_t attribute, int32_t *value) {
  using namespace fairlead::cuda;
  DeviceKernels *loaded = LoadedModule::get(nullptr, module, device_id);
  if (!loaded)
    return -1;
  driver::CUresult error =
      table().cuKernelGetAttribute(value, static_cast<driver::CUfunction_attribute>(attribute),
                                   loaded->kernels[kernel].handle, loaded->device->handle);
  if (error == driver::CUDA_SUCCESS)
    return 0;
  raiseCall(nullptr, error, std::string("asking for an attribute of ") + module->kernels[kernel]);
  return -1;
}
