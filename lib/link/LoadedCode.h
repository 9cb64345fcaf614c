/// The linker: relocatable objects become code that runs in this process.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/Result.h"
#include "link/CodeMemory.h"

namespace fairlead::link {

/// Shows an object to debuggers as long as this exists (the interface of gdb and lldb for code made
/// at run time). Safe from any thread.
class DebuggerObject {
public:
  /// `object`: relocatable; other bytes are ignored. `sections`: the addresses of its loaded
  /// sections, by name.
  DebuggerObject(std::string object, const std::map<std::string, const void *> &sections);
  DebuggerObject(DebuggerObject &&) noexcept;
  DebuggerObject &operator=(DebuggerObject &&) noexcept;
  ~DebuggerObject();

private:
  struct Entry;
  std::unique_ptr<Entry> entry;
};

struct ObjectFile;

/// Linked objects in this process's memory: code and constants that cannot be changed, data that
/// cannot be executed. Destroying it returns the memory: nothing may run in it then, and its
/// addresses are invalid from then on.
class LoadedCode {
public:
  /// Returns the address of a symbol that no object defines, or NULL.
  using Resolver = std::function<void *(const std::string &name)>;

  /// Links the objects with one another and with the symbols that `resolve` finds. If several
  /// objects define a global symbol, the first definition counts. Safe from any thread. The files
  /// are not needed afterwards.
  static Result<std::unique_ptr<LoadedCode>> link(const std::vector<ObjectFile> &files,
                                                  const Resolver &resolve);
  LoadedCode(const LoadedCode &) = delete;
  LoadedCode &operator=(const LoadedCode &) = delete;

  /// Returns the address of a global symbol that an object defines, or NULL.
  void *find(const std::string &name) const;

private:
  friend class Linker;
  LoadedCode() = default;

  CodeMemory memory;
  std::vector<DebuggerObject> shown; ///< objects with line tables; destroyed before the memory
  std::unordered_map<std::string, void *> symbols;
};

} // namespace fairlead::link
