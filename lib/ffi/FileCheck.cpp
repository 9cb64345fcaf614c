/// Looks at a library's file before the dynamic linker does.
#include <unistd.h>

#include "ModuleInternal.h"
#include "elf/Seal.h"
#include "elf/SharedLibrary.h"

using namespace tvm::ffi;

std::string tvm::ffi::requireWholeLibrary(const std::string &path) {
  // A name without a slash is looked up along the linker's path; it is not this file.
  const bool isFile = path.find('/') != std::string::npos;
  if (!fairlead::elf::isSignerAsked() && (!isFile || access(path.c_str(), R_OK) != 0))
    return path;
  if (!isFile)
    TVM_FFI_THROW(RuntimeError) << fairlead::elf::unreadable(
                                       path.c_str(), "a name without a folder, which "
                                                     "FAIRLEAD_TRUSTED_KEYS cannot be asked about")
                                       .text;
  auto toOpen = fairlead::elf::checkToLoad(path);
  if (!toOpen)
    TVM_FFI_THROW(RuntimeError) << toOpen.failure().text;
  return std::move(*toOpen);
}
