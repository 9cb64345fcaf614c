/// Looks at a library's file before the dynamic linker does.
#include <unistd.h>

#include <cstring>

#include "ModuleInternal.h"
#include "elf/SharedLibrary.h"

using namespace tvm::ffi;

void tvm::ffi::requireWholeLibrary(const char *path) {
  // A name without a slash is looked up along the linker's path; it is not this file.
  if (!std::strchr(path, '/') || access(path, R_OK) != 0)
    return;
  if (auto error = fairlead::elf::checkSharedLibrary(path))
    TVM_FFI_THROW(RuntimeError) << error->text;
}
