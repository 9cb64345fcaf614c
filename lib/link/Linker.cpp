#include <algorithm>
#include <cstring>
#include <map>
#include <set>
#include <string_view>

#include "link/LoadedCode.h"
#include "link/ObjectFile.h"

namespace fairlead::link {
namespace {

constexpr uint64_t kSlotBytes = 8;

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

/// One object of a link.
struct Part {
  explicit Part(const ObjectFile &file)
      : file(file), sectionOffsets(file.sections.size()), definitions(file.symbols.size()),
        external(file.symbols.size()), slots(file.symbols.size(), -1),
        stubs(file.symbols.size(), -1) {}

  /// True if other objects can refer to the symbol.
  bool exports(const Symbol &symbol) const {
    return symbol.isDefined && symbol.isGlobal && !symbol.isAbsolute &&
           file.sections[symbol.section].isLoaded;
  }

  /// A symbol of an object.
  struct Definition {
    const Part *part = nullptr;
    size_t symbol = 0;
  };

  const ObjectFile &file;
  std::vector<uint64_t> sectionOffsets; ///< by section: offset in the code or the data
  // By symbol:
  std::vector<Definition> definitions; ///< in another object
  std::vector<uint64_t> external;      ///< address of a symbol that no object defines
  std::vector<int> slots, stubs;       ///< index; -1: none
};

} // namespace

/// Lays the objects out as code, stubs, constants and slots | data, all within reach of 32-bit
/// distances. Code and constants are written to an image, which is copied when it is complete.
class Linker {
public:
  Linker(const std::vector<ObjectFile> &files, const LoadedCode::Resolver &resolve)
      : resolve(resolve) {
    parts.reserve(files.size());
    for (const ObjectFile &file : files)
      parts.emplace_back(file);
  }

  Result<std::unique_ptr<LoadedCode>> link() {
    if (Result<void> bound = bindSymbols(); !bound)
      return Failed{bound.reason()};
    assignIndirections();
    if (Result<void> placed = layOut(); !placed)
      return Failed{placed.reason()};
    copySections();
    fillIndirections();
    for (const Part &part : parts)
      for (const Relocation &relocation : part.file.relocations)
        if (Result<void> applied = apply(part, relocation); !applied)
          return Failed{applied.reason()};
    if (Result<void> written = code->memory.write(image.data()); !written)
      return Failed{written.reason()};
    publish();
    return std::move(code);
  }

private:
  /// Finds what each object refers to, in the other objects or outside.
  Result<void> bindSymbols() {
    std::unordered_map<std::string_view, Part::Definition> exported;
    for (const Part &part : parts)
      for (size_t i = 0; i < part.file.symbols.size(); ++i)
        if (const Symbol &symbol = part.file.symbols[i]; part.exports(symbol))
          exported.emplace(symbol.name, Part::Definition{&part, i});
    std::set<std::string> missing;
    for (Part &part : parts) {
      std::vector<bool> used(part.file.symbols.size());
      for (const Relocation &relocation : part.file.relocations)
        used[relocation.symbol] = true;
      for (size_t i = 1; i < used.size(); ++i) {
        const Symbol &symbol = part.file.symbols[i];
        if (symbol.isDefined || !used[i])
          continue;
        const std::string name(symbol.name);
        if (auto definition = exported.find(name); definition != exported.end())
          part.definitions[i] = definition->second;
        else
          part.external[i] = reinterpret_cast<uint64_t>(resolve(name));
        if (!part.definitions[i].part && !part.external[i] && !symbol.isWeak)
          missing.insert(name);
      }
    }
    std::string names;
    for (const std::string &name : missing)
      names += (names.empty() ? "`" : ", `") + name + "`";
    return missing.empty() ? Result<void>() : Failed{"nothing defines " + names};
  }

  /// Gives slots to symbols whose address is loaded from memory, and stubs to functions outside.
  void assignIndirections() {
    for (Part &part : parts)
      for (const Relocation &relocation : part.file.relocations) {
        const size_t symbol = relocation.symbol;
        const bool isOutside =
            symbol != 0 && !part.file.symbols[symbol].isDefined && !part.definitions[symbol].part;
        const bool needsStub = relocation.kind->via == Via::Stub && isOutside;
        if ((relocation.kind->via == Via::Slot || needsStub) && part.slots[symbol] < 0)
          part.slots[symbol] = numSlots++;
        if (needsStub && part.stubs[symbol] < 0)
          part.stubs[symbol] = numStubs++;
      }
  }

  Result<void> layOut() {
    uint64_t codeEnd = 0, dataEnd = 0;
    auto put = [&](uint64_t &end, bool executable, bool writable) {
      for (Part &part : parts)
        for (size_t i = 0; i < part.file.sections.size(); ++i) {
          const Section &section = part.file.sections[i];
          if (!section.isLoaded || section.isExecutable != executable ||
              section.isWritable != writable)
            continue;
          end = part.sectionOffsets[i] = aligned(end, section.alignment);
          end += section.size;
        }
    };
    put(codeEnd, true, false);
    firstStub = aligned(codeEnd, kStubBytes);
    codeEnd = firstStub + static_cast<uint64_t>(numStubs) * kStubBytes;
    put(codeEnd, false, false);
    firstSlot = aligned(codeEnd, kSlotBytes);
    codeEnd = firstSlot + static_cast<uint64_t>(numSlots) * kSlotBytes;
    put(dataEnd, false, true);
    if (codeEnd == 0 && dataEnd == 0)
      return Failed{"it holds neither code nor data"};
    if (Result<void> taken = code->memory.take(codeEnd, dataEnd); !taken)
      return taken;
    image.resize(codeEnd);
    return {};
  }

  void copySections() {
    for (const Part &part : parts)
      for (size_t i = 0; i < part.file.sections.size(); ++i)
        if (const Section &section = part.file.sections[i];
            section.isLoaded && !section.bytes.empty())
          std::memcpy(bytesOf(part, i), section.bytes.data(), section.bytes.size());
  }

  uint64_t codeAddress() const { return reinterpret_cast<uint64_t>(code->memory.code()); }
  /// Returns the memory that a section's bytes are written to.
  char *bytesOf(const Part &part, size_t section) {
    return (part.file.sections[section].isWritable ? code->memory.data() : image.data()) +
           part.sectionOffsets[section];
  }
  /// Returns the address that the section has when the code runs.
  uint64_t sectionAddress(const Part &part, size_t section) const {
    return part.sectionOffsets[section] + (part.file.sections[section].isWritable
                                               ? reinterpret_cast<uint64_t>(code->memory.data())
                                               : codeAddress());
  }
  uint64_t slotOffset(const Part &part, size_t symbol) const {
    return firstSlot + static_cast<uint64_t>(part.slots[symbol]) * kSlotBytes;
  }
  uint64_t stubOffset(const Part &part, size_t symbol) const {
    return firstStub + static_cast<uint64_t>(part.stubs[symbol]) * kStubBytes;
  }

  uint64_t symbolAddress(const Part &part, size_t index) const {
    const Symbol &symbol = part.file.symbols[index];
    if (const Part::Definition &definition = part.definitions[index]; definition.part)
      return symbolAddress(*definition.part, definition.symbol);
    if (!symbol.isDefined)
      return part.external[index];
    return symbol.isAbsolute ? symbol.value : sectionAddress(part, symbol.section) + symbol.value;
  }

  void fillIndirections() {
    for (const Part &part : parts)
      for (size_t i = 0; i < part.file.symbols.size(); ++i) {
        if (part.slots[i] >= 0) {
          const uint64_t value = symbolAddress(part, i);
          std::memcpy(image.data() + slotOffset(part, i), &value, sizeof(value));
        }
        if (part.stubs[i] >= 0) {
          const uint64_t offset = stubOffset(part, i);
          writeStub(elf::kHostMachine, image.data() + offset, codeAddress() + offset,
                    codeAddress() + slotOffset(part, i));
        }
      }
  }

  Result<void> apply(const Part &part, const Relocation &relocation) {
    const size_t symbol = relocation.symbol;
    const RelocationKind &kind = *relocation.kind;
    uint64_t target = symbolAddress(part, symbol);
    if (kind.via == Via::Slot)
      target = codeAddress() + slotOffset(part, symbol);
    else if (kind.via == Via::Stub && part.stubs[symbol] >= 0)
      target = codeAddress() + stubOffset(part, symbol);
    if (applyRelocation(kind, bytesOf(part, relocation.section) + relocation.where,
                        target + static_cast<uint64_t>(relocation.addend),
                        sectionAddress(part, relocation.section) + relocation.where))
      return {};
    return Failed{relocationName(elf::kHostMachine, kind.type) + " in `" +
                  std::string(part.file.sections[relocation.section].name) + "` cannot reach `" +
                  std::string(part.file.symbols[symbol].name) + "`"};
  }

  /// Records the global symbols, and shows objects with line tables to debuggers.
  void publish() {
    for (const Part &part : parts) {
      const ObjectFile &file = part.file;
      for (size_t i = 0; i < file.symbols.size(); ++i)
        if (part.exports(file.symbols[i]))
          code->symbols.emplace(file.symbols[i].name,
                                reinterpret_cast<void *>(symbolAddress(part, i)));
      if (std::none_of(file.sections.begin(), file.sections.end(),
                       [](const Section &section) { return section.name == ".debug_line"; }))
        continue;
      std::map<std::string, const void *> addresses;
      for (size_t i = 0; i < file.sections.size(); ++i)
        if (file.sections[i].isLoaded)
          addresses[std::string(file.sections[i].name)] =
              reinterpret_cast<const void *>(sectionAddress(part, i));
      code->shown.emplace_back(std::string(file.bytes), addresses);
    }
  }

  const LoadedCode::Resolver &resolve;
  std::vector<Part> parts;
  std::unique_ptr<LoadedCode> code{new LoadedCode};
  int numSlots = 0, numStubs = 0;
  uint64_t firstStub = 0, firstSlot = 0; ///< offsets in the image
  std::string image;                     ///< of code and constants
};

Result<std::unique_ptr<LoadedCode>> LoadedCode::link(const std::vector<ObjectFile> &files,
                                                     const Resolver &resolve) {
  return Linker(files, resolve).link();
}

void *LoadedCode::find(const std::string &name) const {
  auto symbol = symbols.find(name);
  return symbol == symbols.end() ? nullptr : symbol->second;
}

} // namespace fairlead::link
