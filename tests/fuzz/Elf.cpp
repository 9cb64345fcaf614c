/// The reader of ELF files, and the check of libraries that are about to be handed to the dynamic
/// linker: any bytes, as memory and piece by piece. What is read lies inside the bytes.
#include <cstdlib>

#include "elf/SharedLibrary.h"

using namespace fairlead::elf;

namespace {

/// Reads as from a file: views are copies.
class Pieces : public ByteSource {
public:
  explicit Pieces(const MemorySource &memory) : memory(memory) {}
  uint64_t size() const override { return memory.size(); }
  bool read(uint64_t offset, void *out, size_t count) const override {
    return memory.read(offset, out, count);
  }

private:
  const MemorySource &memory;
};

void require(bool holds) {
  if (!holds)
    std::abort();
}

/// Reads everything; returns the size of all texts and the number of symbols.
uint64_t readAll(const ByteSource &source) {
  Reader reader(source);
  uint64_t read = 0;
  const Checked all = reader.readAll();
  const bool whole = static_cast<bool>(all);
  require(whole || !all.failure().text().empty());
  std::string buffer, nameBuffer;
  for (const Section &section : reader.sections) {
    auto content = reader.content(section, buffer);
    require(!whole || content.has_value() == section.hasContent());
    read += section.name.size() + (content ? content->size() : 0);
    if ((section.sh_type != SHT_SYMTAB && section.sh_type != SHT_DYNSYM) ||
        section.sh_link >= reader.sections.size())
      continue;
    auto names = reader.content(reader.sections[section.sh_link], nameBuffer);
    reader.forEachSymbol(section, [&](const Elf64_Sym &symbol, uint64_t) {
      read += 1 + textAt(names.value_or(std::string_view()), symbol.st_name).value_or("").size();
      return true;
    });
  }
  require(!whole || reader.extent() <= source.size());
  return read;
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  MemorySource memory(std::string_view(reinterpret_cast<const char *>(data), size));
  Pieces pieces(memory);
  const Checked ofMemory = checkSharedLibrary(memory), ofPieces = checkSharedLibrary(pieces);
  require(ofMemory ? bool(ofPieces)
                   : !ofPieces && ofMemory.failure().text() == ofPieces.failure().text());
  require(readAll(memory) == readAll(pieces));
  return 0;
}
