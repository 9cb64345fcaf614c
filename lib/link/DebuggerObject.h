/// Tells debuggers about code that was loaded into this process.
#ifndef FAIRLEAD_LIB_LINK_DEBUGGEROBJECT_H_
#define FAIRLEAD_LIB_LINK_DEBUGGEROBJECT_H_

#include <map>
#include <memory>
#include <string>

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

} // namespace fairlead::link
#endif // FAIRLEAD_LIB_LINK_DEBUGGEROBJECT_H_
