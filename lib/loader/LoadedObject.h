/// A relocatable object in this process's memory.
#ifndef FAIRLEAD_LIB_LOADER_LOADEDOBJECT_H_
#define FAIRLEAD_LIB_LOADER_LOADEDOBJECT_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/CodeMemory.h"
#include "base/DebuggerObject.h"

namespace fairlead::loader {

struct ObjectFile;

/// Memory of one object: code and constants that cannot be changed, data that cannot be executed.
class LoadedObject {
public:
  /// The address of a symbol that the object does not define; NULL: there is none.
  using Resolver = std::function<void *(const std::string &name)>;

  /// Maps, relocates and protects. NULL, with what is wrong in `problem`.
  static std::unique_ptr<LoadedObject> load(const ObjectFile &file, const Resolver &resolve,
                                            std::string &problem);
  LoadedObject(const LoadedObject &) = delete;
  LoadedObject &operator=(const LoadedObject &) = delete;

  /// The address of a global symbol that the object defines, else NULL.
  void *find(const std::string &name) const;

private:
  friend class ObjectLinker;
  LoadedObject() = default;

  CodeMemory memory;
  std::optional<DebuggerObject> shown; ///< of an object with line tables
  std::unordered_map<std::string, void *> symbols;
};

} // namespace fairlead::loader
#endif // FAIRLEAD_LIB_LOADER_LOADEDOBJECT_H_
