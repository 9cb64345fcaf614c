/// The result of a compile: a value, which is cached, saved and exported. Nothing of it is loaded.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "artifact/ObjectBuilder.h"
#include "artifact/PlainExport.h"
#include "fairlead/Compile.h"

namespace fairlead {

/// The code of a program as a process loads it.
struct ProgramCode {
  /// Relocatable; together they define `__tvm_ffi_<name>`.
  std::vector<std::string> objects;
  /// The images and kernels of the device module, which the objects then leave open. Without images
  /// the objects define it and `__fairlead_load_<name>`, or there is none.
  std::vector<DeviceImage> images;
  std::vector<std::string> kernels;

  std::string pack() const;
  /// Returns nothing for other bytes.
  static std::optional<ProgramCode> unpack(std::string_view bytes);
};

/// A program of any origin: traced (TracedProgram.h), or a kernel in CUDA C++ or machine code
/// (KernelArtifact.cpp). Members throw fairlead::Error.
struct CompiledProgram {
  virtual ~CompiledProgram() = default;

  Signature signature;
  std::string host; ///< CompileOptions::host
  ProgramCode code;
  /// The table of places of this process's trace (FAIRLEAD_NUMBERED_PLACE); or "".
  std::string places;

  virtual std::vector<Target> targets() const = 0;
  /// Returns true if the program has device code.
  virtual bool hasKernels() const = 0;
  /// Returns the first PTX of the device code, or "".
  virtual const std::string &ptx() const = 0;
  /// Returns all of the code as one object, under the function's own name.
  virtual std::string object() const { return code.objects.front(); }
  /// Returns the object of the kernels that the code leaves for later (LaterKernels.h).
  virtual std::string laterObject() const { return ""; }
  /// Returns the object to be exported under a name.
  virtual std::string exported(const std::string &symbol, const ExportExtras &extras) const = 0;
  /// Artifact's functions of these names.
  virtual std::string ir() const = 0;
  virtual std::string cubin() const { return ""; }
  virtual std::string assembly() const { return ""; }
  virtual std::string save() const = 0;
  virtual std::vector<KernelShared> sharedMemory() const = 0;
};

} // namespace fairlead
