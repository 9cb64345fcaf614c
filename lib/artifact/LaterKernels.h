/// Kernels that few launches run (lower::kLaterAttribute): code that runs in the process that
/// compiled it gets them when the first of these launches asks.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "llvm/IR/Module.h"

#include "link/LoadedCode.h"

namespace fairlead {

/// Replaces these kernels in a module by data that the loader defines, LaterKernels::define.
void leaveForLater(llvm::Module &module);
/// Removes everything but these kernels, and makes their names global.
void keepLaterKernels(llvm::Module &module);

/// These kernels of a loaded program.
class LaterKernels {
public:
  using Definitions = std::vector<std::pair<std::string, void *>>;

  /// `build` makes the object of the module that keepLaterKernels leaves; it may throw.
  LaterKernels(std::function<std::string()> build, Definitions definitions)
      : build(std::move(build)), definitions(std::move(definitions)) {}
  LaterKernels(const LaterKernels &) = delete;
  LaterKernels &operator=(const LaterKernels &) = delete;

  /// Returns the address of a symbol that leaveForLater made; null for other names.
  void *define(const std::string &symbol);

private:
  /// A kernel for generated code, which calls the function with the address of this.
  struct Entry {
    void *(*find)(Entry *);
    LaterKernels *owner;
    std::string kernel;
  };
  static void *find(Entry *entry);
  void *load(const std::string &kernel);

  std::function<std::string()> build;
  Definitions definitions;
  std::vector<std::unique_ptr<Entry>> entries;
  std::mutex mutex;
  std::unique_ptr<link::LoadedCode> code; ///< null until it is asked for
};

} // namespace fairlead
