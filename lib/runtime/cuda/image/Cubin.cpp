/// CUBIN: a 64-bit ELF file of machine 190. What the sections mean is what cuobjdump prints of
/// them.
#include <algorithm>
#include <unordered_map>

#include "elf/Reader.h"
#include "runtime/cuda/image/Readers.h"

namespace fairlead::cuda::image {
namespace {

constexpr uint8_t kOtherEntry = 0x10; // st_other of a __global__ function

// Records of the sections .nv.info and .nv.info.<kernel>: form, attribute, then 16 bits that are
// the value itself or, of the form kSized, the number of bytes that follow.
constexpr uint8_t kSized = 4;
constexpr uint8_t kMaxThreads = 0x05, kRequiredThreads = 0x10, kFrameSize = 0x11,
                  kMinStackSize = 0x12, kParam = 0x17, kParamBytes = 0x19, kRegisterCount = 0x2f,
                  kParamV2 = 0x45;
constexpr uint8_t kCompatAccelerator = 9; // of .nv.compat

// From sm_90 on, a block's shared memory begins with a part of the system's that the section
// counts.
constexpr int kFirstArchWithReserve = 90;
constexpr int64_t kReservedShared = 1024;

using elf::Section;

/// Calls `take(attribute, form, value, payload)` for each whole record.
template <typename Take> void forEachRecord(std::string_view content, Take take) {
  Bytes bytes(content);
  for (uint64_t at = 0; bytes.has(at, 4);) {
    uint8_t form = bytes.read<uint8_t>(at);
    uint16_t value = bytes.read<uint16_t>(at + 2);
    uint64_t length = form == kSized ? value : 0;
    if (!bytes.has(at + 4, length))
      return;
    take(bytes.read<uint8_t>(at + 1), value, Bytes(bytes.slice(at + 4, length)));
    at += 4 + length;
  }
}

class CubinReader {
public:
  CubinReader(std::string_view content, ImagePart &part)
      : source(content), reader(source), part(part) {}

  Result<void> read() {
    if (elf::Checked header = reader.readHeader(); !header)
      return told(header.failure());
    if (Result<void> arch = readArch(); !arch)
      return arch;
    if (elf::Checked segments = reader.readSegments(); !segments)
      return told(segments.failure());
    if (elf::Checked sections = reader.readSections(); !sections)
      return told(sections.failure());
    if (reader.sections.empty())
      return Failed{"the CUBIN has no section headers"};
    findSuffix();
    if (Result<void> symbols = readSymbols(); !symbols)
      return symbols;
    readShared();
    for (const Section &section : reader.sections)
      if (section.name == ".nv.info")
        readFileInfo(section);
      else if (section.name.substr(0, 9) == ".nv.info.")
        readKernelInfo(section);
    return {};
  }

private:
  static Failed told(const elf::Problem &problem) {
    if (problem.kind == elf::Problem::Kind::Truncated)
      return {"the CUBIN is cut off: " + problem.part + " ends at byte " + problem.expected +
              ", but there are " + problem.got};
    if (problem.kind == elf::Problem::Kind::Foreign)
      return {"the image is an ELF file, but not a 64-bit little-endian one"};
    return {"the CUBIN is damaged: " + problem.text()};
  }

  Result<void> readArch() {
    const Elf64_Ehdr &header = reader.header;
    if (header.e_machine != EM_CUDA)
      return Failed{"the image is an ELF file for machine " + std::to_string(header.e_machine) +
                    ", but a CUBIN is for machine " + std::to_string(EM_CUDA) + " (CUDA)"};
    if (header.e_type == ET_REL)
      return Failed{
          "the CUBIN is relocatable device code (nvcc -dc or -rdc=true), which must be linked "
          "before it can be loaded"};
    const uint32_t flags = header.e_flags;
    // The second layout of the flags came with sm_100 in CUDA 12.8, and with CUDA 13 for all.
    bool second = header.e_ident[EI_ABIVERSION] >= 8;
    number = second ? (flags >> 8) & 0xff : flags & 0xff;
    if (flags & (second ? 0x8u : 0x800u))
      suffix = "a";
    return {};
  }

  /// The content of a section in memory, which lives as long as the image does.
  std::string_view contentOf(const Section &section) const {
    std::string unused;
    return reader.content(section, unused).value_or(std::string_view());
  }

  /// Finds the suffix if the flags lack it. CUDA 13 stores "a" in .nv.compat, and "f" only in the
  /// note with the tool's command line.
  void findSuffix() {
    for (const Section &section : reader.sections) {
      if (!suffix.empty())
        break;
      if (section.name == ".nv.compat")
        forEachRecord(contentOf(section), [&](uint8_t attribute, uint16_t value, const Bytes &) {
          if (attribute == kCompatAccelerator && (value & 0xff))
            suffix = "a";
        });
    }
    std::string family = "sm_" + std::to_string(number) + "f";
    for (const Section &section : reader.sections)
      if (suffix.empty() && section.name == ".note.nv.tkinfo") {
        std::string_view note = contentOf(section);
        size_t at = note.find(family);
        if (at != std::string_view::npos &&
            note.find_first_of(std::string_view(" \0,", 3), at) == at + family.size())
          suffix = "f";
      }
    part.kind = ImageKind::Cubin;
    part.arch = "sm_" + std::to_string(number) + suffix;
  }

  Result<void> readSymbols() {
    const std::vector<Section> &sections = reader.sections;
    uint64_t nameBytes = 0;
    for (const Section &table : sections) {
      if (table.sh_type != SHT_SYMTAB)
        continue;
      if (table.sh_link >= sections.size())
        return Failed{"the CUBIN's symbol names are in no section"};
      std::string_view names = contentOf(sections[table.sh_link]);
      reader.forEachSymbol(table, [&](const Elf64_Sym &symbol, uint64_t index) {
        if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || !(symbol.st_other & kOtherEntry) ||
            symbol.st_shndx == SHN_UNDEF)
          return true;
        std::string_view name = elf::textAt(names, symbol.st_name).value_or(std::string_view());
        if (name.empty() || !byName.emplace(name, part.kernels.size()).second)
          return true;
        // Names that overlap could make far more text than there are bytes.
        if ((nameBytes += name.size()) > source.size())
          return false;
        bySymbol.emplace(uint32_t(index), part.kernels.size());
        ImageKernel kernel;
        kernel.name = name;
        kernel.sharedBytes = 0;
        // The code's section header may have the count if no record does.
        if (symbol.st_shndx < sections.size() && sections[symbol.st_shndx].sh_info >> 24)
          kernel.registers = int(sections[symbol.st_shndx].sh_info >> 24);
        part.kernels.push_back(std::move(kernel));
        return true;
      });
      if (nameBytes > source.size())
        return Failed{"the CUBIN's symbol names overlap"};
    }
    return {};
  }

  ImageKernel *kernelOfSection(std::string_view name, std::string_view prefix) {
    if (name.substr(0, prefix.size()) != prefix)
      return nullptr;
    auto entry = byName.find(name.substr(prefix.size()));
    return entry == byName.end() ? nullptr : &part.kernels[entry->second];
  }

  void readShared() {
    for (const Section &section : reader.sections)
      if (ImageKernel *kernel = kernelOfSection(section.name, ".nv.shared.")) {
        int64_t size = int64_t(std::min<uint64_t>(section.sh_size, INT64_MAX));
        if (number >= kFirstArchWithReserve)
          size = std::max<int64_t>(size - kReservedShared, 0);
        kernel->sharedBytes = size;
      }
  }

  /// .nv.info: registers and stack of every function, by symbol.
  void readFileInfo(const Section &section) {
    forEachRecord(contentOf(section), [&](uint8_t attribute, uint16_t, const Bytes &payload) {
      auto entry = bySymbol.find(payload.read<uint32_t>(0));
      if (payload.size() < 8 || entry == bySymbol.end())
        return;
      ImageKernel &kernel = part.kernels[entry->second];
      uint32_t value = payload.read<uint32_t>(4);
      if (attribute == kRegisterCount)
        kernel.registers = int(std::min<uint32_t>(value, INT32_MAX));
      else if (attribute == kFrameSize || attribute == kMinStackSize)
        kernel.localBytes = std::max<int64_t>(kernel.localBytes, value);
    });
  }

  /// .nv.info.<kernel>: parameters and limits.
  void readKernelInfo(const Section &section) {
    ImageKernel *kernel = kernelOfSection(section.name, ".nv.info.");
    if (!kernel)
      return;
    std::vector<std::pair<uint16_t, ImageParam>> params;
    int64_t paramBytes = 0;
    forEachRecord(contentOf(section), [&](uint8_t attribute, uint16_t value, const Bytes &payload) {
      if (attribute == kParamBytes)
        paramBytes = value;
      if ((attribute == kMaxThreads || attribute == kRequiredThreads) && payload.size() >= 12) {
        uint64_t threads = 1;
        for (int axis = 0; axis < 3; ++axis)
          threads = std::min<uint64_t>(threads * payload.read<uint32_t>(4 * axis), INT32_MAX);
        if (threads)
          kernel->maxThreads = int(threads);
      }
      if ((attribute != kParam && attribute != kParamV2) || payload.size() < 12)
        return;
      uint16_t ordinal = payload.read<uint16_t>(4), offset = payload.read<uint16_t>(6);
      uint32_t packed = payload.read<uint32_t>(8);
      params.push_back({ordinal, {offset, attribute == kParam ? packed >> 18 : packed & 0xffff}});
    });
    std::sort(params.begin(), params.end(),
              [](const auto &a, const auto &b) { return a.first < b.first; });
    // Old compilers give the size of the block but not the parameters of every kernel.
    bool complete = paramBytes == 0 || !params.empty();
    for (size_t i = 0; i < params.size(); ++i)
      complete = complete && params[i].first == i;
    kernel->paramsKnown = complete;
    kernel->params.clear(); // a second section of this name replaces the first
    if (complete)
      for (const auto &[ordinal, param] : params)
        kernel->params.push_back(param);
  }

  elf::MemorySource source;
  elf::Reader reader;
  ImagePart &part;
  int number = 0;
  std::string suffix;
  std::unordered_map<std::string_view, size_t> byName; ///< into part.kernels; names in the bytes
  std::unordered_map<uint32_t, size_t> bySymbol;       ///< the same, by place in the symbol table
};

} // namespace

Result<void> readCubin(std::string_view bytes, ImagePart &part) {
  return CubinReader(bytes, part).read();
}

} // namespace fairlead::cuda::image
