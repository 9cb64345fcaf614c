/// Objects that are about to be linked into the process: any bytes. What is read is linked too,
/// with one address for all that it needs; nothing of it is run.
#include <string_view>

#include "link/LoadedCode.h"
#include "link/ObjectFile.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  using namespace fairlead::link;
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  definedNames(fairlead::elf::MemorySource(bytes));
  auto file = ObjectFile::read(bytes);
  // Room that a fuzzer's process has.
  uint64_t memory = 0;
  for (const Section &section : file ? file->sections : std::vector<Section>())
    memory += section.isLoaded ? section.size : 0;
  if (!file || memory > (uint64_t{1} << 24))
    return 0;
  static char everything[64];
  auto code = LoadedCode::link({*file}, [](const std::string &) { return everything; });
  static_cast<void>(code);
  return 0;
}
