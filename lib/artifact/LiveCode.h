/// Code that is to run in this process, and how it gets there.
#ifndef FAIRLEAD_LIB_ARTIFACT_LIVECODE_H_
#define FAIRLEAD_LIB_ARTIFACT_LIVECODE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "llvm/Support/Error.h"

#include "artifact/Jit.h"
#include "artifact/ObjectBuilder.h"
#include "fairlead/Runtime.h"

namespace fairlead {

struct LiveCode {
  /// Relocatable; together they define `__tvm_ffi_<name>`.
  std::vector<std::string> objects;
  /// The images and kernels of the device module, which the objects then leave open. No images:
  /// the objects define it and `__fairlead_load_<name>`, or there is none.
  std::vector<DeviceImage> images;
  std::vector<std::string> kernels;

  std::string pack() const;
  /// Nothing for other bytes.
  static std::optional<LiveCode> unpack(std::string_view bytes);
};

/// The device module of code that leaves it open. What the driver has of it is retired at the end.
class LiveModule {
public:
  LiveModule(const std::string &name, std::vector<DeviceImage> images,
             std::vector<std::string> kernels);
  ~LiveModule();
  LiveModule(const LiveModule &) = delete;
  LiveModule &operator=(const LiveModule &) = delete;

  FairleadCudaModule module;

private:
  std::string name;
  std::vector<DeviceImage> images;
  std::vector<std::string> kernels;
  std::vector<FairleadCudaImage> imageTable;
  std::vector<const char *> kernelTable;
};

/// A program in this process. Its code goes with it; its device code goes when no work of it is
/// left, and stays where a graph may hold it (FairleadCudaModuleRetire).
class LiveProgram {
public:
  LiveProgram() = default;
  ~LiveProgram();
  LiveProgram(const LiveProgram &) = delete;
  LiveProgram &operator=(const LiveProgram &) = delete;

  void *entry = nullptr; ///< `__tvm_ffi_<name>`
  /// Loads the device code for a device: 0, or -1 with the error raised. Null where there is none.
  std::function<int32_t(int32_t)> loadDevice;
  /// The module of code that leaves it open; else null.
  std::unique_ptr<LiveModule> module;

private:
  friend llvm::Expected<std::shared_ptr<const LiveProgram>>
  loadLive(const LiveCode &, std::unique_ptr<LiveModule>, const std::string &, bool);

  std::unique_ptr<link::LoadedCode> code;
  FairleadCudaModule *ownModule = nullptr; ///< in `code`
};

/// Links code into the process. `module`: of the code's images, if it was made before. `hasLoader`:
/// of code without images, that it has `__fairlead_load_<name>`. Safe from any thread.
llvm::Expected<std::shared_ptr<const LiveProgram>> loadLive(const LiveCode &code,
                                                            std::unique_ptr<LiveModule> module,
                                                            const std::string &name,
                                                            bool hasLoader);

} // namespace fairlead
#endif // FAIRLEAD_LIB_ARTIFACT_LIVECODE_H_
