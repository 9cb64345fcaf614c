#include "loader/LoadedObject.h"

#include <cstring>
#include <map>
#include <vector>

#include "loader/ObjectFile.h"

namespace fairlead::loader {
namespace {

constexpr uint64_t kSlotBytes = 8;

uint64_t aligned(uint64_t offset, uint64_t alignment) {
  return (offset + alignment - 1) & ~(alignment - 1);
}

} // namespace

/// Lays out: code and stubs, constants and the table of addresses | data, all within reach of
/// 32-bit distances. Code and constants are made in an image, and copied when they are whole.
class ObjectLinker {
public:
  ObjectLinker(const ObjectFile &file, const LoadedObject::Resolver &resolve, std::string &problem)
      : file(file), resolve(resolve), problem(problem) {}

  std::unique_ptr<LoadedObject> link() {
    result.reset(new LoadedObject);
    if (!collectIndirect() || !findAddresses() || !map())
      return nullptr;
    copySections();
    fillSlots();
    for (const Relocation &relocation : file.relocations)
      if (!apply(relocation))
        return nullptr;
    if (!result->memory.write(image.data(), problem))
      return nullptr;
    for (size_t i = 0; i < file.symbols.size(); ++i) {
      const Symbol &symbol = file.symbols[i];
      if (symbol.isDefined && symbol.isGlobal && !symbol.isAbsolute &&
          file.sections[symbol.section].isLoaded)
        result->symbols.emplace(symbol.name, reinterpret_cast<void *>(address(i)));
    }
    showToDebuggers();
    return std::move(result);
  }

private:
  bool fail(const std::string &text) {
    problem = text;
    return false;
  }

  /// Which symbols need a slot with their address, and which a stub that jumps through it.
  bool collectIndirect() {
    slot.assign(file.symbols.size(), -1);
    stub.assign(file.symbols.size(), -1);
    for (const Relocation &relocation : file.relocations) {
      bool outside = !file.symbols[relocation.symbol].isDefined && relocation.symbol != 0;
      bool call = relocation.kind->via == Via::Stub && outside;
      if ((relocation.kind->via == Via::Slot || call) && slot[relocation.symbol] < 0)
        slot[relocation.symbol] = numSlots++;
      if (call && stub[relocation.symbol] < 0)
        stub[relocation.symbol] = numStubs++;
    }
    return true;
  }

  bool findAddresses() {
    outside.assign(file.symbols.size(), 0);
    std::string missing;
    std::vector<bool> used(file.symbols.size());
    for (const Relocation &relocation : file.relocations)
      used[relocation.symbol] = true;
    for (size_t i = 1; i < file.symbols.size(); ++i) {
      const Symbol &symbol = file.symbols[i];
      if (symbol.isDefined || !used[i])
        continue;
      outside[i] = reinterpret_cast<uint64_t>(resolve(std::string(symbol.name)));
      if (!outside[i] && !symbol.isWeak)
        missing += (missing.empty() ? "`" : ", `") + std::string(symbol.name) + "`";
    }
    return missing.empty() || fail("nothing defines " + missing);
  }

  bool map() {
    place.assign(file.sections.size(), 0);
    uint64_t codeEnd = 0, dataEnd = 0;
    auto put = [&](uint64_t &end, bool executable, bool writable) {
      for (size_t i = 0; i < file.sections.size(); ++i) {
        const Section &section = file.sections[i];
        if (!section.isLoaded || section.isExecutable != executable ||
            section.isWritable != writable)
          continue;
        end = place[i] = aligned(end, section.alignment);
        end += section.size;
      }
    };
    put(codeEnd, true, false);
    stubs = aligned(codeEnd, kStubBytes);
    codeEnd = stubs + static_cast<uint64_t>(numStubs) * kStubBytes;
    put(codeEnd, false, false);
    slots = aligned(codeEnd, kSlotBytes);
    codeEnd = slots + static_cast<uint64_t>(numSlots) * kSlotBytes;
    put(dataEnd, false, true);
    if (codeEnd == 0 && dataEnd == 0)
      return fail("it holds neither code nor data");
    image.resize(codeEnd);
    return result->memory.take(codeEnd, dataEnd, problem);
  }

  void copySections() {
    for (size_t i = 0; i < file.sections.size(); ++i)
      if (const Section &section = file.sections[i]; section.isLoaded && !section.bytes.empty())
        std::memcpy(bytesAt(i), section.bytes.data(), section.bytes.size());
  }

  uint64_t code() const { return reinterpret_cast<uint64_t>(result->memory.code()); }
  /// Where a section is made, and where it will be.
  char *bytesAt(size_t section) {
    return file.sections[section].isWritable ? result->memory.data() + place[section]
                                             : image.data() + place[section];
  }
  uint64_t addressOf(size_t section) const {
    return place[section] + (file.sections[section].isWritable
                                 ? reinterpret_cast<uint64_t>(result->memory.data())
                                 : code());
  }
  uint64_t slotOffset(size_t symbol) const {
    return slots + static_cast<uint64_t>(slot[symbol]) * kSlotBytes;
  }
  uint64_t stubOffset(size_t symbol) const {
    return stubs + static_cast<uint64_t>(stub[symbol]) * kStubBytes;
  }

  uint64_t address(size_t index) const {
    const Symbol &symbol = file.symbols[index];
    if (!symbol.isDefined)
      return outside[index];
    return symbol.isAbsolute ? symbol.value : addressOf(symbol.section) + symbol.value;
  }

  void fillSlots() {
    for (size_t i = 0; i < file.symbols.size(); ++i) {
      if (slot[i] >= 0) {
        uint64_t value = address(i);
        std::memcpy(image.data() + slotOffset(i), &value, sizeof(value));
      }
      if (stub[i] >= 0)
        writeStub(elf::kHostMachine, image.data() + stubOffset(i), code() + stubOffset(i),
                  code() + slotOffset(i));
    }
  }

  void showToDebuggers() {
    bool hasLines = false;
    std::map<std::string, const void *> addresses;
    for (size_t i = 0; i < file.sections.size(); ++i) {
      const Section &section = file.sections[i];
      hasLines |= section.name == ".debug_line";
      if (section.isLoaded)
        addresses[std::string(section.name)] = reinterpret_cast<const void *>(addressOf(i));
    }
    if (hasLines)
      result->shown.emplace(std::string(file.bytes), addresses);
  }

  bool apply(const Relocation &relocation) {
    const uint64_t at = addressOf(relocation.section) + relocation.where;
    char *bytes = bytesAt(relocation.section) + relocation.where;
    const RelocationKind &kind = *relocation.kind;
    uint64_t target = kind.via == Via::Slot ? code() + slotOffset(relocation.symbol)
                      : kind.via == Via::Stub && stub[relocation.symbol] >= 0
                          ? code() + stubOffset(relocation.symbol)
                          : address(relocation.symbol);
    target += static_cast<uint64_t>(relocation.addend);
    return applyRelocation(kind, bytes, target, at) ||
           fail(relocationName(elf::kHostMachine, kind.type) + " in `" +
                std::string(file.sections[relocation.section].name) + "` cannot reach `" +
                std::string(file.symbols[relocation.symbol].name) + "`");
  }

  const ObjectFile &file;
  const LoadedObject::Resolver &resolve;
  std::string &problem;
  std::unique_ptr<LoadedObject> result;
  std::vector<int> slot, stub;   ///< by symbol; -1: none
  std::vector<uint64_t> outside; ///< by symbol: the address of an undefined one
  std::vector<uint64_t> place;   ///< by section: offset in the code or data
  int numSlots = 0, numStubs = 0;
  uint64_t stubs = 0, slots = 0; ///< offsets in the image
  std::string image;             ///< of code and constants
};

std::unique_ptr<LoadedObject> LoadedObject::load(const ObjectFile &file, const Resolver &resolve,
                                                 std::string &problem) {
  return ObjectLinker(file, resolve, problem).link();
}

void *LoadedObject::find(const std::string &name) const {
  auto found = symbols.find(name);
  return found == symbols.end() ? nullptr : found->second;
}

} // namespace fairlead::loader
