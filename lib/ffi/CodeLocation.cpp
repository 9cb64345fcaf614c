#include "ffi/CodeLocation.h"

#include <cxxabi.h>
#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <string_view>

#include "ElfFile.h"

using namespace tvm::ffi;

namespace {

// Debug information of a whole framework would take seconds to read.
constexpr size_t kLineTableLimit = 32 << 20;

bool startsWithAny(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(),
                     [&](std::string_view p) { return name.substr(0, p.size()) == p; });
}

/// True for the first function on the caller's side of an FFI call.
bool isBoundary(std::string_view symbol) {
  return startsWithAny(
      symbol, {"TVMFFIFunctionCall", "slot_tp_call", "object_is_not_callable", "_Py", "PyObject"});
}

/// The machinery between a caller and a callee, which says nothing to a reader. Kernels built with
/// headers before 0.1.15 have it in `details`.
bool isMachinery(std::string_view function) {
  return startsWithAny(function, {"tvm::ffi::Function", "tvm::ffi::detail::", "tvm::ffi::details::",
                                  "tvm::ffi::inner::", "TVMFFIBacktrace",
                                  "TVMFFIErrorSetRaisedFromCStr", "__libc_", "ffi_call_"});
}

bool isMachineryFile(std::string_view file) {
  for (std::string_view part : {"include/tvm/ffi/error.h", "include/tvm/ffi/function_detail.h",
                                "include/tvm/ffi/function_details.h", "include/tvm/ffi/function.h",
                                "include/tvm/ffi/any.h", "include/c++/"})
    if (file.find(part) != std::string_view::npos)
      return true;
  return false;
}

/// The mangled name of the function at an address, and where it begins; empty if none is known.
std::string symbolAt(uintptr_t address, uintptr_t *begin) {
  Dl_info info;
  void *extra = nullptr;
  if (!dladdr1(reinterpret_cast<void *>(address), &info, &extra, RTLD_DL_SYMENT))
    return "";
  auto *entry = static_cast<const ElfW(Sym) *>(extra);
  // The linker offers the nearest exported symbol below, which need not cover the address.
  if (info.dli_sname && entry &&
      address - reinterpret_cast<uintptr_t>(info.dli_saddr) < entry->st_size) {
    *begin = reinterpret_cast<uintptr_t>(info.dli_saddr);
    return info.dli_sname;
  }
  std::optional<LoadedModule> module = findModule(address);
  if (!module)
    return "";
  uint64_t offset = 0;
  std::string name = ElfFile(*module).functionAt(address - module->base, &offset);
  *begin = module->base + offset;
  return name;
}

std::string demangled(const std::string &symbol) {
  int status = 0;
  char *text = abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status);
  std::string result = status == 0 && text ? text : symbol;
  std::free(text);
  return result;
}

void setLine(CodeLocation &place, std::string_view file, uint32_t line) {
  place.line.assign("  File \"").append(file).append("\", line ").append(std::to_string(line));
  place.line.append(", in ").append(place.function).append("\n");
}

} // namespace

CodeLocation tvm::ffi::findCodeLocation(uintptr_t address) {
  CodeLocation place;
  std::string symbol = symbolAt(address, &place.begin);
  if (symbol.empty())
    return place;
  if (isBoundary(symbol))
    place.role = CodeLocation::Role::Boundary;
  place.function = demangled(symbol);
  if (isMachinery(place.function))
    place.role = CodeLocation::Role::Hidden;
  else if (place.role != CodeLocation::Role::Boundary)
    place.role = CodeLocation::Role::Frame;
  return place;
}

void tvm::ffi::completeCodeLocations(const std::vector<uintptr_t> &addresses,
                                     std::vector<CodeLocation> &places) {
  struct Group {
    LoadedModule module;
    std::vector<size_t> members;
  };
  std::map<std::string, Group> groups;
  for (size_t i = 0; i < places.size(); ++i) {
    if (places[i].role == CodeLocation::Role::Hidden)
      continue;
    if (std::optional<LoadedModule> module = findModule(addresses[i])) {
      std::string path = module->path;
      Group &group = groups[path];
      group.module = std::move(*module);
      group.members.push_back(i);
    } else {
      setLine(places[i], "<unknown>", 0);
    }
  }
  for (auto &[path, group] : groups) {
    std::vector<SourceLocation> sources;
    for (size_t member : group.members)
      sources.push_back({addresses[member] - group.module.base,
                         places[member].begin - group.module.base, "", "", 0});
    ElfFile file(group.module);
    std::string lines = file.ok() ? file.section(".debug_line", kLineTableLimit) : "";
    if (!lines.empty())
      findLines(lines, file.section(".debug_line_str", kLineTableLimit),
                file.section(".debug_str", kLineTableLimit), isMachineryFile, sources);
    for (size_t i = 0; i < sources.size(); ++i) {
      CodeLocation &place = places[group.members[i]];
      if (isMachineryFile(sources[i].functionFile))
        place.role = CodeLocation::Role::Hidden;
      setLine(place, sources[i].line ? sources[i].file : path, sources[i].line);
    }
  }
}
