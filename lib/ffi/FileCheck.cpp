/// Looks at a library's file before the dynamic linker does.
#include <elf.h>
#include <link.h>

#include <cstring>
#include <fstream>
#include <vector>

#include "ModuleInternal.h"

using namespace tvm::ffi;

void tvm::ffi::requireWholeLibrary(const char *path) {
  // A name without a slash is looked up along the linker's path; it is not this file.
  if (!std::strchr(path, '/'))
    return;
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  if (!file)
    return;
  auto size = static_cast<uint64_t>(file.tellg());
  auto fail = [&](const char *what) {
    TVM_FFI_THROW(InternalError) << "Failed to load dynamic shared library " << path << ": " << what
                                 << " lies beyond the end of the file, which has " << size
                                 << " bytes; it seems to be cut off";
  };
  ElfW(Ehdr) header;
  file.seekg(0);
  if (!file.read(reinterpret_cast<char *>(&header), sizeof(header)))
    return; // too short for any library: the linker says so
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_phentsize != sizeof(ElfW(Phdr)))
    return;
  uint64_t tableSize = uint64_t(header.e_phnum) * sizeof(ElfW(Phdr));
  if (header.e_phoff > size || tableSize > size - header.e_phoff)
    fail("the program header table");
  // The section headers usually come last: a cut anywhere shows there.
  uint64_t sectionsSize = uint64_t(header.e_shnum) * header.e_shentsize;
  if (header.e_shoff > size || sectionsSize > size - header.e_shoff)
    fail("the section header table");
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  file.seekg(static_cast<std::streamoff>(header.e_phoff));
  file.read(reinterpret_cast<char *>(segments.data()), static_cast<std::streamsize>(tableSize));
  for (const ElfW(Phdr) &segment : segments)
    if (segment.p_type == PT_LOAD &&
        (segment.p_offset > size || segment.p_filesz > size - segment.p_offset))
      fail("a segment");
}
