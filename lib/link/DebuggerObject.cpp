#include "link/LoadedCode.h"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <mutex>
#include <string_view>

// Debuggers look for these names in every library, in this form.
extern "C" {

enum FairleadDebuggerAction : uint32_t { kNoAction, kRegister, kUnregister };

struct FairleadDebuggerEntry {
  FairleadDebuggerEntry *next, *previous;
  const char *object;
  uint64_t size;
};

struct FairleadDebuggerList {
  uint32_t version;
  uint32_t action;
  FairleadDebuggerEntry *relevant, *first;
};

__attribute__((visibility("default"), used)) FairleadDebuggerList __jit_debug_descriptor = {
    1, kNoAction, nullptr, nullptr};

/// Debuggers have a breakpoint here.
__attribute__((visibility("default"), noinline, used)) void __jit_debug_register_code() {
  asm volatile("" ::: "memory");
}
}

namespace fairlead::link {
namespace {

std::mutex &listMutex() {
  static auto *mutex = new std::mutex;
  return *mutex;
}

void tell(FairleadDebuggerAction action, FairleadDebuggerEntry *entry) {
  __jit_debug_descriptor.action = action;
  __jit_debug_descriptor.relevant = entry;
  __jit_debug_register_code();
  __jit_debug_descriptor.action = kNoAction;
  __jit_debug_descriptor.relevant = nullptr;
}

/// Writes the addresses into the table of sections. False if the bytes are no such object.
bool setAddresses(std::string &object, const std::map<std::string, const void *> &sections) {
  Elf64_Ehdr header;
  if (object.size() < sizeof header)
    return false;
  std::memcpy(&header, object.data(), sizeof header);
  auto fits = [&](uint64_t at, uint64_t size) {
    return at <= object.size() && size <= object.size() - at;
  };
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_type != ET_REL ||
      header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shstrndx >= header.e_shnum ||
      !fits(header.e_shoff, uint64_t{header.e_shnum} * sizeof(Elf64_Shdr)))
    return false;
  char *table = object.data() + header.e_shoff;
  auto read = [&](size_t index) {
    Elf64_Shdr section;
    std::memcpy(&section, table + index * sizeof section, sizeof section);
    return section;
  };
  const Elf64_Shdr names = read(header.e_shstrndx);
  if (!fits(names.sh_offset, names.sh_size))
    return false;
  const std::string_view text(object.data() + names.sh_offset, names.sh_size);
  for (size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section = read(i);
    if (section.sh_name >= text.size())
      continue;
    const std::string_view name = text.substr(section.sh_name);
    auto address = sections.find(std::string(name.substr(0, name.find('\0'))));
    if (address == sections.end())
      continue;
    section.sh_addr = reinterpret_cast<uintptr_t>(address->second);
    std::memcpy(table + i * sizeof section, &section, sizeof section);
  }
  return true;
}

} // namespace

struct DebuggerObject::Entry {
  std::string object;
  FairleadDebuggerEntry listed{};
};

DebuggerObject::DebuggerObject(std::string object,
                               const std::map<std::string, const void *> &sections) {
  if (!setAddresses(object, sections))
    return;
  entry = std::make_unique<Entry>(Entry{std::move(object)});
  std::lock_guard lock(listMutex());
  FairleadDebuggerEntry *first = __jit_debug_descriptor.first;
  entry->listed = {first, nullptr, entry->object.data(), entry->object.size()};
  if (first)
    first->previous = &entry->listed;
  __jit_debug_descriptor.first = &entry->listed;
  tell(kRegister, &entry->listed);
}

DebuggerObject::DebuggerObject(DebuggerObject &&) noexcept = default;
DebuggerObject &DebuggerObject::operator=(DebuggerObject &&other) noexcept {
  entry.swap(other.entry); // What was shown here is withdrawn with `other`.
  return *this;
}

DebuggerObject::~DebuggerObject() {
  if (!entry)
    return;
  std::lock_guard lock(listMutex());
  FairleadDebuggerEntry &own = entry->listed;
  (own.previous ? own.previous->next : __jit_debug_descriptor.first) = own.next;
  if (own.next)
    own.next->previous = own.previous;
  tell(kUnregister, &own);
}

} // namespace fairlead::link
