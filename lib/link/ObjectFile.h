/// A relocatable ELF object for this processor, read from any bytes: nothing in it is believed
/// before it has been checked.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/Result.h"
#include "elf/Reader.h"
#include "link/Relocations.h"

namespace fairlead::link {

struct Section {
  std::string_view name;
  uint32_t type = 0;
  bool isLoaded = false; ///< takes part in the program: has memory, and is no unwind table
  bool isWritable = false, isExecutable = false;
  uint64_t size = 0, alignment = 1;
  std::string_view bytes; ///< empty for one without content in the file
};

struct Symbol {
  std::string_view name;
  bool isDefined = false, isGlobal = false, isWeak = false, isAbsolute = false;
  uint32_t section = 0; ///< where defined and not absolute
  uint64_t value = 0;   ///< offset in the section; at most its size
};

/// `where` is an offset in the section that leaves room for the kind's bytes; `symbol` is an index.
struct Relocation {
  uint32_t section = 0;
  const RelocationKind *kind = nullptr;
  uint32_t symbol = 0;
  uint64_t where = 0;
  int64_t addend = 0;
};

struct ObjectFile {
  std::string_view bytes;
  std::vector<Section> sections; ///< by index
  std::vector<Symbol> symbols;
  std::vector<Relocation> relocations; ///< of loaded sections

  /// Refers into `bytes`. Fails with "expected ..., but got ...".
  static Result<ObjectFile> read(std::string_view bytes);
};

/// Names of the functions that an object or a shared library defines for others, from its symbol
/// tables; of any bytes, as far as they make sense.
std::vector<std::string> definedNames(const elf::ByteSource &source);

} // namespace fairlead::link
