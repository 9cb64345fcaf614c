/// The only reader of ELF files (64 bits, little-endian): libraries, objects, CUBINs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/Result.h"

namespace fairlead::elf {

/// Bytes of known length that are read piece by piece: of memory or of a file.
class ByteSource {
public:
  virtual ~ByteSource() = default;
  virtual uint64_t size() const = 0;
  /// Copies `count` bytes from `offset`; false when they cannot be read.
  virtual bool read(uint64_t offset, void *out, size_t count) const = 0;

  /// `count` bytes from `offset`, which live as long as the source, or as `buffer` where they have
  /// to be copied. nullopt when they cannot be read.
  virtual std::optional<std::string_view> view(uint64_t offset, uint64_t count,
                                               std::string &buffer) const {
    if (!has(offset, count))
      return std::nullopt;
    buffer.resize(count);
    if (!read(offset, buffer.data(), count))
      return std::nullopt;
    return buffer;
  }

  /// True if [offset, offset + count) is inside.
  bool has(uint64_t offset, uint64_t count) const {
    return offset <= size() && count <= size() - offset;
  }
};

/// Memory that the caller keeps.
class MemorySource final : public ByteSource {
public:
  explicit MemorySource(std::string_view bytes) : bytes(bytes) {}

  uint64_t size() const override { return bytes.size(); }
  bool read(uint64_t offset, void *out, size_t count) const override {
    if (!has(offset, count))
      return false;
    if (count > 0)
      std::memcpy(out, bytes.data() + offset, count);
    return true;
  }
  std::optional<std::string_view> view(uint64_t offset, uint64_t count,
                                       std::string &) const override {
    if (!has(offset, count))
      return std::nullopt;
    return bytes.substr(offset, count);
  }

private:
  std::string_view bytes;
};

/// The reason why a file is not of the expected form.
struct Problem {
  enum class Kind {
    NotElf,    ///< `got` says what it is instead
    Truncated, ///< `part` ends at byte `expected`, of `got` that there are
    Damaged,   ///< `expected` something, `got` something else
    Foreign,   ///< for the machine `got`, not for `expected`
    OtherType, ///< `got`: an object file, a program
    Untrusted  ///< whole, but signed by nobody or by another than `expected`
  };
  Kind kind;
  std::string expected, got, part = {};

  /// "expected ..., but got ..."
  std::string text() const;
};
using Checked = Result<void, Problem>;

/// A section's header, with its name.
struct Section : Elf64_Shdr {
  std::string_view name; ///< "" if it has none
  bool isNamed = false;  ///< whether the header points at a whole name

  /// True if the file holds the bytes of the section.
  bool hasContent() const { return sh_type != SHT_NOBITS && sh_type != SHT_NULL; }
};

/// The tables of a file, each read on request. Every offset, count and sum is checked against the
/// source, so any content is safe. The source must outlive the reader, and results refer into both.
class Reader {
public:
  explicit Reader(const ByteSource &source) : source(source) {}
  Reader(const Reader &) = delete;
  Reader &operator=(const Reader &) = delete;

  /// Identification and header: class and byte order are ours, the machine may be any.
  Checked readHeader();
  /// The program headers, after the header. What they name may lie outside the file.
  Checked readSegments();
  /// The section headers, after the header. What they name may lie outside the file.
  Checked readSectionHeaders();
  /// Reads the section headers with their names. Fails unless all sections end inside the file.
  Checked readSections();
  /// Reads the header, the program headers and the sections.
  Checked readAll();

  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments;
  std::vector<Section> sections;

  /// Fails unless [offset, offset + bytes) is inside the file: then `part` is truncated.
  Checked contains(uint64_t offset, uint64_t bytes, const std::string &part) const;
  Checked readAt(uint64_t offset, void *out, size_t bytes, const std::string &part) const;

  /// Returns the section of this name, or nullptr.
  const Section *find(std::string_view name) const;
  /// A section's bytes: of memory, else in `buffer`. nullopt if they are not inside the file,
  /// and for a section without content.
  std::optional<std::string_view> content(const Section &section, std::string &buffer) const;

  /// Calls `visit(symbol, index)` for the entries of a table of symbols, until it returns false.
  /// False where `table` is none, or cannot be read.
  template <typename Visit> bool forEachSymbol(const Section &table, Visit visit) const {
    constexpr uint64_t kAtOnce = 4096;
    if (table.sh_entsize != sizeof(Elf64_Sym) || table.sh_link >= sections.size())
      return false;
    const uint64_t count = table.sh_size / sizeof(Elf64_Sym);
    std::vector<Elf64_Sym> symbols;
    for (uint64_t first = 0; first < count; first += symbols.size()) {
      symbols.resize(std::min(count - first, kAtOnce));
      if (!source.read(table.sh_offset + first * sizeof(Elf64_Sym), symbols.data(),
                       symbols.size() * sizeof(Elf64_Sym)))
        return false;
      for (uint64_t i = 0; i < symbols.size(); ++i)
        if (!visit(symbols[i], first + i))
          return true;
    }
    return true;
  }

  /// Bytes from the file's start to where the last of its headers and sections ends.
  uint64_t extent() const;

private:
  const ByteSource &source;
  std::string nameBuffer;
};

bool isElf(std::string_view bytes);

/// The text at an offset of a table of strings; nullopt outside it, or where it has no end within
/// 64 KiB.
std::optional<std::string_view> textAt(std::string_view table, uint64_t offset);

#if defined(__x86_64__)
inline constexpr uint16_t kHostMachine = EM_X86_64;
#elif defined(__aarch64__)
inline constexpr uint16_t kHostMachine = EM_AARCH64;
#else
#error "name this architecture's ELF machine here"
#endif

/// "x86-64", or the number.
std::string machineName(uint16_t machine);
/// "a shared library", or the number.
std::string typeName(uint16_t type);

} // namespace fairlead::elf
