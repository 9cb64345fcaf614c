/// FairleadCheckSharedLibrary: checks a file by its headers, before dlopen maps it.
#include <exception>

#include "elf/SharedLibrary.h"
#include "fairlead/Runtime.h"

int32_t FairleadCheckSharedLibrary(const char *path) {
  try {
    const auto library = fairlead::elf::checkSharedLibrary(path);
    if (library)
      return 0;
    TVMFFIErrorSetRaisedFromCStr(library.failure().kind, library.failure().text.c_str());
  } catch (const std::exception &failure) {
    TVMFFIErrorSetRaisedFromCStr("MemoryError", failure.what());
  }
  return -1;
}
