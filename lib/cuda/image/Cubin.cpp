/// CUBIN: a 64-bit ELF file of machine 190. What the sections mean is what cuobjdump prints of
/// them.
#include <algorithm>
#include <unordered_map>

#include "cuda/image/Bytes.h"
#include "cuda/image/Readers.h"

namespace fairlead::cuda::image {
namespace {

constexpr uint16_t kMachineCuda = 190;
constexpr uint16_t kTypeRelocatable = 1;
constexpr uint32_t kSectionSymbols = 2, kSectionNoBits = 8;
constexpr uint64_t kHeaderSize = 64, kSectionSize = 64, kSegmentSize = 56, kSymbolSize = 24;
constexpr uint8_t kSymbolFunction = 2;
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

struct Section {
  std::string_view name, content;
  uint32_t type;
  uint64_t size;
  uint32_t link, info;
};

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
  CubinReader(std::string_view content, ImagePart &part) : bytes(content), part(part) {}

  std::string read() {
    if (std::string error = readHeader(); !error.empty())
      return error;
    if (std::string error = readSections(); !error.empty())
      return error;
    findSuffix();
    if (std::string error = readSymbols(); !error.empty())
      return error;
    readShared();
    for (const Section &section : sections)
      if (section.name == ".nv.info")
        readFileInfo(section);
      else if (section.name.substr(0, 9) == ".nv.info.")
        readKernelInfo(section);
    return "";
  }

private:
  std::string truncated(const char *what, uint64_t end) const {
    return std::string("the CUBIN is cut off: ") + what + " ends at byte " + std::to_string(end) +
           ", but there are " + std::to_string(bytes.size());
  }

  std::string readHeader() {
    if (!bytes.has(0, kHeaderSize))
      return truncated("its header", kHeaderSize);
    if (bytes.read<uint8_t>(4) != 2 || bytes.read<uint8_t>(5) != 1)
      return "the image is an ELF file, but not a 64-bit little-endian one";
    uint16_t machine = bytes.read<uint16_t>(18);
    if (machine != kMachineCuda)
      return "the image is an ELF file for machine " + std::to_string(machine) +
             ", but a CUBIN is for machine " + std::to_string(kMachineCuda) + " (CUDA)";
    if (bytes.read<uint16_t>(16) == kTypeRelocatable)
      return "the CUBIN is relocatable device code (nvcc -dc or -rdc=true), which must be linked "
             "before it can be loaded";
    uint32_t flags = bytes.read<uint32_t>(48);
    // The second layout of the flags came with sm_100 in CUDA 12.8, and with CUDA 13 for all.
    bool second = bytes.read<uint8_t>(8) >= 8;
    number = second ? (flags >> 8) & 0xff : flags & 0xff;
    if (flags & (second ? 0x8u : 0x800u))
      suffix = "a";
    return "";
  }

  std::string readSections() {
    uint64_t segments = bytes.read<uint64_t>(32), table = bytes.read<uint64_t>(40);
    uint64_t numSegments = bytes.read<uint16_t>(56), count = bytes.read<uint16_t>(60);
    uint64_t names = bytes.read<uint16_t>(62);
    if (numSegments && bytes.read<uint16_t>(54) != kSegmentSize)
      return "the CUBIN's program headers are of an unknown size";
    if (numSegments && !bytes.has(segments, numSegments * kSegmentSize))
      return truncated("its program header table", segments + numSegments * kSegmentSize);
    if (table == 0 || bytes.read<uint16_t>(58) != kSectionSize)
      return "the CUBIN has no section headers";
    if (!bytes.has(table, kSectionSize))
      return truncated("its section header table", table + kSectionSize);
    if (count == 0) // more than 16 bits hold: the first header has the count
      count = bytes.read<uint64_t>(table + 32);
    if (names == 0xffff)
      names = bytes.read<uint32_t>(table + 40);
    if (count > bytes.size() / kSectionSize || !bytes.has(table, count * kSectionSize))
      return truncated("its section header table",
                       count > bytes.size() ? ~uint64_t(0) : table + count * kSectionSize);
    if (names >= count)
      return "the CUBIN's section names are in no section";
    uint64_t nameHeader = table + names * kSectionSize;
    Bytes nameBytes(
        bytes.slice(bytes.read<uint64_t>(nameHeader + 24), bytes.read<uint64_t>(nameHeader + 32)));
    for (uint64_t i = 0; i < count; ++i) {
      uint64_t header = table + i * kSectionSize;
      Section section{nameBytes.text(bytes.read<uint32_t>(header)),
                      {},
                      bytes.read<uint32_t>(header + 4),
                      bytes.read<uint64_t>(header + 32),
                      bytes.read<uint32_t>(header + 40),
                      bytes.read<uint32_t>(header + 44)};
      uint64_t offset = bytes.read<uint64_t>(header + 24);
      if (i > 0 && section.type != kSectionNoBits) {
        if (!bytes.has(offset, section.size))
          return truncated(("section " + std::string(section.name)).c_str(), offset + section.size);
        section.content = bytes.slice(offset, section.size);
      }
      sections.push_back(section);
    }
    return "";
  }

  /// The suffix that the flags do not tell: CUDA 13 keeps "a" in .nv.compat, and "f" stands only in
  /// the note of how the tool was called.
  void findSuffix() {
    for (const Section &section : sections) {
      if (!suffix.empty())
        break;
      if (section.name == ".nv.compat")
        forEachRecord(section.content, [&](uint8_t attribute, uint16_t value, const Bytes &) {
          if (attribute == kCompatAccelerator && (value & 0xff))
            suffix = "a";
        });
    }
    std::string family = "sm_" + std::to_string(number) + "f";
    for (const Section &section : sections)
      if (suffix.empty() && section.name == ".note.nv.tkinfo") {
        size_t at = section.content.find(family);
        if (at != std::string_view::npos &&
            section.content.find_first_of(std::string_view(" \0,", 3), at) == at + family.size())
          suffix = "f";
      }
    part.kind = ImageKind::Cubin;
    part.arch = "sm_" + std::to_string(number) + suffix;
  }

  std::string readSymbols() {
    uint64_t nameBytes = 0;
    for (const Section &section : sections) {
      if (section.type != kSectionSymbols)
        continue;
      if (section.link >= sections.size())
        return "the CUBIN's symbol names are in no section";
      Bytes symbols(section.content), names(sections[section.link].content);
      for (uint64_t at = 0; symbols.has(at, kSymbolSize); at += kSymbolSize) {
        uint8_t info = symbols.read<uint8_t>(at + 4), other = symbols.read<uint8_t>(at + 5);
        uint16_t home = symbols.read<uint16_t>(at + 6);
        if ((info & 15) != kSymbolFunction || !(other & kOtherEntry) || home == 0)
          continue;
        std::string_view name = names.text(symbols.read<uint32_t>(at));
        if (name.empty() || !byName.emplace(name, part.kernels.size()).second)
          continue;
        // Names that overlap could make far more text than there are bytes.
        if ((nameBytes += name.size()) > bytes.size())
          return "the CUBIN's symbol names overlap";
        bySymbol.emplace(uint32_t(at / kSymbolSize), part.kernels.size());
        ImageKernel kernel;
        kernel.name = name;
        kernel.sharedBytes = 0;
        // Where no record says it, the code's section header may.
        if (home < sections.size() && sections[home].info >> 24)
          kernel.registers = int(sections[home].info >> 24);
        part.kernels.push_back(std::move(kernel));
      }
    }
    return "";
  }

  ImageKernel *kernelOfSection(std::string_view name, std::string_view prefix) {
    if (name.substr(0, prefix.size()) != prefix)
      return nullptr;
    auto found = byName.find(name.substr(prefix.size()));
    return found == byName.end() ? nullptr : &part.kernels[found->second];
  }

  void readShared() {
    for (const Section &section : sections)
      if (ImageKernel *kernel = kernelOfSection(section.name, ".nv.shared.")) {
        int64_t size = int64_t(std::min<uint64_t>(section.size, INT64_MAX));
        if (number >= kFirstArchWithReserve)
          size = std::max<int64_t>(size - kReservedShared, 0);
        kernel->sharedBytes = size;
      }
  }

  /// .nv.info: registers and stack of every function, by symbol.
  void readFileInfo(const Section &section) {
    forEachRecord(section.content, [&](uint8_t attribute, uint16_t, const Bytes &payload) {
      auto found = bySymbol.find(payload.read<uint32_t>(0));
      if (payload.size() < 8 || found == bySymbol.end())
        return;
      ImageKernel &kernel = part.kernels[found->second];
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
    forEachRecord(section.content, [&](uint8_t attribute, uint16_t value, const Bytes &payload) {
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

  Bytes bytes;
  ImagePart &part;
  int number = 0;
  std::string suffix;
  std::vector<Section> sections;
  std::unordered_map<std::string_view, size_t> byName; ///< into part.kernels; names in the bytes
  std::unordered_map<uint32_t, size_t> bySymbol;       ///< the same, by place in the symbol table
};

} // namespace

bool isElf(std::string_view bytes) { return bytes.substr(0, 4) == "\177ELF"; }

std::string readCubin(std::string_view bytes, ImagePart &part) {
  return CubinReader(bytes, part).read();
}

} // namespace fairlead::cuda::image
