/// The inside of an artifact: a compiled program and, once it was loaded, the loaded one.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "llvm/Support/Error.h"

#include "artifact/CompiledProgram.h"
#include "artifact/LaterKernels.h"
#include "fairlead/Runtime.h"
#include "link/LoadedCode.h"

namespace fairlead {

/// The device module of code that leaves it open. What the driver has of it is retired at the end.
class DeviceModule {
public:
  DeviceModule(const std::string &name, std::vector<DeviceImage> images,
               std::vector<std::string> kernels);
  ~DeviceModule();
  DeviceModule(const DeviceModule &) = delete;
  DeviceModule &operator=(const DeviceModule &) = delete;

  FairleadCudaModule module;

private:
  std::string name;
  std::vector<DeviceImage> images;
  std::vector<std::string> kernels;
  std::vector<FairleadCudaImage> imageTable;
  std::vector<const char *> kernelTable;
};

/// A program in this process: the only owner of its code's memory and of its device module. Its
/// code goes with it; its device code goes when its work has ended, and stays if a graph may hold
/// it (FairleadCudaModuleRetire).
class LoadedProgram {
public:
  /// Links code into the process. `module`: the module of the code's images, if it was made before.
  /// `compiled`: the program that the code is of, or null.
  /// `hasLoader`: whether code without images has `__fairlead_load_<name>`. Safe from any thread.
  static llvm::Expected<std::shared_ptr<const LoadedProgram>>
  load(const ProgramCode &code, std::unique_ptr<DeviceModule> module, const std::string &name,
       bool hasLoader, std::shared_ptr<const CompiledProgram> compiled = nullptr);
  LoadedProgram() = default;
  ~LoadedProgram();
  LoadedProgram(const LoadedProgram &) = delete;
  LoadedProgram &operator=(const LoadedProgram &) = delete;

  void *entry = nullptr; ///< `__tvm_ffi_<name>`
  /// Loads the device code for a device: 0, or -1 with the error raised. Null without device code.
  std::function<int32_t(int32_t)> loadDevice;
  std::unique_ptr<DeviceModule> module; ///< null if the code defines it

private:
  std::shared_ptr<const CompiledProgram> compiled; ///< `code` refers to its places
  std::unique_ptr<LaterKernels> later;
  std::unique_ptr<link::LoadedCode> code;
  FairleadCudaModule *definedModule = nullptr; ///< in `code`
};

/// The inside of an artifact: a compiled program and, once it was loaded, the loaded one.
struct Artifact::Impl {
  explicit Impl(std::shared_ptr<const CompiledProgram> compiled)
      : program(std::move(compiled)), targets(program->targets()) {}

  std::shared_ptr<const CompiledProgram> program;
  std::vector<Target> targets;
  bool cached = false; ///< the program came from the cache
  std::vector<Phase> phases;
  /// If the driver had the device code while it was compiled; loading takes it.
  mutable std::unique_ptr<DeviceModule> deviceModule;

  mutable std::mutex mutex;
  mutable std::optional<std::string> object; ///< CompiledProgram::object
  mutable std::string cubin;                 ///< CompiledProgram::cubin, which takes long; or ""
  mutable std::shared_ptr<const LoadedProgram> loaded; ///< null until it is loaded
  mutable bool stays = false; ///< `loaded` is kept for the life of the process
  mutable double loadMilliseconds = 0;

  /// Links the code into the process, and loads device code if the machine has a device, at the
  /// first call. Throws fairlead::Error.
  std::shared_ptr<const LoadedProgram> load() const;
};

} // namespace fairlead
