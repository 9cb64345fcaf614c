/// FairleadCheckSharedLibrary: checks a file by its headers, before dlopen maps it.
#include <exception>

#include "elf/SharedLibrary.h"
#include "fairlead/Runtime.h"

int32_t FairleadCheckSharedLibrary(const char *path) {
  try {
    auto error = fairlead::elf::checkSharedLibrary(path);
    if (!error)
      return 0;
    TVMFFIErrorSetRaisedFromCStr(error->kind, error->text.c_str());
  } catch (const std::exception &failure) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
  return -1;
}
