/// Tells debuggers about code that was loaded into this process.
#ifndef FAIRLEAD_LIB_LINK_DEBUGGEROBJECT_H_
#define FAIRLEAD_LIB_LINK_DEBUGGEROBJECT_H_

#include <map>
#include <memory>
#include <string>

namespace fairlead::link {

/// An object that debuggers see as long as this is there (the interface of gdb and lldb for code
/// made at run time). Safe from any thread.
class DebuggerObject {
public:
  /// `object`: relocatable. `sections`: the addresses of its sections that were loaded, by name.
  /// Shows nothing if the object is none.
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
