#include "artifact/BuildIdentity.h"

#include <cstring>

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

#include "llvm/Config/llvm-config.h"

namespace fairlead {
namespace {

struct Search {
  uintptr_t address; ///< inside the library
  std::string id;    ///< bytes of its build id
};

/// Reads the notes of the loaded object that contains the address.
int visit(dl_phdr_info *info, size_t, void *data) {
  auto *search = static_cast<Search *>(data);
  bool inside = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    uintptr_t begin = info->dlpi_addr + part.p_vaddr;
    inside |= part.p_type == PT_LOAD && search->address >= begin &&
              search->address - begin < part.p_memsz;
  }
  if (!inside)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &part = info->dlpi_phdr[i];
    if (part.p_type != PT_NOTE)
      continue;
    const char *note = reinterpret_cast<const char *>(info->dlpi_addr + part.p_vaddr);
    const char *end = note + part.p_memsz;
    while (note + sizeof(ElfW(Nhdr)) <= end) {
      ElfW(Nhdr) header;
      std::memcpy(&header, note, sizeof header);
      const char *name = note + sizeof header;
      const char *value = name + ((header.n_namesz + 3) & ~3u);
      if (header.n_type == NT_GNU_BUILD_ID && header.n_namesz == 4 &&
          std::memcmp(name, "GNU", 4) == 0)
        search->id.assign(value, header.n_descsz);
      note = value + ((header.n_descsz + 3) & ~3u);
    }
  }
  return 1;
}

std::string findIdentity() {
  Search search{reinterpret_cast<uintptr_t>(&buildIdentity), ""};
  ::dl_iterate_phdr(visit, &search);
  if (!search.id.empty())
    return "build " + search.id + " LLVM " LLVM_VERSION_STRING;
  // Linked without an id: the file stands for it.
  Dl_info where;
  struct stat status;
  if (!::dladdr(reinterpret_cast<void *>(&buildIdentity), &where) ||
      ::stat(where.dli_fname, &status) != 0)
    return "";
  return "file " + std::to_string(status.st_size) + " " + std::to_string(status.st_mtim.tv_sec) +
         "." + std::to_string(status.st_mtim.tv_nsec) + " LLVM " LLVM_VERSION_STRING;
}

} // namespace

const std::string &buildIdentity() {
  static const std::string *identity = new std::string(findIdentity());
  return *identity;
}

} // namespace fairlead
