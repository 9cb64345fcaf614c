#include "ffi/CodeLocation.h"

#include <cstring>

using namespace tvm::ffi;

namespace {

// The numbers of DWARF that line programs use.
enum : uint64_t {
  kContentPath = 1,
  kContentDirectory = 2,
  kFormBlock2 = 0x03,
  kFormBlock4 = 0x04,
  kFormData2 = 0x05,
  kFormData4 = 0x06,
  kFormData8 = 0x07,
  kFormString = 0x08,
  kFormBlock = 0x09,
  kFormBlock1 = 0x0a,
  kFormData1 = 0x0b,
  kFormStrp = 0x0e,
  kFormUdata = 0x0f,
  kFormData16 = 0x1e,
  kFormLineStrp = 0x1f,
};
enum : uint8_t {
  kOpExtended = 0,
  kOpCopy = 1,
  kOpAdvancePc = 2,
  kOpAdvanceLine = 3,
  kOpSetFile = 4,
  kOpConstAddPc = 8,
  kOpFixedAdvancePc = 9,
  kExtendedEndSequence = 1,
  kExtendedSetAddress = 2,
  kExtendedDefineFile = 3,
};

/// Bytes that are read from the front. After a read beyond the end, all reads give 0.
class Reader {
public:
  explicit Reader(std::string_view bytes) : rest(bytes) {}

  bool ok() const { return good; }
  bool empty() const { return rest.empty(); }
  size_t left() const { return rest.size(); }

  template <typename T> T fixed() {
    T value = 0;
    std::string_view bytes = take(sizeof(T));
    if (!bytes.empty())
      std::memcpy(&value, bytes.data(), sizeof(T));
    return value;
  }
  std::string_view take(uint64_t size) {
    if (size > rest.size()) {
      good = false;
      rest = {};
      return {};
    }
    std::string_view bytes = rest.substr(0, size);
    rest.remove_prefix(size);
    return bytes;
  }
  uint64_t offset(bool is64) { return is64 ? fixed<uint64_t>() : fixed<uint32_t>(); }
  uint64_t unsignedLeb() {
    uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      auto byte = fixed<uint8_t>();
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      if (!(byte & 0x80))
        return value;
    }
  }
  int64_t signedLeb() {
    uint64_t value = 0;
    for (unsigned shift = 0;;) {
      auto byte = fixed<uint8_t>();
      if (shift < 64)
        value |= uint64_t(byte & 0x7f) << shift;
      shift += 7;
      if (byte & 0x80)
        continue;
      if (shift < 64 && (byte & 0x40))
        value |= ~uint64_t(0) << shift;
      return static_cast<int64_t>(value);
    }
  }
  std::string_view text() {
    size_t end = rest.find('\0');
    if (end == std::string_view::npos) {
      take(rest.size() + 1);
      return {};
    }
    std::string_view result = take(end);
    take(1);
    return result;
  }

private:
  std::string_view rest;
  bool good = true;
};

std::string_view textAt(std::string_view section, uint64_t offset) {
  if (offset >= section.size())
    return {};
  return section.substr(offset, section.substr(offset).find('\0'));
}

struct FileEntry {
  std::string_view name;
  uint64_t directory = 0;
};

/// The line program of one compilation unit.
class Unit {
public:
  Unit(std::string_view lineStrings, std::string_view strings, bool (*isSkipped)(std::string_view))
      : lineStrings(lineStrings), strings(strings), isSkipped(isSkipped) {}

  /// Reads the header; false if it makes no sense.
  bool readHeader(Reader &reader, bool is64) {
    version = reader.fixed<uint16_t>();
    if (version < 2 || version > 5)
      return false;
    if (version >= 5) {
      addressSize = reader.fixed<uint8_t>();
      if (addressSize != 8 || reader.fixed<uint8_t>() != 0)
        return false;
    }
    Reader header(reader.take(reader.offset(is64)));
    minInstruction = header.fixed<uint8_t>();
    if (version >= 4)
      header.fixed<uint8_t>(); // of VLIW machines
    header.fixed<uint8_t>();   // statements: all lines count here
    lineBase = static_cast<int8_t>(header.fixed<uint8_t>());
    lineRange = header.fixed<uint8_t>();
    opcodeBase = header.fixed<uint8_t>();
    if (lineRange == 0 || opcodeBase == 0)
      return false;
    std::string_view lengths = header.take(opcodeBase - 1u);
    opcodeLengths.assign(lengths.begin(), lengths.end());
    if (version >= 5) {
      std::vector<FileEntry> entries;
      readTable(header, is64, entries);
      for (const FileEntry &entry : entries)
        directories.push_back(entry.name);
      readTable(header, is64, files);
    } else {
      readOldTables(header);
    }
    return header.ok() && reader.ok();
  }

  void run(Reader program, std::vector<SourceLocation> &places) {
    Row row, last;
    bool hasLast = false;
    uint64_t begin = 0; // of the sequence
    auto emit = [&] {
      // A row holds from its address to the next one's. What begins at 0 was linked away.
      if (hasLast && begin != 0 && last.address < row.address)
        for (SourceLocation &place : places)
          if (last.address <= place.address && row.address > place.functionBegin)
            answer(place, last, row.address);
      last = row;
      hasLast = true;
    };
    while (!program.empty() && program.ok()) {
      auto opcode = program.fixed<uint8_t>();
      if (opcode >= opcodeBase) {
        unsigned adjusted = opcode - opcodeBase;
        row.address += uint64_t(adjusted / lineRange) * minInstruction;
        row.line += static_cast<uint32_t>(lineBase + static_cast<int>(adjusted % lineRange));
        emit();
        continue;
      }
      switch (opcode) {
      case kOpExtended: {
        Reader extended(program.take(program.unsignedLeb()));
        auto kind = extended.fixed<uint8_t>();
        if (kind == kExtendedEndSequence) {
          emit();
          row = Row();
          hasLast = false;
        } else if (kind == kExtendedSetAddress) {
          row.address = extended.left() == 8 ? extended.fixed<uint64_t>() : 0;
          if (!hasLast)
            begin = row.address;
        } else if (kind == kExtendedDefineFile) {
          FileEntry entry;
          entry.name = extended.text();
          entry.directory = extended.unsignedLeb();
          files.push_back(entry);
        }
        break;
      }
      case kOpCopy:
        emit();
        break;
      case kOpAdvancePc:
        row.address += program.unsignedLeb() * minInstruction;
        break;
      case kOpAdvanceLine:
        row.line += static_cast<uint32_t>(program.signedLeb());
        break;
      case kOpSetFile:
        row.file = program.unsignedLeb();
        break;
      case kOpConstAddPc:
        row.address += uint64_t((255u - opcodeBase) / lineRange) * minInstruction;
        break;
      case kOpFixedAdvancePc:
        row.address += program.fixed<uint16_t>();
        break;
      default: // what columns, blocks and instruction sets say, and opcodes of the future
        for (int i = 0; i < opcodeLengths[opcode - 1u]; ++i)
          program.unsignedLeb();
      }
    }
  }

private:
  struct Row {
    uint64_t address = 0;
    uint64_t file = 1;
    uint32_t line = 1;
  };

  void readOldTables(Reader &header) {
    directories.emplace_back(); // 0: where the compiler ran
    for (std::string_view name = header.text(); !name.empty(); name = header.text())
      directories.push_back(name);
    files.emplace_back(); // files count from 1
    for (std::string_view name = header.text(); !name.empty(); name = header.text()) {
      files.push_back({name, header.unsignedLeb()});
      header.unsignedLeb(); // time
      header.unsignedLeb(); // size
    }
  }

  void readTable(Reader &header, bool is64, std::vector<FileEntry> &entries) {
    std::vector<std::pair<uint64_t, uint64_t>> formats(header.fixed<uint8_t>());
    for (auto &[content, form] : formats) {
      content = header.unsignedLeb();
      form = header.unsignedLeb();
    }
    uint64_t count = header.unsignedLeb();
    // An entry takes at least a byte.
    if (formats.empty() || count > header.left())
      return;
    for (uint64_t i = 0; i < count && header.ok(); ++i) {
      FileEntry entry;
      for (auto [content, form] : formats)
        readField(header, is64, content, form, entry);
      entries.push_back(entry);
    }
  }

  void readField(Reader &header, bool is64, uint64_t content, uint64_t form, FileEntry &entry) {
    std::string_view text;
    uint64_t number = 0;
    switch (form) {
    case kFormString:
      text = header.text();
      break;
    case kFormLineStrp:
      text = textAt(lineStrings, header.offset(is64));
      break;
    case kFormStrp:
      text = textAt(strings, header.offset(is64));
      break;
    case kFormData1:
      number = header.fixed<uint8_t>();
      break;
    case kFormData2:
      number = header.fixed<uint16_t>();
      break;
    case kFormData4:
      number = header.fixed<uint32_t>();
      break;
    case kFormData8:
      number = header.fixed<uint64_t>();
      break;
    case kFormUdata:
      number = header.unsignedLeb();
      break;
    case kFormData16:
      header.take(16);
      break;
    case kFormBlock:
      header.take(header.unsignedLeb());
      break;
    case kFormBlock1:
      header.take(header.fixed<uint8_t>());
      break;
    case kFormBlock2:
      header.take(header.fixed<uint16_t>());
      break;
    case kFormBlock4:
      header.take(header.fixed<uint32_t>());
      break;
    default:
      header.take(header.left() + 1); // an unknown form has no known length: fails
    }
    if (content == kContentPath)
      entry.name = text;
    else if (content == kContentDirectory)
      entry.directory = number;
  }

  std::string path(const FileEntry &file) const {
    std::string result;
    if (file.name.substr(0, 1) != "/" && file.directory < directories.size()) {
      std::string_view directory = directories[file.directory];
      // Relative ones are relative to the first one, which names where the compiler ran.
      if (directory.substr(0, 1) != "/" && file.directory != 0 && !directories[0].empty())
        result.append(directories[0]).append("/");
      if (!directory.empty())
        result.append(directory).append("/");
    }
    return result.append(file.name);
  }

  /// Applies a row that holds up to `end`, and that begins inside the place's function.
  void answer(SourceLocation &place, const Row &row, uint64_t end) const {
    if (row.line == 0 || row.file >= files.size())
      return;
    std::string file = path(files[row.file]);
    if (row.address <= place.functionBegin && place.functionBegin < end)
      place.functionFile = file;
    if (isSkipped(file))
      return;
    place.file = std::move(file);
    place.line = row.line;
  }

  std::string_view lineStrings, strings;
  bool (*isSkipped)(std::string_view);
  uint16_t version = 0;
  uint8_t addressSize = 8, minInstruction = 1, lineRange = 1, opcodeBase = 1;
  int8_t lineBase = 0;
  std::vector<uint8_t> opcodeLengths;
  std::vector<std::string_view> directories;
  std::vector<FileEntry> files;
};

} // namespace

void tvm::ffi::findLines(std::string_view lines, std::string_view lineStrings,
                         std::string_view strings, bool (*isSkipped)(std::string_view),
                         std::vector<SourceLocation> &places) {
  Reader reader(lines);
  while (reader.left() > sizeof(uint32_t)) {
    uint64_t length = reader.fixed<uint32_t>();
    bool is64 = length == 0xffffffff;
    if (is64)
      length = reader.fixed<uint64_t>();
    Reader content(reader.take(length));
    if (!reader.ok())
      return;
    Unit unit(lineStrings, strings, isSkipped);
    if (unit.readHeader(content, is64))
      unit.run(content, places);
  }
}
