/// Readers of ELF files (shared libraries, objects, programs, CUBINs). They read bytes only:
/// nothing in the file is executed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "fairlead/Export.h"

namespace fairlead {

struct ElfSection {
  std::string name;
  uint32_t type = 0;                  ///< as ELF numbers them
  std::optional<uint64_t> fileOffset; ///< where its bytes are; none for memory without content
  uint64_t size = 0;
};

/// A symbol that has a name.
struct ElfSymbol {
  std::string name;
  bool isDefined = false, isFunction = false, isLocal = false;
  std::optional<uint64_t>
      fileOffset; ///< position of its bytes; none if the file does not hold them
};

struct ElfFile {
  std::string error; ///< why the bytes cannot be read; "" if they can
  uint16_t type = 0, machine = 0;
  std::vector<ElfSection> sections;
  std::vector<ElfSymbol> symbols; ///< of both tables: a stripped library keeps what it exports
  uint64_t size = 0;              ///< bytes from its start to its end; others may follow
  bool isSealed = false;          ///< it ends in the checksum of an export, which is right
  std::string signer;             ///< the public key that signed it, in hexadecimal; "" of none
};

/// Any content is safe. 64 bits and little-endian, of any machine.
FAIRLEAD_API ElfFile readElfFile(std::string_view bytes);

/// Returns the trailer to append to the content of a sealed file: a checksum that loaders of the
/// file verify. Linkers and dynamic loaders ignore it. With the path of a signing key (`fairlead
/// key new`), adds a signature. Throws fairlead::Error (SigningKey) for a file without a key.
FAIRLEAD_API std::string elfSeal(std::string_view content, const std::string &signingKey = "");
/// A file without its seal.
FAIRLEAD_API std::string_view withoutElfSeal(std::string_view file);

} // namespace fairlead
